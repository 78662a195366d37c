"""Rows that are handed in from Python: lists, data frames, Arrow tables, Hugging Face datasets, generators.

They are taken into memory once, and known by the hash of their contents: settings call them `python:HASH`, so that the
same rows find their prepared corpus again, and a run goes on only with the rows that it was begun with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from glob import has_magic
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from pydantic_core import CoreSchema, core_schema

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.line_reader import expanded
from seqloom.data.record import Place, Record
from seqloom.data.sources.folders import SPLITS
from seqloom.data.sources.items import read_items
from seqloom.data.typed_values import as_value
from seqloom.errors import DataError, quoted

SCHEME = "python:"
MOST_ROWS = 10_000_000
"""Rows that are taken into memory; an iterator may have no end."""
LONGEST_PATH = 1_000
"""Characters; what is longer is a text."""


class RowPlace(Place):
    """A row that was handed in, by its index from 0.

    >>> str(RowPlace("data", 17))
    'row 17 of data'
    """

    __slots__ = ()

    def __str__(self) -> str:
        return f"row {self.line} of {self.file}"


class InMemoryData:
    """Rows in memory, as settings and sources hold them; `name` is what messages call them.

    >>> rows = InMemoryData([("pos", "a fine film"), ("neg", "a dull one")])
    >>> len(rows), InMemoryData(rows.rows) == rows
    (2, True)
    """

    def __init__(self, given: Any, name: str = "data") -> None:
        self.name = name
        self.rows = rows_of(given, name)
        self.identity = SCHEME + content_hash(self.rows)

    def read(self, policy: Policy, asked: set[str] | None = None) -> Iterator[Record]:
        """Every row as a record with its place."""
        return read_items(self.rows, policy, asked, lambda index: RowPlace(self.name, index))

    def __len__(self) -> int:
        return len(self.rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InMemoryData) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        return f"InMemoryData({self.name}: {len(self.rows):,} rows)"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        """A setting may be rows; written down, it is their identity."""
        written = core_schema.plain_serializer_function_ser_schema(lambda rows: rows.identity)
        return core_schema.is_instance_schema(cls, serialization=written)


def is_in_memory(where: object) -> bool:
    """Whether a setting names rows that were handed in once, and are not here any more."""
    return isinstance(where, str | Path) and str(where).startswith(SCHEME)


def is_path(given: object) -> bool:
    """Whether this names files: a path, a list of paths, files by role or by label."""
    if isinstance(given, Mapping):
        return all(isinstance(path, str | Path) for path in given.values())
    if isinstance(given, list | tuple):
        return all(isinstance(path, str | Path) for path in given)
    return isinstance(given, str | Path)


def check_paths(paths: Iterable[str | Path], name: str) -> None:
    """Refuse texts where paths stand: strings in a list name files."""
    for path in map(str, paths):
        if len(path) > LONGEST_PATH or "\n" in path or (path.count(" ") > 1 and not may_be_there(path)):
            remedy = 'check the path, or give texts as rows: [{"text": text} for text in texts]'
            raise DataError(f"{quoted(path)} is not a file", where=name, remedy=remedy)


def may_be_there(path: str) -> bool:
    """Whether there is such a file or folder, or this is a pattern."""
    try:
        return has_magic(path) or expanded(path).exists()
    except OSError:  # a name that is too long
        return False


def as_data(given: Any, name: str = "data") -> Any:
    """Paths as the texts that settings hold; anything else as rows in memory."""
    if given is None or isinstance(given, InMemoryData):
        return given
    if not is_path(given):
        return InMemoryData(given, name)
    check_paths(
        given.values() if isinstance(given, Mapping) else [given] if isinstance(given, str | Path) else given, name
    )
    if isinstance(given, Mapping):
        return {str(key): str(path) for key, path in given.items()}
    return [str(path) for path in given] if isinstance(given, list | tuple) else str(given)


def as_several(given: Any) -> list[Any] | tuple[Any, ...] | None:
    """What holds several inputs, as a list of them: a list, a column of a table, an array of texts, an iterator.

    >>> as_several(np.array(["a fine film", "a dull one"])), as_several("a fine film")
    (['a fine film', 'a dull one'], None)
    """
    if isinstance(given, list | tuple):
        return given
    of_texts = isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "OUT"
    column = any(hasattr(given, method) for method in ("to_list", "to_pylist")) and not hasattr(given, "columns")
    return values_of(given) if of_texts or column else list(given) if isinstance(given, Iterator) else None


def by_split(given: Any) -> Mapping[str, Any] | None:
    """Data that says itself what is train, valid and test, as a DatasetDict does; None for any other.

    >>> by_split({"train": [("pos", "fine")], "validation": [("neg", "dull")]})
    {'train': [('pos', 'fine')], 'valid': [('neg', 'dull')]}
    """
    if not isinstance(given, Mapping) or "train" not in given or not all(str(name) in SPLITS for name in given):
        return None
    return {SPLITS[name]: rows for name, rows in given.items()}


# --- rows ---------------------------------------------------------------------------------------------


def rows_of(given: Any, name: str = "data") -> list[Any]:
    """Whatever holds rows as a list of them: texts, tuples, dicts, arrays."""
    table = columns_of_table(given)
    if table is not None:
        sizes = {column: len(values) for column, values in table.items()}
        if len(set(sizes.values())) > 1:
            said = ", ".join(f"{column} {size:,}" for column, size in list(sizes.items())[:10])
            raise DataError(f"columns of unequal length: {said}", where=name, remedy="give each row a value or None")
        found: list[Any] = [dict(zip(table, row)) for row in zip(*table.values())]
    elif isinstance(given, str | bytes | Mapping) or not (isinstance(given, Iterable) or callable(given)):
        remedy = "give a list of pairs or dicts, a data frame, an Arrow table, a dataset, or a path"
        raise DataError(f"{quoted(given)} is not a collection of rows", where=name, remedy=remedy)
    else:
        found = [as_row(row) for row in islice(given() if callable(given) else given, MOST_ROWS + 1)]
    if len(found) > MOST_ROWS:
        what = f"more than {MOST_ROWS:,} rows, which is too much for memory"
        raise DataError(what, where=name, remedy="write them to a file, as JSON lines or Parquet, and give its path")
    if not found:
        raise DataError("there are no rows", where=name, remedy="check what was given")
    return found


def as_row(row: Any) -> Any:
    """A row as a dict, a tuple, an array of numbers or a text.

    >>> as_row(["pos", "a fine film"])
    ('pos', 'a fine film')
    """
    if hasattr(row, "_asdict"):  # a named tuple
        return row._asdict()
    if is_dataclass(row) and not isinstance(row, type):
        return {field.name: getattr(row, field.name) for field in fields(row)}
    if isinstance(row, np.ndarray) and row.dtype.kind in "OU":
        row = row.tolist()
    return tuple(row) if isinstance(row, list) else row


def columns_of_table(given: Any) -> dict[str, list[Any]] | None:
    """The columns of a data frame, an Arrow table, a dataset or a dict of lists; None if it is none of them."""
    if isinstance(given, Mapping):
        lists = given and not any(isinstance(values, str | Path | Mapping) for values in given.values())
        return {str(name): values_of(values) for name, values in given.items()} if lists else None
    names = getattr(given, "column_names", None)
    if names is None:
        names = getattr(given, "columns", None)
    if names is None or callable(names) or not (hasattr(given, "__len__") and hasattr(given, "__getitem__")):
        return None
    labels = label_names(getattr(given, "features", None))
    found: dict[str, list[Any]] = {}
    for name, count in Counter(map(str, names)).items():
        if count > 1:
            raise DataError(f"two columns are called {quoted(name)}", remedy="give each its own name")
    for name in names:
        values = values_of(given[name])
        found[str(name)] = [labels[name](value) for value in values] if name in labels else values
    return found


def values_of(column: Any) -> list[Any]:
    """The values of a column as Python's own; None where one is missing."""
    for method in ("to_pylist", "to_list", "tolist"):  # Arrow; polars and pandas; NumPy
        if hasattr(column, method):
            values = list(getattr(column, method)())
            break
    else:
        values = list(column)
    if hasattr(column, "isna"):  # pandas has NaN, NA and NaT for it
        return [None if gone else value for value, gone in zip(values, column.isna().tolist())]
    return values


