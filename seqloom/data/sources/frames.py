"""Sequences of number vectors, frames of sound or of sensors: `.npy`, and CSV with a frame per line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.line_reader import open_bytes, read_blocks
from seqloom.data.record import Place, Record
from seqloom.data.typed_values import as_frames
from seqloom.errors import DataError

MAGIC = b"\x93NUMPY"
PIECE = 1 << 20
MOST_BYTES, MOST_CHARACTERS = 1 << 28, 1 << 25
"""Of one sequence, as an array and as text: it is in memory as a whole, and a packed file may hold any number."""
LARGEST = float(np.finfo(np.float32).max)


def read_npy(file: Path, policy: Policy | None = None) -> Iterator[Record]:
    """Column `frames`, float32 (T, D): the whole of an array of two axes, or each (T, D) of one of three.

    The header is matched, never evaluated, and nothing is unpickled; one sequence is in memory at a time.
    """
    policy = policy or Policy()
    with open_bytes(file) as stream:
        kind, by_column, shape = header(stream, file)
        if by_column:  # all of it is needed for the first sequence
            whole = np.frombuffer(exactly(stream, prod(shape) * kind.itemsize, file), kind)
            arrays = iter(whole.reshape(shape, order="F").reshape(-1, *shape[-2:]))
        else:
            size = shape[-2] * shape[-1] * kind.itemsize
            pieces = (exactly(stream, size, file) for _ in range(prod(shape[:-2])))
            arrays = (np.frombuffer(piece, kind).reshape(shape[-2:]) for piece in pieces)
        for number, array in enumerate(arrays, 1):
            frames = as_frames(array)
            if isinstance(frames, Problem):
                policy.bad(Place(str(file), number), frames)
            else:
                yield Record({"frames": frames}, Place(str(file), number))


def header(stream: BinaryIO, file: Path) -> tuple[np.dtype[Any], bool, tuple[int, ...]]:
    """Type, whether it is written column by column, shape."""
    start = stream.read(8)
    if start[:6] != MAGIC or len(start) < 8:
        raise DataError("is not a .npy file", where=str(file), remedy="write it with numpy.save")
    width = 2 if start[6] == 1 else 4
    text = stream.read(min(int.from_bytes(stream.read(width), "little"), PIECE)).decode("latin-1")
    kind = re.search(r"'descr': *'([<>|=]?(?:b1|[iu][1248]|f[248]))'", text)
    order = re.search(r"'fortran_order': *(True|False)", text)
    shape = re.search(r"'shape': *\(([\d, ]*)\)", text)
    sizes = tuple(map(int, re.findall(r"\d{1,15}", shape[1]))) if shape else ()
    if not (kind and order and len(sizes) in (2, 3) and all(sizes)):
        remedy = "give numbers in an array (time, width) or (sequences, time, width)"
        raise DataError(f"holds no frames: {text.strip()[:200]}", where=str(file), remedy=remedy)
    return np.dtype(kind[1]), order[1] == "True", sizes


def exactly(stream: BinaryIO, size: int, file: Path) -> bytearray:
    """So many bytes, taken piece by piece: a false header cannot ask for all of the memory."""
    if size > MOST_BYTES:
        what = f"a sequence of {size:,} bytes, over {MOST_BYTES:,}"
        raise DataError(what, where=str(file), remedy="cut it into shorter ones, and write rows one after the other")
    held = bytearray()
    while len(held) < size:
        piece = stream.read(min(PIECE, size - len(held)))
        if not piece:
            raise DataError("the file ends too early", where=str(file), remedy="it was cut off: copy it again")
        held += piece
    return held


def read_frames(file: Path, policy: Policy | None = None) -> Iterator[Record]:
    """Column `frames` from text: a frame per line, its numbers between commas or white space.

    Blank lines stand between sequences. A first line without any number is a header and passed over.
    """
    policy = policy or Policy()
    width, left_out = 0, policy.report.total
    for index, block in enumerate(read_blocks(file, policy, MOST_CHARACTERS)):
        if index == 0 and all(number(cell) is None for cell in cells_of(block[0][1])):
            block = block[1:]
        rows: list[NDArray[np.float32]] = []
        for line, text in block:
            row = [number(cell) for cell in cells_of(text)]
            width = width or len(row)
            problem = problem_of(row, width)
            if problem is not None:
                policy.bad(Place(str(file), line), problem)
                break
            rows.append(np.array(row, np.float32))
        else:
            if rows:
                yield Record({"frames": np.stack(rows)}, Place(str(file), block[0][0]))
    if width == 0 and policy.report.total == left_out:
        policy.bad(Place(str(file)), Problem("no frames", remedy="give a line of numbers for each frame"))


def problem_of(row: Sequence[float | None], width: int) -> Problem | None:
    if len(row) != width:
        return Problem("wrong number of columns", f"{len(row)} where the first row has {width}", "fix the row")
    for column, value in enumerate(row, 1):
        if value is None:
            return Problem("not a number", f"column {column}", "fix the row")
        if not abs(value) <= LARGEST:
            what = f"column {column}: NaN, infinite, or too large for float32"
            return Problem("not a finite number", what, "fix the row")
    return None


def of_one_width(records: Iterator[Record], policy: Policy) -> Iterator[Record]:
    """Records whose frames, where they have any, are as wide as the first ones."""
    first, width = Place(""), 0
    for record in records:
        frames = record.columns.get("frames")
        if isinstance(frames, np.ndarray):
            if width == 0:
                first, width = record.place, frames.shape[1]
            if frames.shape[1] != width:
                what = f"{frames.shape[1]} numbers, and those of {first} have {width}"
                policy.bad(record.place, Problem("frames of another width", what, "give frames of one width"))
                continue
        yield record


def cells_of(line: str) -> list[str]:
    return line.split(",") if "," in line else line.split()


def number(text: str) -> float | None:
    """
    >>> number(" 1e-3"), number("1_000"), number("x")
    (0.001, None, None)
    """
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None
