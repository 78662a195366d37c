"""The splits of data: train, valid, test."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.formats import by_language
from seqloom.data.settings import DataConfig
from seqloom.data.source import open_source
from seqloom.data.splits import (
    find_splits,
    open_data,
    random_split,
    split_by_column,
    split_in_order,
    split_of,
)
from seqloom.data.stratification import Outcomes
from seqloom.errors import DataError

SHARES = {"train": 0.7, "valid": 0.2, "test": 0.1}


def numbers(records):
    return [record.columns["1"] for record in records]


def source_of(count):
    return open_source([(index, index % 7) for index in range(count)])


def test_the_splits_are_disjoint_complete_and_about_as_large_as_asked():
    splits = random_split(source_of(3000), SHARES, seed=1)
    found = {name: numbers(split) for name, split in splits.items()}
    assert sorted(number for split in found.values() for number in split) == list(range(3000))
    for name, share in SHARES.items():
        assert abs(len(found[name]) / 3000 - share) < 0.03


def test_the_same_seed_cuts_the_same_and_another_does_not():
    first, again, other = (numbers(random_split(source_of(100), SHARES, seed)["train"]) for seed in (1, 1, 2))
    assert first == again != other


def test_the_cut_is_the_same_on_every_machine():
    splits = [split_of(index, SHARES, seed=7) for index in range(12)]
    assert " ".join(name[:2] for name in splits) == "va tr tr tr tr tr tr va va tr tr tr"


def test_a_record_keeps_its_split_when_more_follow():
    small, large = (set(numbers(random_split(source_of(count), SHARES)["valid"])) for count in (50, 100))
    assert small == {number for number in large if number < 50}


def test_equal_values_land_in_one_split():
    splits = random_split(source_of(500), {"train": 0.5, "valid": 0.5}, by="2")
    train, valid = ({record.columns["2"] for record in split} for split in splits.values())
    assert train | valid == set(range(7))
    assert not train & valid


def test_shares_that_do_not_add_up_are_an_error():
    with pytest.raises(DataError, match=r"the shares do not add up to 1: train 0.9, valid 0.2"):
        random_split(source_of(3), {"train": 0.9, "valid": 0.2})


def test_a_split_without_records_is_an_error():
    with pytest.raises(DataError, match="the split is empty: no record falls into 'valid'"):
        list(random_split(source_of(2), {"train": 0.999, "valid": 0.001})["valid"])


def test_a_split_has_the_report_of_its_source(write):
    split = random_split(open_source(write("a.txt", b"a\n\xff\n"), on_bad="skip"), {"train": 1.0})["train"]
    assert len(list(split)) == 1
    assert split.report.counts == {"invalid UTF-8": 1}


def test_a_column_says_the_split(write):
    file = write("a.csv", "text,split\na,train\nb,Dev\nc,train\nd,val\ne,fold-9\n")
    splits = split_by_column(open_source(file, header=True))
    found = {name: [record.columns["text"] for record in split] for name, split in splits.items()}
    assert found == {"train": ["a", "c"], "valid": ["b", "d"], "fold-9": ["e"]}
    with pytest.raises(DataError, match=r"a.csv:2: no column 'part' to split by; there are: text, split"):
        split_by_column(open_source(file, header=True), "part")


def test_names_say_the_split(write, tmp_path):
    names = {
        "train": ["en_ewt-ud-train.conllu.gz", "train", "wnut17train.conll", "train.de"],
        "valid": ["emerging.dev.conll", "val.tsv", "valid.txt", "x_validation.csv"],
        "test": ["test_2016_flickr.en.gz"],
    }
    paths = [Path(name) for names in names.values() for name in names]
    others = [Path(name) for name in ("latest.txt", "SOURCE.md", "devices.csv", "trainer.txt")]
    assert find_splits(paths + others) == {name: [Path(file) for file in files] for name, files in names.items()}
    write("train.tsv", "a")
    assert find_splits(tmp_path) == {"train": [tmp_path / "train.tsv"]}
    with pytest.raises(DataError, match="the name says test and train"):
        find_splits([Path("train-test.tsv")])


def test_languages_pick_their_files():
    files = [Path(name) for name in ("train.de.gz", "train.en.gz", "train.fr.gz")]
    assert by_language(files, "en", "fr") == {"source": files[1], "target": files[2]}
    with pytest.raises(DataError, match=r"0 files end in .zh; there are: train.de.gz, train.en.gz, train.fr.gz"):
        by_language(files, "en", "zh")


TEXT = [f"{'x' * (index * 7 % 13)}" for index in range(120)]


def lines(records):
    return [record.columns["text"] for record in records]


def characters(texts):
    return sum(len(text) + 1 for text in texts)


def test_splits_in_order_stand_one_behind_the_other_and_are_as_long_as_asked():
    splits = split_in_order(open_source(TEXT, task="generate", format="python"), SHARES)
    found = {name: lines(split) for name, split in splits.items()}
    assert list(found) == ["train", "valid", "test"]
    assert [text for split in found.values() for text in split] == TEXT
    for name, share in SHARES.items():
        assert abs(characters(found[name]) - share * characters(TEXT)) <= 13, name


def test_shares_in_order_are_of_the_text_and_not_of_its_lines():
    texts = ["a" * 79] * 10 + ["b"] * 100  # 800 characters of 1000 in a tenth of the lines
    splits = split_in_order(open_source(texts, task="generate", format="python"), {"train": 0.8, "valid": 0.2})
    assert lines(splits["train"]) == texts[:10]
    assert lines(splits["valid"]) == texts[10:]


@given(st.lists(st.text("ab", max_size=5), min_size=1, max_size=20), st.floats(0, 1))
def test_every_record_is_in_one_split_whatever_the_shares(attempt, texts, share):
    splits = split_in_order(open_source(texts, task="generate", format="python"), {"train": share, "valid": 1 - share})
    read = [attempt(split) for split in splits.values()]
    assert [record.columns["text"] for records, _ in read for record in records] == texts
    assert all(error is None or "the split is empty: no record falls into" in str(error) for _, error in read)


def test_a_text_in_order_is_read_when_it_is_needed(write):
    file = write("a.txt", "a\nb\n")
    splits = split_in_order(open_source(file, task="generate"), {"train": 0.5, "valid": 0.5})
    file.write_text("one\ntwo\n")
    assert [lines(split) for split in splits.values()] == [["one"], ["two"]]


def test_shares_in_order_that_do_not_add_up_are_an_error():
    with pytest.raises(DataError, match=r"the shares do not add up to 1: train 0.9, valid 0.2"):
        split_in_order(source_of(3), {"train": 0.9, "valid": 0.2})


ROWS = "".join(f"{index % 2}\ttext {index}\n" for index in range(100))


def texts(records):
    return [record.columns["text"] for record in records]


def test_splits_without_files_are_cut_from_the_training_data(write):
    file = str(write("a.tsv", ROWS))
    splits = open_data(DataConfig(train=file, valid_share=0.2, test_share=0.2, seed=3), "classify")
    assert list(splits) == ["train", "valid", "test"]
    found = [text for split in splits.values() for text in texts(split)]
    assert len(found) == len(set(found)) == 100
    assert list(open_data(DataConfig(train=file, valid_share=0), "classify")) == ["train"]


def test_a_split_with_a_path_of_its_own_is_that(write):
    train, valid = write("a.tsv", ROWS), write("b.tsv", "0\tmine\n")
    splits = open_data(DataConfig(train=str(train), valid=str(valid)), "classify")
    assert texts(splits["valid"]) == ["mine"]
    assert len(texts(splits["train"])) == 100
    splits = open_data(DataConfig(train=str(train), test=[str(valid)], valid_share=0.3), "classify")
    assert texts(splits["test"]) == ["mine"]
    assert len(texts(splits["train"])) + len(texts(splits["valid"])) == 100


def test_a_folder_of_splits_is_read_by_its_names(write, tmp_path):
    for name in ("train.tsv", "dev.tsv", "notes.md"):
        write(f"data/{name}", f"0\t{name}\n")
    splits = open_data(DataConfig(train=str(tmp_path / "data")), "classify")
    assert {name: texts(split) for name, split in splits.items()} == {"train": ["train.tsv"], "valid": ["dev.tsv"]}


def test_a_folder_of_splits_and_labels_is_read_as_imdb_ships(write, tmp_path):
    for name in ("train/pos/1.txt", "train/neg/1.txt", "test/pos/1.txt", "README"):
        write(f"imdb/{name}", name)
    splits = open_data(DataConfig(train=str(tmp_path / "imdb"), valid_share=0), "classify")
    assert texts(splits["train"]) == ["train/neg/1.txt", "train/pos/1.txt"]
    assert texts(splits["test"]) == ["test/pos/1.txt"]


def test_languages_choose_among_parallel_files(write, tmp_path):
    for name in ("train.en", "train.de", "train.fr", "val.en", "val.de", "val.fr"):
        write(f"data/{name}", name)
    config = DataConfig(train=str(tmp_path / "data"), source_language="de", target_language="en")
    splits = open_data(config, "translate")
    assert [record.columns for record in splits["train"]] == [{"source": "train.de", "target": "train.en"}]
    assert [record.columns for record in splits["valid"]] == [{"source": "val.de", "target": "val.en"}]


def test_a_column_of_the_settings_says_the_split(write):
    file = write("a.csv", "text,label,fold\na,0,train\nb,1,dev\n")
    splits = open_data(DataConfig(train=str(file), split_column="fold"), "classify")
    assert {name: texts(split) for name, split in splits.items()} == {"train": ["a"], "valid": ["b"]}


def test_the_policy_of_the_settings_is_used(write):
    file = write("a.tsv", ROWS.encode() + b"\xff\n")
    with pytest.raises(DataError, match=r"a.tsv:101: invalid UTF-8"):
        texts(open_data(DataConfig(train=str(file)), "classify")["train"])
    split = open_data(DataConfig(train=str(file), on_bad="skip"), "classify")["train"]
    texts(split)
    assert split.report.counts == {"invalid UTF-8": 1}


def test_no_data_is_an_error():
    with pytest.raises(DataError, match=r"no data was given\n    -> name it in data.train"):
        open_data(DataConfig())


@pytest.mark.parametrize("stratify", [True, False])
def test_a_fraction_of_the_training_data_leaves_the_other_splits_as_they_are(write, stratify):
    file = write("a.tsv", "".join(f"{'rare' if index % 50 == 7 else 'often'}\tt{index}\n" for index in range(600)))
    outcomes = Outcomes(lambda record: [str(record.columns["label"])], strata=True)

    def opened(fraction):
        config = DataConfig(train=str(file), valid_share=0.2, fraction=fraction, seed=4, stratify=stratify)
        return {name: list(part) for name, part in open_data(config, "classify", outcomes).items()}

    whole, tenth = opened(1.0), opened(0.1)
    texts = {name: [record.columns["text"] for record in part] for name, part in whole.items()}
    assert [record.columns["text"] for record in tenth["valid"]] == texts["valid"]
    chosen = [record.columns["text"] for record in tenth["train"]]
    assert set(chosen) <= set(texts["train"])
    assert abs(len(chosen) - 0.1 * len(texts["train"])) <= (1 if stratify else 20)
    if stratify:
        assert sum(record.columns["label"] == "rare" for record in tenth["train"]) in (1, 2)
