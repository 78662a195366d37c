"""The cut that keeps labels as frequent in every split, and everything that occurs in training."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.record import Record
from seqloom.data.settings import DataConfig
from seqloom.data.source import open_source
from seqloom.data.splits import open_data, stratified_split
from seqloom.data.stratification import Outcomes
from seqloom.errors import DataError

LABEL = Outcomes(lambda record: [str(record.columns["label"])], strata=True)
SHARES = {"train": 0.7, "valid": 0.2, "test": 0.1}


def tags_of(record: Record) -> list[str]:
    found = record.columns["tags"]
    assert isinstance(found, list)
    return found


def labelled(counts):
    return [(label, f"{label} {number}") for label, count in counts.items() for number in range(count)]


def split_texts(rows, shares=SHARES, outcomes=LABEL, **options):
    splits = stratified_split(open_source(rows, task="classify"), shares, outcomes=outcomes, **options)
    return {name: [record.columns["text"] for record in split] for name, split in splits.items()}


def test_each_label_is_as_frequent_in_every_split():
    rows = labelled({"a": 600, "b": 300, "c": 100})
    found = split_texts(rows)
    assert sorted(text for split in found.values() for text in split) == sorted(text for _, text in rows)
    assert {name: len(texts) for name, texts in found.items()} == {"train": 700, "valid": 200, "test": 100}
    for name, share in SHARES.items():
        counts = Counter(text[0] for text in found[name])
        for label, count in {"a": 600, "b": 300, "c": 100}.items():
            assert abs(counts[label] - share * count) <= 2, (name, label)


def test_a_label_that_occurs_once_stays_in_training():
    rows = labelled({"common": 40, **{f"rare{number}": 1 for number in range(20)}})
    found = split_texts(rows, {"train": 0.5, "valid": 0.5})
    assert {f"rare{number} 0" for number in range(20)} <= {*found["train"]}
    assert len(found["valid"]) == 30


@given(st.lists(st.integers(0, 8), min_size=1, max_size=60), st.floats(0.05, 0.95), st.integers(0, 5))
def test_no_label_is_missing_in_training(labels, share, seed):
    rows = [(str(label), f"{label} {number}") for number, label in enumerate(labels)]
    source = open_source(rows, task="classify")
    train = stratified_split(source, {"train": 1 - share, "valid": share}, seed, None, LABEL)["train"]
    assert {record.columns["label"] for record in train} == {str(label) for label in labels}


def test_no_tag_is_missing_in_training_and_groups_stay_together():
    rows = [{"tokens": "a b", "tags": f"X Y{number // 4}", "part": number // 2} for number in range(40)]
    source = open_source(rows, task="tag")
    train, valid = stratified_split(source, {"train": 0.5, "valid": 0.5}, 0, "part", Outcomes(tags_of)).values()
    assert {tag for record in train for tag in tags_of(record)} == {"X", *(f"Y{n}" for n in range(10))}
    assert not {record.columns["part"] for record in train} & {record.columns["part"] for record in valid}
    assert len(list(valid)) == 20


def test_words_of_answers_stay_unless_most_answers_have_one_of_their_own():
    words = Outcomes(lambda record: str(record.columns["text"]), lambda record: str(record.columns["text"]).split())
    usual = [("x", "one two"), ("x", "two one")] * 30 + [("x", "two three"), ("x", "one four")]
    assert {"two three", "one four"} <= {*split_texts(usual, {"train": 0.5, "valid": 0.5}, words)["train"]}
    unique = [("x", f"{number:04b}") for number in range(16)]
    assert len(split_texts(unique, {"train": 0.5, "valid": 0.5}, words)["valid"]) == 8


def test_the_same_seed_cuts_the_same_on_every_machine_and_another_does_not():
    rows = labelled({"a": 12, "b": 8})
    first, again, other = (split_texts(rows, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert first["valid"] == ["a 1", "a 9", "b 3", "b 4"]


def test_ten_records_have_one_for_validation():
    for seed in range(20):
        found = split_texts(labelled({"a": 5, "b": 5}), {"train": 0.9, "valid": 0.1}, seed=seed)
        assert len(found["valid"]) == 1


def test_what_cannot_be_cut_says_why():
    with pytest.raises(DataError) as caught:
        split_texts(labelled({"a": 1, "b": 1}), {"train": 0.5, "valid": 0.5})
    assert str(caught.value) == (
        "<python>: the split is empty: no record falls into 'valid'\n"
        "    -> every record is needed for training, as each has values of its own: give more data, or data.valid"
    )


def test_a_setting_goes_back_to_each_record_by_itself_and_older_runs_do(tmp_path):
    file = tmp_path / "a.tsv"
    file.write_text("".join(f"{label}\t{text}\n" for label, text in labelled({"a": 50, "b": 50})))
    cut = {}
    for stratify in (True, False):
        splits = open_data(DataConfig(train=str(file), stratify=stratify), "classify", LABEL)
        cut[stratify] = [record.columns["text"] for record in splits["valid"]]
    assert cut[True] != cut[False]
    assert len(cut[True]) == 10
    assert not DataConfig.model_validate({}, context={"saved": True}).stratify
    assert DataConfig.model_validate({"stratify": True}, context={"saved": True}).stratify
