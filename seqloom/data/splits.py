"""Train, valid, test: given by name, by a column, cut by a seed, or one behind the other.

Cutting by a seed needs no memory and no order: the part of a record is a hash of the seed and its index (or of the
value of a column, so that equal values land in one part), the same on every machine and in every reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import accumulate, pairwise, starmap
from pathlib import Path
from typing import TypeAlias

from seqloom.data.record import Record
from seqloom.data.report import Report
from seqloom.data.source import Source
from seqloom.data.sources.folders import SPLITS, visible
from seqloom.errors import DataError

NAMED = re.compile(rf"(?<![a-z])({'|'.join(SPLITS)})(?![a-z])")


@dataclass(frozen=True)
class Part:
    """The records of a source that belong to one part; read again and again, like the source."""

    source: Source
    name: str
    belongs: Callable[[int, Record], bool]

    def __iter__(self) -> Iterator[Record]:
        found = False
        for index, record in enumerate(self.source):
            if self.belongs(index, record):
                found = True
                yield record
        if not found:
            where = str(self.source.files[0]) if self.source.files else "<python>"
            remedy = "give it a larger share, more data, or a file of its own"
            raise DataError(f"no record falls into the part {self.name!r}", where=where, remedy=remedy)

    @property
    def report(self) -> Report:
        return self.source.report

    @property
    def files(self) -> tuple[Path, ...]:
        return self.source.files

    @property
    def identity(self) -> str:
        return self.source.identity


Records: TypeAlias = Source | Part


def cut(source: Source, shares: Mapping[str, float], seed: int = 0, by: str | None = None) -> dict[str, Part]:
    """Parts of about these shares, which add up to 1, as in `{"train": 0.9, "valid": 0.1}`."""
    check(shares)

    def part(name: str) -> Part:
        def belongs(index: int, record: Record) -> bool:
            return part_of(index if by is None else record.columns.get(by), shares, seed) == name

        return Part(source, name, belongs)

    return {name: part(name) for name, share in shares.items() if share > 0}


def part_of(key: object, shares: Mapping[str, float], seed: int) -> str:
    """The part that a key falls into.

    >>> [part_of(index, {"train": 0.5, "valid": 0.5}, seed=1) for index in range(4)]
    ['train', 'valid', 'valid', 'valid']
    """
    digest = blake2b(f"{seed}:{key}".encode(), digest_size=8).digest()
    point = int.from_bytes(digest, "big") / 2**64
    for name, share in shares.items():
        if point < share:
            return name
        point -= share
    return next(name for name in reversed(list(shares)) if shares[name] > 0)  # what rounding left over


def cut_in_order(source: Source, shares: Mapping[str, float]) -> dict[str, Part]:
    """Parts one behind the other, as for a text that goes on; shares are of its characters, a line being whole."""
    check(shares)
    kept = {name: share for name, share in shares.items() if share > 0}

    @cache  # found when a part is first read: a corpus that is prepared already needs no reading
    def places() -> dict[str, range]:
        total = sum(map(size_of, source))
        ends = [int(share * total) for share in accumulate(kept.values())]
        cuts, read, count = [0], 0, 0
        for record in source:
            while len(cuts) < len(kept) and read >= ends[len(cuts) - 1]:
                cuts.append(count)
            read += size_of(record)
            count += 1
        cuts += [count] * (len(kept) + 1 - len(cuts))
        return dict(zip(kept, starmap(range, pairwise(cuts))))

    def part(name: str) -> Part:
        return Part(source, name, lambda index, _: index in places()[name])

    return {name: part(name) for name in kept}


def size_of(record: Record) -> int:
    """Characters of the texts of a record, and one for its end."""
    return sum(len(value) for value in record.columns.values() if isinstance(value, str)) + 1


def check(shares: Mapping[str, float]) -> None:
    if any(share < 0 for share in shares.values()) or abs(sum(shares.values()) - 1) > 1e-9:
        stated = ", ".join(f"{name} {share}" for name, share in shares.items())
        raise DataError(f"the shares do not add up to 1: {stated}", remedy="as in train 0.9, valid 0.1")


def by_column(source: Source, column: str = "split") -> dict[str, Part]:
    """A part for each value of a column; dev, val and validation are valid. Reads the source once to find them."""
    found: dict[str, None] = {}
    for record in source:
        if record.columns.get(column) is None:
            what = f"no column {column!r} to split by; there are: {', '.join(record.columns)}"
            raise DataError(what, where=str(record.place), remedy="name the column that says train, valid or test")
        found[canonical(record.columns[column])] = None

    def part(name: str) -> Part:
        return Part(source, name, lambda _, record: canonical(record.columns.get(column)) == name)

    return {name: part(name) for name in found}


def canonical(name: object) -> str:
    return SPLITS.get(str(name).strip().lower(), str(name))


def find_splits(where: Path | Iterable[Path]) -> dict[str, list[Path]]:
    """Files or folders by the part that their name says, as in train.tsv, en_ewt-ud-dev.conllu.gz, test/.

    >>> sorted(find_splits([Path("wnut17train.conll"), Path("emerging.dev.conll"), Path("latest.txt")]))
    ['train', 'valid']
    """
    paths = visible(where) if isinstance(where, Path) else list(where)
    found: dict[str, list[Path]] = {"train": [], "valid": [], "test": []}
    for path in paths:
        names = {SPLITS[name] for name in NAMED.findall(path.name.lower())}
        if len(names) > 1:
            what = f"the name says {' and '.join(sorted(names))}"
            raise DataError(what, where=str(path), remedy="give data.train, data.valid and data.test by path")
        if names:
            found[names.pop()].append(path)
    return {name: files for name, files in found.items() if files}


def by_language(files: Sequence[Path], source: str, target: str) -> dict[str, Path]:
    """The two of parallel files whose names end in these languages, as in train.en.gz and train.de.gz."""
    pair: dict[str, Path] = {}
    for role, language in (("source", source), ("target", target)):
        named = [file for file in files if file.name.removesuffix(".gz").endswith(f".{language}")]
        if len(named) != 1:
            names = ", ".join(file.name for file in files)
            what = f"{len(named)} files end in .{language}; there are: {names}"
            raise DataError(what, where=str(files[0].parent), remedy="give the files by path")
        pair[role] = named[0]
    return pair
