"""What is kept of a file of vectors: the words that are wanted, once each, in one growing array."""

from __future__ import annotations

from array import array
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from seqloom.errors import DataError
from seqloom.vectors.word_vectors import WordVectors

WIDEST = 100_000
"""Numbers in a row at most: a file that promises more is damaged, and is not believed."""
LONGEST_LINE = 4_000_000
"""Bytes of a line at most: room for the widest row."""
LONGEST_WORD = 10_000
"""Bytes of a word at most."""
AGAIN = "copy or download the file again; was it cut off, or is it of another kind?"


class VectorRow(NamedTuple):
    """One row of a file; of one that is not wanted, only that it is there."""

    where: str  # file and line, or file and byte
    word: bytes
    numbers: NDArray[np.float32] | None


class KeptVectors:
    """The rows so far."""

    def __init__(self, path: Path, asked: Collection[bytes] | None) -> None:
        self.path, self.asked = path, asked
        self.words: dict[str, None] = {}
        self.numbers = array("f")
        self.duplicates = 0

    def add(self, row: VectorRow) -> None:
        if row.numbers is None:
            return
        if not np.isfinite(row.numbers).all():
            raise DataError("a number is not finite", where=row.where, remedy="fix or remove that row")
        word = spelled(row)
        if word in self.words:
            self.duplicates += 1
            return
        self.words[word] = None
        self.numbers.frombytes(row.numbers.tobytes())

    def vectors(self) -> WordVectors:
        if not self.words:
            remedy = "check the words and their case, or raise the limit"
            what = "has no vectors" if self.asked is None else "none of the requested words was found"
            raise DataError(what, where=str(self.path), remedy=remedy)
        matrix = torch.frombuffer(self.numbers, dtype=torch.float32).view(len(self.words), -1)
        return WordVectors(tuple(self.words), matrix)


def spelled(row: VectorRow) -> str:
    if b"\0" in row.word:
        raise DataError("a NUL byte in a word", where=row.where, remedy=AGAIN)
    try:
        return row.word.decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"a word is not UTF-8: byte {error.start + 1} of {row.word[:40]!r}"
        raise DataError(what, where=row.where, remedy="save the file as UTF-8, or leave out that row") from None


def wrong_count(where: str, promised: int, found: int) -> DataError:
    """The header lies about the rows."""
    more = "more rows" if found > promised else f"{found:,}"
    return DataError(f"the header promises {promised:,} rows, the file has {more}", where=where, remedy=AGAIN)