def label_names(features: Any) -> dict[str, Callable[[Any], Any]]:
    """For each column of a Hugging Face dataset that holds numbers of labels, or lists of them: their names."""
    found: dict[str, Callable[[Any], Any]] = {}
    for column, feature in features.items() if isinstance(features, Mapping) else ():
        inner = getattr(feature, "feature", feature)
        names = getattr(inner, "names", None)
        if isinstance(names, Sequence):
            found[column] = name_of(names)
    return found


def name_of(names: Sequence[str]) -> Callable[[Any], Any]:
    def find(value: Any) -> Any:
        if isinstance(value, list | tuple | np.ndarray):
            return [find(one) for one in value]
        known = isinstance(value, int | np.integer) and 0 <= value < len(names)
        return names[value] if known else None  # -1: a test set without labels

    return find


# --- identity -----------------------------------------------------------------------------------------


def content_hash(rows: Sequence[Any]) -> str:
    """Changes with every value, name and place of a value, and with nothing else."""
    content = sha256()
    for row in rows:
        if isinstance(row, Mapping):
            values = [part for name, value in row.items() for part in (str(name), value)]
        else:
            values = list(row) if isinstance(row, tuple) else [row]
        for value in values:
            written = as_bytes(value)
            content.update(b"%d:" % len(written))
            content.update(written)
        content.update(b"\n")
    return content.hexdigest()[:32]


def as_bytes(value: Any) -> bytes:
    """What a value is made of: the same for a number of NumPy and one of Python."""
    usable = as_value(value)
    if isinstance(usable, np.ndarray):
        return f"{usable.shape}".encode() + usable.tobytes()
    if isinstance(usable, str):
        return usable.encode()
    return repr(value if isinstance(usable, Problem) else usable).encode(errors="surrogatepass")
