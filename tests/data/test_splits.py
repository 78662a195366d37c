"""Parts of the data."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.source import open_source
from seqloom.data.splits import by_column, by_language, cut, cut_in_order, find_splits, part_of
from seqloom.errors import DataError

SHARES = {"train": 0.7, "valid": 0.2, "test": 0.1}


def numbers(records):
    return [record.columns["1"] for record in records]


def source_of(count):
    return open_source([(index, index % 7) for index in range(count)])


def test_the_parts_are_disjoint_complete_and_about_as_large_as_asked():
    parts = cut(source_of(3000), SHARES, seed=1)
    found = {name: numbers(part) for name, part in parts.items()}
    assert sorted(number for part in found.values() for number in part) == list(range(3000))
    for name, share in SHARES.items():
        assert abs(len(found[name]) / 3000 - share) < 0.03


def test_the_same_seed_cuts_the_same_and_another_does_not():
    first, again, other = (numbers(cut(source_of(100), SHARES, seed)["train"]) for seed in (1, 1, 2))
    assert first == again != other


def test_the_cut_is_the_same_on_every_machine():
    parts = [part_of(index, SHARES, seed=7) for index in range(12)]
    assert " ".join(name[:2] for name in parts) == "va tr tr tr tr tr tr va va tr tr tr"


def test_a_record_keeps_its_part_when_more_follow():
    small, large = (set(numbers(cut(source_of(count), SHARES)["valid"])) for count in (50, 100))
    assert small == {number for number in large if number < 50}


def test_equal_values_land_in_one_part():
    parts = cut(source_of(500), {"train": 0.5, "valid": 0.5}, by="2")
    train, valid = ({record.columns["2"] for record in part} for part in parts.values())
    assert train | valid == set(range(7))
    assert not train & valid


def test_shares_that_do_not_add_up_are_an_error():
    with pytest.raises(DataError, match=r"the shares do not add up to 1: train 0.9, valid 0.2"):
        cut(source_of(3), {"train": 0.9, "valid": 0.2})


def test_a_part_without_records_is_an_error():
    with pytest.raises(DataError, match="no record falls into the part 'valid'"):
        list(cut(source_of(2), {"train": 0.999, "valid": 0.001})["valid"])


def test_a_part_has_the_report_of_its_source(write):
    part = cut(open_source(write("a.txt", b"a\n\xff\n"), on_bad="skip"), {"train": 1.0})["train"]
    assert len(list(part)) == 1
    assert part.report.counts == {"invalid UTF-8": 1}


def test_a_column_says_the_part(write):
    file = write("a.csv", "text,split\na,train\nb,Dev\nc,train\nd,val\ne,fold-9\n")
    parts = by_column(open_source(file, header=True))
    found = {name: [record.columns["text"] for record in part] for name, part in parts.items()}
    assert found == {"train": ["a", "c"], "valid": ["b", "d"], "fold-9": ["e"]}
    with pytest.raises(DataError, match=r"a.csv:2: no column 'part' to split by; there are: text, split"):
        by_column(open_source(file, header=True), "part")


def test_names_say_the_part(write, tmp_path):
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


def test_parts_in_order_stand_one_behind_the_other_and_are_as_long_as_asked():
    parts = cut_in_order(open_source(TEXT, task="generate", format="python"), SHARES)
    found = {name: lines(part) for name, part in parts.items()}
    assert list(found) == ["train", "valid", "test"]
    assert [text for part in found.values() for text in part] == TEXT
    for name, share in SHARES.items():
        assert abs(characters(found[name]) - share * characters(TEXT)) <= 13, name


def test_shares_in_order_are_of_the_text_and_not_of_its_lines():
    texts = ["a" * 79] * 10 + ["b"] * 100  # 800 characters of 1000 in a tenth of the lines
    parts = cut_in_order(open_source(texts, task="generate", format="python"), {"train": 0.8, "valid": 0.2})
    assert lines(parts["train"]) == texts[:10]
    assert lines(parts["valid"]) == texts[10:]


@given(st.lists(st.text("ab", max_size=5), min_size=1, max_size=20), st.floats(0, 1))
def test_every_record_is_in_one_part_whatever_the_shares(attempt, texts, share):
    parts = cut_in_order(open_source(texts, task="generate", format="python"), {"train": share, "valid": 1 - share})
    read = [attempt(part) for part in parts.values()]
    assert [record.columns["text"] for records, _ in read for record in records] == texts
    assert all(error is None or "no record falls into the part" in str(error) for _, error in read)


def test_a_text_in_order_is_read_when_it_is_needed(write):
    file = write("a.txt", "a\nb\n")
    parts = cut_in_order(open_source(file, task="generate"), {"train": 0.5, "valid": 0.5})
    file.write_text("one\ntwo\n")
    assert [lines(part) for part in parts.values()] == [["one"], ["two"]]


def test_shares_in_order_that_do_not_add_up_are_an_error():
    with pytest.raises(DataError, match=r"the shares do not add up to 1: train 0.9, valid 0.2"):
        cut_in_order(source_of(3), {"train": 0.9, "valid": 0.2})
