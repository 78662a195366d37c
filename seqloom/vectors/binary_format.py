"""word2vec's binary format: in each row the word, a space, D float32 (little endian), by custom a line end."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from seqloom.errors import DataError
from seqloom.vectors.vector_rows import AGAIN, LONGEST_WORD, VectorRow, wrong_count

PIECE = 1 << 20


def binary_rows(
    stream: BinaryIO, path: Path, start: int, size: tuple[int, int], asked: Collection[bytes] | None
) -> Iterator[VectorRow]:
    """The rows behind a header of `start` bytes; places are bytes of the file (unpacked), from 0."""
    count, width = size
    held, at, before = b"", 0, start  # what was read and not yet used begins at `at`; `before` it, bytes of the file

    def hold(least: int) -> bool:
        """Have so many bytes at hand, if the file has them."""
        nonlocal held, at, before
        while len(held) - at < least:
            piece = stream.read(max(PIECE, least))
            if not piece:
                return False
            held, at, before = held[at:] + piece, 0, before + at
        return True

    for number in range(count):
        hold(LONGEST_WORD + 2)
        at += held[at : at + 1] == b"\n"
        where = f"{path}: byte {before + at}"
        if at == len(held):
            raise wrong_count(where, count, number)
        end = held.find(b" ", at, at + LONGEST_WORD + 1)
        if end <= at:
            what = "a row without a word" if end == at else "a word has no end"
            raise DataError(f"row {number + 1:,} of {count:,}: {what}", where=where, remedy=AGAIN)
        word = held[at:end]
        at = end + 1
        if not hold(4 * width):
            what = f"row {number + 1:,} of {count:,} ({word.decode('utf-8', 'replace')!r}) is cut off"
            raise DataError(what, where=where, remedy=AGAIN)
        numbers = np.frombuffer(held, "<f4", width, at) if asked is None or word in asked else None
        yield VectorRow(where, word, numbers)
        at += 4 * width
    hold(2)
    if held[at:].strip():
        raise wrong_count(f"{path}: byte {before + at}", count, count + 1)
