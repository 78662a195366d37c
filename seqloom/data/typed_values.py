"""Values that come with a type, from JSON, Parquet or Python: which can be used, and as what."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from seqloom.data.bad_records import Problem
from seqloom.data.record import Value

NAME_COLUMNS = "name the columns to read with data.columns"


def as_columns(found: Mapping[str, Any], asked: Collection[str] | None = None) -> dict[str, Value] | Problem:
    """Every value that can be used. One that cannot be is a problem if its column was asked for; None asks for all."""
    columns: dict[str, Value] = {}
    for name, value in found.items():
        usable = as_value(value)
        if not isinstance(usable, Problem):
            columns[str(name)] = usable
        elif asked is None or name in asked:
            return usable._replace(detail=f"column {name!r}: {usable.detail}")
    return columns


def as_value(value: Any) -> Value | Problem:
    """A text, a number, a list of texts, numbers in a list or rows of them as an array, a picture as bytes or pixels.

    Anything else is a problem.

    >>> as_value({"a": 1}).what
    'nested value: a dict'
    """
    if value is None or isinstance(value, Problem):
        return value
    if isinstance(value, str):
        return as_text(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int | float):
        return value if is_finite(value) else Problem("not a finite number", str(value)[:20], "leave it out")
    if isinstance(value, bytes):
        return value
    if isinstance(value, Mapping) and isinstance(value.get("bytes"), bytes) and {*value} <= {"bytes", "path"}:
        return as_value(value["bytes"])  # a picture, as Hugging Face's datasets hold it
    if hasattr(value, "getbands"):  # a picture of Pillow
        value = np.asarray(value)
    if isinstance(value, np.ndarray):
        return value if value.dtype == np.uint8 and value.ndim == 3 else as_frames(value)
    if isinstance(value, list | tuple):
        return as_list(value)
    return Problem("nested value", f"a {type(value).__name__}", NAME_COLUMNS)


def as_text(text: str) -> str | Problem:
    """JSON and Python can write what no UTF-8 file holds."""
    if "\0" in text:
        return Problem("NUL byte", f"character {text.index(chr(0)) + 1} of the text", "take it out")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            at = f"half a surrogate pair, character {error.start + 1} of the text"
            return Problem("invalid UTF-8", at, "write whole characters")
    return text


def as_list(values: list[Any] | tuple[Any, ...]) -> Value | Problem:
    if all(isinstance(value, str) for value in values):
        return next((text for text in map(as_text, values) if isinstance(text, Problem)), list(values))
    try:
        numbers = np.asarray(values)
    except (ValueError, OverflowError):  # rows of unequal length; a number too large for any type
        return Problem("nested value", "rows of unequal length, or no numbers", NAME_COLUMNS)
    return as_frames(numbers)


def as_frames(numbers: np.ndarray[Any, Any]) -> Value | Problem:
    """Numbers as float32: of one or two axes, all finite."""
    if numbers.dtype.kind not in "fiub" or numbers.ndim not in (1, 2):
        return Problem("nested value", f"an array of {numbers.ndim} axes and type {numbers.dtype}", NAME_COLUMNS)
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is found below
        frames = numbers.astype(np.float32)
    if not np.isfinite(frames).all():
        return Problem("not a finite number", "NaN, infinite, or too large for float32", "leave it out")
    return frames


def is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer beyond every float
        return False
