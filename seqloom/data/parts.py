"""The parts of a corpus in the making: chunks of records, and each as a file of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from seqloom.data.record import Record

Numbers: TypeAlias = NDArray[Any]
Chunk: TypeAlias = Mapping[str, Sequence[Numbers | Sequence[int]]]
"""For each field, one sequence of numbers an example."""

R = TypeVar("R")
HEAVY = 20_000_000
"""Characters, words and numbers of a chunk that ends it early: long documents too are held a few at a time."""


def chunks(records: Iterable[R], size: int) -> Iterator[list[R]]:
    """Records in their order, at most `size` at a time: the same ones in every reading."""
    chunk: list[R] = []
    weight = 0
    for record in records:
        chunk.append(record)
        weight += weight_of(record)
        if len(chunk) == size or weight >= HEAVY:
            yield chunk
            chunk, weight = [], 0
    if chunk:
        yield chunk


def weight_of(record: object) -> int:
    if not isinstance(record, Record):
        return 1
    values = record.columns.values()
    return sum([len(v) if isinstance(v, str | list) else v.size if isinstance(v, np.ndarray) else 1 for v in values])


def as_file(chunk: Chunk) -> bytes:
    """A part as its file holds it: for each field the numbers of all examples, and how many each has."""
    arrays: dict[str, Numbers] = {}
    for field, examples in chunk.items():
        arrays[f"{field}.lengths"] = lengths = np.fromiter(map(len, examples), np.int32, len(examples))
        if any(isinstance(example, np.ndarray) for example in examples):
            arrays[field] = smallest(np.concatenate(examples))
        else:
            arrays[field] = smallest(np.fromiter(chain.from_iterable(examples), np.int64, int(lengths.sum())))
    stream = BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]  # mypy sees its flag among the names
    return stream.getvalue()


def smallest(numbers: Numbers) -> Numbers:
    """Whole numbers in as few bytes as they need."""
    if numbers.dtype.kind not in "iu":
        return numbers.astype(np.float32)
    largest = int(numbers.max(initial=0))
    return numbers.astype(np.uint16 if largest < 2**16 and numbers.min(initial=0) >= 0 else np.int32)
