"""Rows handed in from Python: every kind of table is the same records, known by their contents."""

from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from seqloom.data import in_memory
from seqloom.data.in_memory import InMemoryData, as_data, by_split
from seqloom.data.settings import DataConfig
from seqloom.data.source import open_source
from seqloom.data.splits import open_data
from seqloom.errors import DataError

PAIRS = [("pos", "a fine film"), ("neg", "a dull one"), ("pos", "moving")]
DICTS = [{"label": label, "text": text} for label, text in PAIRS]
COLUMNS = {"label": [label for label, _ in PAIRS], "text": [text for _, text in PAIRS]}


class ClassLabel:
    """As Hugging Face's: labels are numbers, their names stand beside them."""

    names = ("neg", "pos")


class FakeDataset:
    """A Hugging Face dataset as far as we read it: column names, columns by name, features."""

    column_names = ("label", "text")
    features = {"label": ClassLabel(), "text": object()}  # noqa: RUF012

    def __len__(self) -> int:
        return len(PAIRS)

    def __getitem__(self, name: str) -> list[Any]:
        return [("neg", "pos").index(label) for label in COLUMNS["label"]] if name == "label" else COLUMNS[name]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        raise AssertionError("columns are read, not rows")


Row = namedtuple("Row", "label text")
EVERY_KIND = {
    "dicts": lambda: DICTS,
    "lists": lambda: [list(pair) for pair in PAIRS],
    "named tuples": lambda: [Row(*pair) for pair in PAIRS],
    "generator": lambda: (pair for pair in PAIRS),
    "function": lambda: lambda: iter(PAIRS),
    "dict of lists": lambda: COLUMNS,
    "pandas": lambda: pd.DataFrame(COLUMNS, index=[7, 7, 3]),
    "pandas categories": lambda: pd.DataFrame(COLUMNS).astype({"label": "category"}),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "arrow": lambda: pa.table(COLUMNS),
    "numpy": lambda: np.array(PAIRS),
    "dataset": FakeDataset,
}


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_kind_of_rows_gives_the_same_records(kind):
    records = list(open_source(InMemoryData(EVERY_KIND[kind]()), task="classify"))
    assert [(record.columns["label"], record.columns["text"]) for record in records] == PAIRS
    assert [str(record.place) for record in records] == ["row 0 of data", "row 1 of data", "row 2 of data"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "dict of lists", "dataset"])
def test_the_identity_is_that_of_the_contents(kind):
    assert InMemoryData(EVERY_KIND[kind]()).identity == InMemoryData(DICTS).identity
    assert InMemoryData(DICTS[::-1]).identity != InMemoryData(DICTS).identity


def test_the_identity_sees_every_array_value():
    frames = np.zeros((2000, 3), np.float32)
    other = frames.copy()
    other[1000, 1] = 1
    assert InMemoryData([("a", frames)]).identity != InMemoryData([("a", other)]).identity


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_a_missing_value_of_pandas_is_a_missing_value(missing):
    frame = pd.DataFrame({"label": ["a", "b"], "text": pd.Series(["fine", missing], dtype=object)})
    with pytest.raises(DataError) as caught:
        list(open_source(InMemoryData(frame), task="classify"))
    assert (caught.value.where, caught.value.what) == ("row 1 of data", "no text")


def test_tags_of_a_dataset_get_their_names():
    class Tags(FakeDataset):
        column_names = ("tokens", "tags")
        features = {"tags": type("Sequence", (), {"feature": ClassLabel()})()}  # noqa: RUF012

        def __getitem__(self, name: str) -> list[Any]:
            return [["a", "b"]] if name == "tokens" else [[1, 0]]

    (record,) = open_source(InMemoryData(Tags()), task="tag")
    assert record.columns == {"tokens": ["a", "b"], "tags": ["pos", "neg"]}


def test_settings_hold_rows_and_write_down_their_hash():
    config = DataConfig(train=InMemoryData(DICTS), valid=InMemoryData(PAIRS, "valid"), valid_share=0)
    parts = open_data(config, "classify")
    assert [str(record.place) for record in parts["valid"]] == [f"row {index} of valid" for index in range(3)]
    assert config.model_dump(mode="json")["train"] == InMemoryData(DICTS).identity
    again = DataConfig.model_validate(config.model_dump(mode="json"))
    with pytest.raises(DataError, match="given from Python, and are not kept"):
        open_data(again, "classify")


def test_what_is_no_rows_says_what_is_needed():
    for given, what in [
        (3, "3 is not a collection of rows"),
        ([], "there are no rows"),
        ({"label": ["a"], "text": ["b", "c"]}, "columns of unequal length: label 1, text 2"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns are called 'a'"),
        ({"a": {"b": "c" * 10_000}}, "is not a collection of rows"),
    ]:
        with pytest.raises(DataError) as caught:
            InMemoryData(given)
        assert what in caught.value.what and len(str(caught.value)) < 500


def test_a_generator_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(in_memory, "MOST_ROWS", 100)
    with pytest.raises(DataError, match="more than 100 rows, which is too much for memory"):
        InMemoryData(iter(lambda: ("pos", "again"), None))


def test_paths_stay_paths():
    assert as_data("a.csv") == "a.csv"
    assert as_data(["a.csv", "b.csv"]) == ["a.csv", "b.csv"]
    assert as_data({"pos": "a.txt"}) == {"pos": "a.txt"}
    assert isinstance(as_data(PAIRS), InMemoryData)
    assert by_split({"train": "a", "test": "b", "validation": "c"}) == {"train": "a", "test": "b", "valid": "c"}
    assert by_split({"pos": "a", "train": "b"}) is None


def test_paths_and_patterns_with_spaces_are_no_texts(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "all my good data.csv").write_text("label,text\npos,fine\n")
    for path in ("~/all my good data.csv", str(tmp_path / "all my good data.csv"), "all my good *.csv"):
        assert as_data(path) == path
        assert as_data([path]) == [path]
