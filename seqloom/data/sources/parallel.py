"""Parallel files: line 7 of one belongs to line 7 of the other. Pairs never shift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.line_reader import scan
from seqloom.data.record import Place, Record
from seqloom.errors import DataError


def read_parallel(files: Mapping[str, Path], policy: Policy | None = None) -> Iterator[Record]:
    """A column for each file, as in `{"source": "train.en", "target": "train.de"}`.

    A line that is bad or empty in one file is left out of all. Files of unequal length are an error under every
    policy: nobody can know where the line is missing, and every pair after it would be wrong.
    """
    policy = policy or Policy()
    first = str(next(iter(files.values())))
    for number, row in enumerate(zip_longest(*(scan(file, policy) for file in files.values())), 1):
        if None in row:
            raise unequal(files, policy.longest_line)
        columns: dict[str, str] = {}
        for (role, file), (_, line) in zip(files.items(), row):
            if not isinstance(line, str) or not line.strip():
                problem = empty(files, role) if isinstance(line, str) else line
                policy.bad(Place(str(file), number), problem)
                break  # a row is counted once, whatever else is wrong with it
            columns[role] = line
        else:
            yield Record(columns, Place(first, number))


def empty(files: Mapping[str, Path], role: str) -> Problem:
    others = " and ".join(str(file) for other, file in files.items() if other != role)
    return Problem("empty line", remedy=f"take the line out of this file and of {others}")


def unequal(files: Mapping[str, Path], longest: int) -> DataError:
    counts = {file: sum(1 for _ in scan(file, Policy("skip", longest))) for file in files.values()}
    stated = ", ".join(f"{file} has {count:,} lines" for file, count in counts.items())
    short = min(counts, key=lambda file: counts[file])
    remedy = "find the line that is missing: every line needs its partner"
    return DataError(f"unequal files: {stated}", where=f"{short}:{counts[short] + 1}", remedy=remedy)
