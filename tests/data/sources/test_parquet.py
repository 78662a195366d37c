"""Parquet, by way of pyarrow."""

import sys
import tracemalloc

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from seqloom.data.bad_records import Policy
from seqloom.data.record import Place
from seqloom.data.sources.parquet import read_parquet
from seqloom.errors import DataError, MissingExtra


@pytest.fixture
def table(tmp_path):
    def table(columns, **options):
        pq.write_table(pa.table(columns), tmp_path / "a.parquet", **options)
        return tmp_path / "a.parquet"

    return table


def test_rows_are_records_across_row_groups(table):
    file = table(
        {
            "text": pa.array(["a", "b\n", None]).dictionary_encode(),
            "label": [1, 0, 1],
            "tags": [["x"], [], ["y", "z"]],
        },
        row_group_size=2,
    )
    records = list(read_parquet(file))
    assert [record.columns for record in records] == [
        {"text": "a", "label": 1, "tags": ["x"]},
        {"text": "b\n", "label": 0, "tags": []},
        {"text": None, "label": 1, "tags": ["y", "z"]},
    ]
    assert [record.place for record in records] == [Place(str(file), line) for line in (1, 2, 3)]


def test_rows_of_numbers_are_frames(table):
    (record,) = read_parquet(table({"frames": pa.array([[[1.0, 2.0], [3.0, 4.0]]])}))
    assert isinstance(record.columns["frames"], np.ndarray)
    assert record.columns["frames"].tolist() == [[1, 2], [3, 4]]


def test_a_nested_column_is_refused_unless_it_was_not_asked_for(table):
    file = table({"text": ["a"], "meta": [{"id": 1}], "raw": [b"x"]})
    with pytest.raises(DataError, match=r"nested value: column 'meta' is of type struct<id: int64>"):
        list(read_parquet(file))
    assert [record.columns for record in read_parquet(file, asked=["text"])] == [{"text": "a", "raw": b"x"}]


def test_a_text_that_is_no_utf_8_is_a_problem_of_its_row(table):
    bad = pa.Array.from_buffers(pa.string(), 3, pa.array([b"a", b"\xff", b"c"]).buffers())
    file = table({"text": bad})
    with pytest.raises(DataError, match="invalid UTF-8: column 'text'") as caught:
        list(read_parquet(file))
    assert caught.value.where == f"{file}:2"
    policy = Policy("skip")
    assert [record.columns["text"] for record in read_parquet(file, policy)] == ["a", "c"]
    assert policy.report.counts == {"invalid UTF-8": 1}


def test_what_is_no_parquet_is_said_in_words(table, write, tmp_path):
    whole = table({"text": ["a"] * 100}).read_bytes()
    for name, content in [("a", b"PAR1"), ("b", whole[:-30]), ("c", b"words"), ("d", b"")]:
        with pytest.raises(DataError, match="is no sound Parquet"):
            list(read_parquet(write(name, content)))
    with pytest.raises(DataError, match="there is no such file"):
        list(read_parquet(tmp_path / "none.parquet"))
    with pytest.raises(DataError, match="is a folder"):
        list(read_parquet(tmp_path))
    with pytest.raises(DataError, match="empty file: no rows"):
        list(read_parquet(table({"text": pa.array([], pa.string())})))


def test_without_pyarrow_the_error_says_what_to_install(table, monkeypatch):
    file = table({"text": ["a"]})
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtra, match=r'Parquet needs pyarrow\n    -> pip install "seqloom\[parquet\]"'):
        list(read_parquet(file))


def test_a_large_file_is_read_batch_by_batch(table):
    file = table({"text": [f"{number:01000d}" for number in range(20_000)]}, row_group_size=500)
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_parquet(file))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 20_000
    assert peak < 6_000_000  # of 20
