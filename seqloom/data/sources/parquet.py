"""Parquet: a table in columns, read one batch of rows at a time. Needs the optional package pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.line_reader import open_bytes
from seqloom.data.record import Place, Record
from seqloom.data.typed_values import NAME_COLUMNS, as_columns
from seqloom.errors import DataError
from seqloom.extras import require

MAGIC = b"PAR1"
ROWS = 1024
"""Rows held at a time."""
FILES = 32
"""The same where rows hold files."""


def read_parquet(file: Path, policy: Policy | None = None, asked: Collection[str] | None = None) -> Iterator[Record]:
    """The columns of the file; only those `asked` for need a type that can be used, by default all."""
    require("pyarrow.parquet", "parquet", f"{file}: Parquet")
    arrow = require("pyarrow", "parquet", "Parquet")
    policy = policy or Policy()
    number = 0
    for names, columns in batches(arrow, file, asked):
        for values in zip(*columns):
            number += 1
            found = as_columns(dict(zip(names, values)), asked)
            if isinstance(found, Problem):
                policy.bad(Place(str(file), number), found)
            else:
                yield Record(found, Place(str(file), number))
    if number == 0:
        policy.bad(Place(str(file)), Problem("empty file", "no rows", "check how it was made"))


DAMAGE = (OSError, ValueError, TypeError, LookupError, ArithmeticError, RuntimeError, MemoryError)
"""What the library raises for a file whose bytes are not those that were written, besides its own errors."""


def batches(arrow: Any, file: Path, asked: Collection[str] | None) -> Iterator[tuple[list[str], list[list[Any]]]]:
    """The names of the columns, and their values for some rows at a time."""
    with open_bytes(file):  # what is no file at all is said in the same words as everywhere
        pass
    try:
        with arrow.parquet.ParquetFile(file) as table:
            names = usable_names(arrow, table.schema_arrow, file, asked)
            held = FILES if any(map(holds_files(arrow.types), table.schema_arrow)) else ROWS
            for batch in table.iter_batches(held, columns=names, use_threads=False):
                yield list(batch.schema.names), [pylist(column) for column in batch.columns]
    except (arrow.ArrowException, *DAMAGE) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"is no sound Parquet: {reason}", where=str(file), remedy="make or copy it again") from None


def usable_names(arrow: Any, schema: Any, file: Path, asked: Collection[str] | None) -> list[str]:
    """Columns of text, numbers, lists of them, or files; another type is an error if the column was asked for."""
    names = []
    for field in schema:
        if is_usable(arrow.types, field.type):
            names.append(field.name)
        elif asked is None or field.name in asked:
            what = f"nested value: column {field.name!r} is of type {field.type}"
            raise DataError(what, where=str(file), remedy=NAME_COLUMNS)
    return names


def holds_files(types: Any) -> Callable[[Any], bool]:
    return lambda field: types.is_binary(field.type) or types.is_large_binary(field.type) or types.is_struct(field.type)


def is_usable(types: Any, kind: Any) -> bool:
    if types.is_dictionary(kind):
        return is_usable(types, kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return is_usable(types, kind.value_type)
    if types.is_struct(kind):  # a picture, as Hugging Face's datasets hold it
        return {field.name for field in kind} == {"bytes", "path"}
    checks = (types.is_string, types.is_large_string, types.is_integer, types.is_floating, types.is_boolean)
    if types.is_binary(kind) or types.is_large_binary(kind):
        return True
    return types.is_null(kind) or any(check(kind) for check in checks)


def pylist(column: Any) -> list[Any]:
    """The values of a column; a text that is no UTF-8 is a problem of its own row."""
    try:
        return list(column.to_pylist())
    except UnicodeDecodeError:
        return [one(scalar) for scalar in column]


def one(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except UnicodeDecodeError as error:
        return Problem("invalid UTF-8", f"byte {error.start + 1} of the text", "write the file with UTF-8 in it")
