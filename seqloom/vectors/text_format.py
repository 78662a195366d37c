"""The text formats of word2vec and GloVe.

The numbers are the last D fields, so that a word may have spaces in it, as a few of GloVe's do. Fields are parted by
ASCII spaces or tabs: U+00A0 and U+0085 are letters of words there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from seqloom.errors import DataError
from seqloom.vectors.vector_rows import LONGEST_LINE, LONGEST_WORD, WIDEST, VectorRow, wrong_count

CONTROL = bytes(set(range(32)) - set(b"\t\n\x0b\x0c\r"))


def looks_like_text(sample: bytes) -> bool:
    """Whether the bytes after a header are text: a number after the first word, or nothing that no text has."""
    fields = sample.split(maxsplit=2)
    if len(fields) > 1 and is_number(fields[1]):
        return True
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return False
    return sample == sample.translate(None, CONTROL)


def is_number(field: bytes) -> bool:
    """Whether a field is a number; Python's own reading would take 1_0 for 10.

    >>> is_number(b"-0.25"), is_number(b"1e-3"), is_number(b"one"), is_number(b"1_0")
    (True, True, False, False)
    """
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field


def text_rows(
    stream: BinaryIO, path: Path, first: bytes, size: tuple[int, int] | None, asked: Collection[bytes] | None
) -> Iterator[VectorRow]:
    """The rows of a text; its first line is a header if there is a size, else a row."""
    starts = None if asked is None else {word.split(b" ")[0] for word in asked}
    width = size[1] if size else width_of(first, path)
    count, number = 0, 0
    for number, line in lines(stream, path, None if size else first):
        where = f"{path}:{number}"
        count += 1
        if size and count > size[0]:
            raise wrong_count(where, size[0], count)
        if starts is not None and line.partition(b" ")[0] not in starts:
            yield VectorRow(where, b"", None)
            continue
        row = parsed(line, where, width)
        yield row if asked is None or row.word in asked else VectorRow(where, b"", None)
    if size and count < size[0]:
        raise wrong_count(f"{path}:{max(number, 1)}", size[0], count)


def lines(stream: BinaryIO, path: Path, first: bytes | None) -> Iterator[tuple[int, bytes]]:
    """Lines and their numbers, tabs as spaces, without what stands at the end; only the last may be empty."""
    number, empty = 1, 0
    line = stream.readline(LONGEST_LINE) if first is None else first
    number += first is None
    while line:
        where = f"{path}:{number}"
        if len(line) == LONGEST_LINE and line[-1:] != b"\n":
            remedy = "a row is one line: check how the file was made"
            raise DataError(f"a line of over {LONGEST_LINE:,} bytes", where=where, remedy=remedy)
        line = line.replace(b"\t", b" ").rstrip(b" \r\n")
        if not line:
            empty = empty or number
        elif empty:
            raise DataError("an empty line between rows", where=f"{path}:{empty}", remedy="take it out")
        else:
            yield number, line
        line = stream.readline(LONGEST_LINE)
        number += 1


def width_of(first: bytes, path: Path) -> int:
    """How many numbers the first row has: all fields but its word."""
    width = len(first.replace(b"\t", b" ").rstrip(b" \r\n").split(b" ")) - 1
    if not 1 <= width <= WIDEST:
        what = "a word without numbers" if width < 1 else f"a row of {width:,} numbers"
        raise DataError(what, where=f"{path}:1", remedy="a line is a word and its numbers, separated by spaces")
    return width


def parsed(line: bytes, where: str, width: int) -> VectorRow:
    word, *fields = line.rsplit(b" ", width)
    if len(fields) < width:
        raise columns(where, width, len(fields))
    if extra := [field for field in word.split(b" ")[1:] if is_number(field)]:
        raise columns(where, width, width + len(extra))
    try:
        numbers = list(map(float, fields))
    except ValueError:
        numbers = []
    if not numbers or b"_" in line[len(word) :]:
        bad = next(field for field in fields if not is_number(field)).decode("utf-8", "replace")
        raise DataError(f"{bad[:40]!r} is not a number", where=where, remedy="fix or remove that row")
    if not word or len(word) > LONGEST_WORD:
        what = f"a word of {len(word):,} bytes" if word else "a row without a word"
        raise DataError(what, where=where, remedy="a line is a word and its numbers, separated by spaces")
    with np.errstate(over="ignore"):  # too large for float32 becomes infinite, which is refused
        return VectorRow(where, word, np.array(numbers, np.float32))


def columns(where: str, width: int, found: int) -> DataError:
    remedy = "fix or remove that row; was the file cut off?"
    return DataError(f"{found:,} numbers where {width:,} are due", where=where, remedy=remedy)
