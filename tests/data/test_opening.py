"""From settings to the parts of the data."""

import pytest

from seqloom.data.opening import open_data
from seqloom.data.settings import DataConfig
from seqloom.errors import DataError

ROWS = "".join(f"{index % 2}\ttext {index}\n" for index in range(100))


def texts(records):
    return [record.columns["text"] for record in records]


def test_parts_without_files_are_cut_from_the_training_data(write):
    file = str(write("a.tsv", ROWS))
    parts = open_data(DataConfig(train=file, valid_share=0.2, test_share=0.2, seed=3), "classify")
    assert list(parts) == ["train", "valid", "test"]
    found = [text for part in parts.values() for text in texts(part)]
    assert len(found) == len(set(found)) == 100
    assert list(open_data(DataConfig(train=file, valid_share=0), "classify")) == ["train"]


def test_a_part_with_a_path_of_its_own_is_that(write):
    train, valid = write("a.tsv", ROWS), write("b.tsv", "0\tmine\n")
    parts = open_data(DataConfig(train=str(train), valid=str(valid)), "classify")
    assert texts(parts["valid"]) == ["mine"]
    assert len(texts(parts["train"])) == 100
    parts = open_data(DataConfig(train=str(train), test=[str(valid)], valid_share=0.3), "classify")
    assert texts(parts["test"]) == ["mine"]
    assert len(texts(parts["train"])) + len(texts(parts["valid"])) == 100


def test_a_folder_of_parts_is_read_by_its_names(write, tmp_path):
    for name in ("train.tsv", "dev.tsv", "notes.md"):
        write(f"data/{name}", f"0\t{name}\n")
    parts = open_data(DataConfig(train=str(tmp_path / "data")), "classify")
    assert {name: texts(part) for name, part in parts.items()} == {"train": ["train.tsv"], "valid": ["dev.tsv"]}


def test_a_folder_of_parts_and_labels_is_read_as_imdb_ships(write, tmp_path):
    for name in ("train/pos/1.txt", "train/neg/1.txt", "test/pos/1.txt", "README"):
        write(f"imdb/{name}", name)
    parts = open_data(DataConfig(train=str(tmp_path / "imdb"), valid_share=0), "classify")
    assert texts(parts["train"]) == ["train/neg/1.txt", "train/pos/1.txt"]
    assert texts(parts["test"]) == ["test/pos/1.txt"]


def test_languages_choose_among_parallel_files(write, tmp_path):
    for name in ("train.en", "train.de", "train.fr", "val.en", "val.de", "val.fr"):
        write(f"data/{name}", name)
    config = DataConfig(train=str(tmp_path / "data"), source_language="de", target_language="en")
    parts = open_data(config, "translate")
    assert [record.columns for record in parts["train"]] == [{"source": "train.de", "target": "train.en"}]
    assert [record.columns for record in parts["valid"]] == [{"source": "val.de", "target": "val.en"}]


def test_a_column_says_the_part(write):
    file = write("a.csv", "text,label,fold\na,0,train\nb,1,dev\n")
    parts = open_data(DataConfig(train=str(file), split_column="fold"), "classify")
    assert {name: texts(part) for name, part in parts.items()} == {"train": ["a"], "valid": ["b"]}


def test_the_policy_of_the_settings_is_used(write):
    file = write("a.tsv", ROWS.encode() + b"\xff\n")
    with pytest.raises(DataError, match=r"a.tsv:101: invalid UTF-8"):
        texts(open_data(DataConfig(train=str(file)), "classify")["train"])
    part = open_data(DataConfig(train=str(file), on_bad="skip"), "classify")["train"]
    texts(part)
    assert part.report.counts == {"invalid UTF-8": 1}


def test_no_data_is_an_error():
    with pytest.raises(DataError, match=r"no data was given\n    -> name it in data.train"):
        open_data(DataConfig())
