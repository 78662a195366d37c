"""Labels in the names of folders and files."""

import io

import numpy as np
import pytest

from seqloom.data.bad_records import Policy
from seqloom.data.record import Place
from seqloom.data.source import open_source
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


def packed(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def frames_in(records):
    return [(r.columns["label"], r.columns["frames"].tolist(), r.place.line) for r in records]


def test_arrays_and_tables_of_numbers_give_frames(write, tmp_path):
    write("walk/1.npy", packed(np.array([[1, 2], [3, 4], [5, 6]])))
    write("walk/2.csv.gz", "x,y\n7,8\n")
    write("run/1.CSV", "9, 10\n\n11,12\n13,-14.5\n")
    records = list(read_folder(tmp_path))
    assert frames_in(records) == [
        ("run", [[9, 10]], 1),
        ("run", [[11, 12], [13, -14.5]], 3),
        ("walk", [[1, 2], [3, 4], [5, 6]], 1),
        ("walk", [[7, 8]], 2),
    ]
    assert all(getattr(record.columns["frames"], "dtype", None) == np.float32 for record in records)
    assert records[1].place.file == str(tmp_path / "run" / "1.CSV")


@pytest.mark.parametrize(
    "content, line, what",
    [
        ("1,2\n3\n", 2, "wrong number of columns: 1 where the first row has 2"),
        ("x,y\n1,2\n3,four\n", 3, "not a number: column 2"),
        ("1,2\n3,\n", 2, "not a number: column 2"),
        ("1,2\n3,4\nnan,6\n", 3, "not a finite number: column 1: NaN, infinite, or too large for float32"),
        ("1,2\n3,1e39\n", 2, "not a finite number: column 2: NaN, infinite, or too large for float32"),
        ("", None, "empty file"),
        ("x,y\n", None, "no frames"),
        (" \n\n", None, "no frames"),
        ("1,2\n\n3,4,5\n", 3, "wrong number of columns: 3 where the first row has 2"),
        ("1,2,3\n", 1, "frames of another width: 3 numbers, and those of {first}:1 have 2"),
    ],
)
def test_a_bad_table_of_numbers_is_an_error_with_its_line_or_a_counted_skip(write, tmp_path, content, line, what):
    first = write("data/run/1.csv", "0,0\n")
    file = write("data/walk/1.csv", content)
    write("data/walk/2.npy", packed(np.ones((1, 2))))
    with pytest.raises(DataError) as caught:
        list(open_source(tmp_path / "data", task="classify"))
    assert caught.value.where == (f"{file}:{line}" if line else str(file))
    assert caught.value.what == what.format(first=first)
    source = open_source(tmp_path / "data", task="classify", on_bad="skip")
    kept = frames_in(source)
    assert [kept[0], kept[-1]] == [("run", [[0, 0]], 1), ("walk", [[1, 1]], 1)]
    assert len(kept) == 2 + content.startswith("1,2\n\n")
    assert source.report.counts == {what.partition(":")[0]: 1}


@pytest.mark.parametrize(
    "first, second, what",
    [
        ("1.csv", "2.txt", "text among frames"),
        ("1.txt", "2.csv", "frames among text"),
        ("1.txt", "2.npy", "frames among text"),
    ],
)
def test_texts_and_frames_do_not_mix(write, tmp_path, first, second, what):
    for name in (first, second):
        write(f"walk/{name}", packed(np.ones((2, 2))) if name.endswith(".npy") else "1,2\n")
    with pytest.raises(DataError, match=rf"walk/{second}: {what}: .*walk/{first} comes first"):
        list(read_folder(tmp_path))
    policy = Policy("skip")
    assert [record.place.file for record in read_folder(tmp_path, policy)] == [str(tmp_path / "walk" / first)]
    assert policy.report.counts == {what: 1}


def test_a_bad_document_is_an_error_or_a_counted_skip(write, tmp_path):
    for name, content in [("a/1.txt", b"good"), ("a/2.txt", b"x\n\xff\n\xff"), ("a/3.txt", b""), ("a/4.jpg", b"\xff")]:
        write(name, content)
    write("a/5.txt", "1234567\n" * 3)
    with pytest.raises(DataError, match=r"a/2.txt:2: invalid UTF-8"):
        list(read_folder(tmp_path))
    policy = Policy("skip", longest_line=20)
    assert [record.columns["text"] for record in read_folder(tmp_path, policy)] == ["good"]
    expected = {"invalid UTF-8": 1, "empty file": 1, "none of .txt, .npy, .csv": 1, "overlong text": 1}
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
