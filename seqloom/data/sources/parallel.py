"""Parallel files: line 7 of one belongs to line 7 of the other, or to its sequence of frames 7. Pairs never shift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.line_reader import scan
from seqloom.data.record import Place, Record, Value
from seqloom.data.sources.frames import of_one_width, read_frames, read_npy
from seqloom.errors import DataError


def read_parallel(files: Mapping[str, Path], policy: Policy | None = None) -> Iterator[Record]:
    """A column for each file, as in `{"source": "train.en", "target": "train.de"}`; `frames` is a file of sequences.

    A line that is bad or empty in one file is left out of all. Files of unequal length are an error under every
    policy: nobody can know where the line is missing, and every pair after it would be wrong.
    """
    policy = policy or Policy()
    first = str(next(iter(files.values())))
    for number, row in enumerate(zip_longest(*(values_of(role, file, policy) for role, file in files.items())), 1):
        if any(value is None for value in row):
            raise unequal(files, policy.longest_line)
        columns: dict[str, Value] = {}
        for (role, file), value in zip(files.items(), row):
            if isinstance(value, Problem) or (isinstance(value, str) and not value.strip()):
                problem = empty(files, role) if isinstance(value, str) else value
                policy.bad(Place(str(file), number), problem)
                break  # a row is counted once, whatever else is wrong with it
            columns[role] = value
        else:
            yield Record(columns, Place(first, number))


def values_of(role: str, file: Path, policy: Policy) -> Iterator[Value | Problem]:
    """Every line of a file, good or bad; of frames every sequence, of which a bad one is an error: it has no place."""
    if role != "frames":
        return (line for _, line in scan(file, policy))
    read = read_npy if file.name.removesuffix(".gz").endswith(".npy") else read_frames
    strict = Policy(longest_line=policy.longest_line, encoding=policy.encoding)
    return (record.columns["frames"] for record in of_one_width(read(file, strict), strict))


def empty(files: Mapping[str, Path], role: str) -> Problem:
    others = " and ".join(str(file) for other, file in files.items() if other != role)
    return Problem("empty line", remedy=f"take the line out of this file and of {others}")


def unequal(files: Mapping[str, Path], longest: int) -> DataError:
    policy = Policy("skip", longest, encoding="latin-1")  # which every line can be read in
    counts = {file: sum(1 for _ in values_of(role, file, policy)) for role, file in files.items()}
    units = {file: "sequences" if role == "frames" else "lines" for role, file in files.items()}
    stated = ", ".join(f"{file} has {count:,} {units[file]}" for file, count in counts.items())
    short = min(counts, key=lambda file: counts[file])
    remedy = "find the line that is missing: every line needs its partner"
    return DataError(f"unequal files: {stated}", where=f"{short}:{counts[short] + 1}", remedy=remedy)
