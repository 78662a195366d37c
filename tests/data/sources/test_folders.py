"""Labels in the names of folders and files."""

import io

import numpy as np
import pytest

from seqloom.data.record import Place
from seqloom.data.report import Policy
from seqloom.data.sources.folders import read_folder, read_labelled
from seqloom.errors import DataError


def test_a_folder_per_label_is_read_in_the_order_of_names(write, tmp_path):
    for name, text in [
        ("pos/2.txt", "fine\n"),
        ("pos/10.txt.gz", "good\n\nvery"),
        ("neg/0.txt", "bad"),
        (".x/0.txt", ""),
    ]:
        write(name, text)
    records = list(read_folder(tmp_path))
    assert [record.columns for record in records] == [
        {"label": "neg", "text": "bad"},
        {"label": "pos", "text": "good\n\nvery"},
        {"label": "pos", "text": "fine"},
    ]
    assert records[0].place == Place(str(tmp_path / "neg" / "0.txt"))


def test_folders_of_parts_give_a_column_split(write, tmp_path):
    for name in ("train/pos/1.txt", "train/unsup/1.txt", "test/pos/1.txt", "train/urls_pos.txt", "README"):
        write(name, name)
    policy = Policy()
    records = list(read_folder(tmp_path, policy))
    assert [record.columns for record in records] == [
        {"label": "pos", "text": "test/pos/1.txt", "split": "test"},
        {"label": "pos", "text": "train/pos/1.txt", "split": "train"},
    ]
    assert policy.report.counts == {"folder without a label": 1}


def test_a_folder_of_arrays_gives_frames(write, tmp_path):
    stream = io.BytesIO()
    np.save(stream, np.ones((3, 2)))
    write("walk/1.npy", stream.getvalue())
    (record,) = read_folder(tmp_path)
    assert record.columns["label"] == "walk"
    assert isinstance(record.columns["frames"], np.ndarray)
    assert record.columns["frames"].shape == (3, 2)


def test_a_bad_document_is_an_error_or_a_counted_skip(write, tmp_path):
    for name, content in [("a/1.txt", b"good"), ("a/2.txt", b"x\n\xff\n\xff"), ("a/3.txt", b""), ("a/4.jpg", b"\xff")]:
        write(name, content)
    write("a/5.txt", "1234567\n" * 3)
    with pytest.raises(DataError, match=r"a/2.txt:2: invalid UTF-8"):
        list(read_folder(tmp_path))
    policy = Policy("skip", longest_line=20)
    assert [record.columns["text"] for record in read_folder(tmp_path, policy)] == ["good"]
    expected = {"invalid UTF-8": 1, "empty file": 1, "neither .txt nor .npy": 1, "overlong text": 1}
    assert policy.report.counts == expected


def test_a_folder_without_folders_is_an_error(write, tmp_path):
    write("1.txt", "a")
    with pytest.raises(DataError, match="there is no folder in this folder"):
        list(read_folder(tmp_path))
    with pytest.raises(DataError, match="cannot be read"):
        list(read_folder(tmp_path / "1.txt"))


def test_a_file_per_label_gives_each_line_its_label(write):
    files = {"pos": write("a.pos.gz", "fine\ngood\n"), "neg": write("a.neg", "bad\n")}
    assert [tuple(record.columns.values()) for record in read_labelled(files)] == [
        ("pos", "fine"),
        ("pos", "good"),
        ("neg", "bad"),
    ]
