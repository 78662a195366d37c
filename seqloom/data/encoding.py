"""Chunks of records encoded as token ids: in this process, or in several workers at once."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar

from seqloom.data.chunks import Chunk, as_file
from seqloom.data.record import Place, Record
from seqloom.data.workers import map_in_workers, portable

K = TypeVar("K")
R = TypeVar("R")

PATIENCE = 3.0
"""Seconds of processor that are worked alone before others are called: about what it takes them to start."""
MAX_WORKERS = 4
"""Processes unless more are asked for: one reader cannot keep more of them busy, and each takes memory."""


def encode_chunks(
    jobs: Iterator[tuple[K, list[R]]], encode: Callable[[list[R]], Chunk], workers: int | None
) -> Generator[tuple[K, bytes], None, None]:
    """The file of every chunk, under its key, in any order."""
    if workers is None:
        began = time.process_time()
        for key, records in jobs:
            yield key, as_file(encode(records))
            if time.process_time() - began > PATIENCE:
                break
        workers = min(cores(), MAX_WORKERS)
    if (first := next(jobs, None)) is None:
        return
    left = chain([first], jobs)
    work = portable(ChunkEncoder(encode)) if workers > 1 else None
    if work is not None:
        yield from map_in_workers(((key, pack(records)) for key, records in left), work, workers)
    for key, records in left:
        yield key, as_file(encode(records))


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """No search for unreachable cycles: a chunk has none, but objects enough to make it a quarter of all the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class ChunkEncoder(Generic[R]):
    """What a process does with a chunk that it is sent."""

    encode: Callable[[list[R]], Chunk]

    def __call__(self, sent: Any) -> bytes:
        return as_file(self.encode(unpack(sent)))


class Columns(NamedTuple):
    """Records as they are sent: a list a column takes a third of the time of an object a record."""

    names: tuple[str, ...]
    values: list[tuple[Any, ...]]
    places: list[tuple[str, ...] | tuple[int | None, ...]]


def pack(records: list[Any]) -> Columns | list[Any]:
    """Records of the same columns as these; anything else as it is."""
    names = tuple(records[0].columns) if isinstance(records[0], Record) else ()
    if not names or not all(isinstance(record, Record) and tuple(record.columns) == names for record in records):
        return records
    values = zip(*[record.columns.values() for record in records])
    return Columns(names, list(values), list(zip(*[record.place for record in records])))


def unpack(sent: Columns | list[Any]) -> list[Any]:
    if not isinstance(sent, Columns):
        return sent
    names = sent.names
    return [
        Record(dict(zip(names, values)), Place(file, line))
        for values, file, line in zip(zip(*sent.values), *sent.places)
    ]
