"""Train, valid, test: `open_data` finds the splits by name or by a column, or cuts them by a seed or in order.

Cutting by a seed is the same on every machine and in every reading. By default it is stratified, which needs to read
the data once (`stratification.py`). Else it needs no memory and no order: the split of a record is a hash of the seed
and its index (or of the value of a column, so that equal values land in one split).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from itertools import accumulate, pairwise, starmap
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from seqloom.data.bad_records import Report
from seqloom.data.column_roles import ForTask
from seqloom.data.datasets import SCHEME, find_dataset, is_dataset
from seqloom.data.embedded import find_embedded, is_embedded
from seqloom.data.formats import by_language, find_files
from seqloom.data.joined import JoinedRecords
from seqloom.data.line_reader import expanded
from seqloom.data.record import Record
from seqloom.data.settings import DataConfig
from seqloom.data.source import Paths, Source, open_source
from seqloom.data.sources.folders import SPLITS, visible
from seqloom.data.stratification import Outcomes, cut, unit_name
from seqloom.errors import DataError, suggestion

NAMED = re.compile(rf"(?<![a-z])({'|'.join(SPLITS)})(?![a-z])")


@dataclass(frozen=True)
class Split:
    """The records of a source, or of another split, that belong to one; read again and again, like the source."""

    source: Source | Split
    name: str
    belongs: Callable[[int, Record], bool]
    remedy: str = "give it a larger share, more data, or a file of its own"
    """For a split without records."""

    def __iter__(self) -> Iterator[Record]:
        found = False
        for index, record in enumerate(self.source):
            if self.belongs(index, record):
                found = True
                yield record
        if not found:
            raise DataError(
                f"the split is empty: no record falls into {self.name!r}", where=self.source_name, remedy=self.remedy
            )

    @property
    def report(self) -> Report:
        return self.source.report

    @property
    def files(self) -> tuple[Path, ...]:
        return self.source.files

    @property
    def identity(self) -> str:
        return self.source.identity

    @property
    def source_name(self) -> str:
        return self.source.source_name


Records: TypeAlias = Source | Split | JoinedRecords


def random_split(
    source: Source | Split, shares: Mapping[str, float], seed: int = 0, by: str | None = None
) -> dict[str, Split]:
    """Splits of about these shares, which add up to 1, as in `{"train": 0.9, "valid": 0.1}`."""
    check(shares)

    def split(name: str) -> Split:
        def belongs(index: int, record: Record) -> bool:
            return split_of(index if by is None else unit_name(record.columns.get(by)), shares, seed) == name

        return Split(source, name, belongs)

    return {name: split(name) for name, share in shares.items() if share > 0}


def stratified_split(
    source: Source | Split,
    shares: Mapping[str, float],
    seed: int = 0,
    by: str | None = None,
    outcomes: Outcomes | None = None,
) -> dict[str, Split]:
    """Splits of exactly these shares, with labels as frequent in each, and everything that occurs in the first."""
    check(shares)
    kept = {name: share for name, share in shares.items() if share > 0}

    @cache  # as for `split_in_order`
    def places() -> NDArray[np.uint8]:
        return cut(source, kept, seed, by, outcomes)

    def split(name: str, number: int) -> Split:
        remedy = f"every record is needed for training, as each has values of its own: give more data, or data.{name}"
        return Split(source, name, lambda index, _: bool(places()[index] == number), remedy)

    return {name: split(name, number) for number, name in enumerate(kept)}


def split_of(key: object, shares: Mapping[str, float], seed: int) -> str:
    """The split that a key falls into.

    >>> [split_of(index, {"train": 0.5, "valid": 0.5}, seed=1) for index in range(4)]
    ['train', 'valid', 'valid', 'valid']
    """
    digest = blake2b(f"{seed}:{key}".encode(), digest_size=8).digest()
    point = int.from_bytes(digest, "big") / 2**64
    for name, share in shares.items():
        if point < share:
            return name
        point -= share
    return next(name for name in reversed(list(shares)) if shares[name] > 0)  # what rounding left over


def split_in_order(source: Source, shares: Mapping[str, float]) -> dict[str, Split]:
    """Splits one behind the other, as for a text that goes on; shares are of its characters, a line being whole."""
    check(shares)
    kept = {name: share for name, share in shares.items() if share > 0}

    @cache  # found when a split is first read: a corpus that is prepared already needs no reading
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

    def split(name: str) -> Split:
        return Split(source, name, lambda index, _: index in places()[name])

    return {name: split(name) for name in kept}


def size_of(record: Record) -> int:
    """Characters of the texts of a record, and one for its end."""
    return sum(len(value) for value in record.columns.values() if isinstance(value, str)) + 1


def check(shares: Mapping[str, float]) -> None:
    if any(share < 0 for share in shares.values()) or abs(sum(shares.values()) - 1) > 1e-9:
        stated = ", ".join(f"{name} {share}" for name, share in shares.items())
        raise DataError(f"the shares do not add up to 1: {stated}", remedy="as in train 0.9, valid 0.1")


def split_by_column(source: Source, column: str = "split") -> dict[str, Split]:
    """A split for each value of a column; dev, val and validation are valid. Reads the source once to find them."""
    found: dict[str, None] = {}
    for record in source:
        if record.columns.get(column) is None:
            what = f"no column {column!r} to split by; there are: {', '.join(record.columns)}"
            remedy = f"{suggestion(column, record.columns)}name the column that says train, valid or test"
            raise DataError(what, where=str(record.place), remedy=remedy)
        found[canonical(record.columns[column])] = None

    def split(name: str) -> Split:
        return Split(source, name, lambda _, record: canonical(record.columns.get(column)) == name)

    return {name: split(name) for name in found}


def canonical(name: object) -> str:
    return SPLITS.get(str(name).strip().lower(), str(name))


def find_splits(where: Path | Iterable[Path]) -> dict[str, list[Path]]:
    """Files or folders by the split that their name says, as in train.tsv, en_ewt-ud-dev.conllu.gz, test/.

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


def open_data(config: DataConfig, task: ForTask = None, outcomes: Outcomes | None = None) -> dict[str, Records]:
    """Train, and valid and test as far as there are such.

    A split with a path of its own is that; else, where `train` is a data set or a folder of splits, those that it has;
    else what `split_column` says; else it is cut from `train` by its share, so that all `outcomes` stay in training.
    Of training data, `fraction` is kept.
    """
    found = all_data(config, task, outcomes)
    return {**found, "train": some_of(found["train"], config, outcomes)} if config.fraction < 1 else {**found}


def some_of(train: Source | Split, config: DataConfig, outcomes: Outcomes | None) -> Split:
    """A share of the training records, with every label in it; its seed is not that of the other cuts."""
    shares, seed, by = {"train": config.fraction, "unused": 1 - config.fraction}, config.seed + 1, config.split_by
    if not config.stratify:
        return random_split(train, shares, seed, by or None)["train"]
    outcomes = outcomes and replace(outcomes, words=None)  # the words of answers would hold most of the records
    return stratified_split(train, shares, seed, by or None, outcomes)["train"]


def all_data(config: DataConfig, task: ForTask, outcomes: Outcomes | None) -> Mapping[str, Source | Split]:
    """The splits, with all training data."""
    if not config.train:
        raise DataError("no data was given", remedy="name it in data.train")
    paths: dict[str, Paths] = {"train": config.train, **splits_in(config.train)}
    paths |= {name: path for name, path in (("valid", config.valid), ("test", config.test)) if path}
    opened = {name: open_split(path, config, task) for name, path in paths.items()}
    train = opened["train"]
    if config.split_column:
        return {**split_by_column(train, config.split_column), **without_train(opened)}
    shares = {"valid": config.valid_share, "test": config.test_share}
    shares = {name: share for name, share in shares.items() if share and name not in opened}
    if not shares:
        return {**opened}
    shares = {"train": 1 - sum(shares.values()), **shares}
    if config.cut_from == "end":
        return {**split_in_order(train, shares), **without_train(opened)}
    by = config.split_by or None
    if config.stratify:
        return {**stratified_split(train, shares, config.seed, by, outcomes), **without_train(opened)}
    return {**random_split(train, shares, config.seed, by), **without_train(opened)}


def join_splits(sets: Mapping[str, Mapping[str, Records]]) -> dict[str, Records]:
    """The splits of several sets by their tags, each split joined; one that a set lacks is that of the others."""
    names = dict.fromkeys(name for splits in sets.values() for name in splits)
    return {
        name: JoinedRecords({tag: splits[name] for tag, splits in sets.items() if name in splits}) for name in names
    }


def without_train(opened: Mapping[str, Source]) -> dict[str, Source]:
    return {name: source for name, source in opened.items() if name != "train"}


def splits_in(where: Paths) -> dict[str, Paths]:
    """The splits of a data set, or of a folder, if a name in it says that it is for training."""
    if isinstance(where, str) and is_embedded(where):
        data, split = find_embedded(where)
        return {} if split else {name: data.path(name) for name in data.splits}
    if isinstance(where, str) and is_dataset(where):
        published, split = find_dataset(where)
        return {} if split else {name: f"{SCHEME}{published.name}/{name}" for name in published.splits}
    folder = expanded(where) if isinstance(where, str | Path) else None
    if folder is None or not folder.is_dir():
        return {}
    found = find_splits(folder)
    return {**found} if "train" in found else {}


def open_split(where: Paths, config: DataConfig, task: ForTask) -> Source:
    """One split; of the files of several languages, the two that are meant."""
    languages = (config.source_language, config.target_language)
    if isinstance(where, Sequence) and not isinstance(where, str) and len(where) > 1 and "und" not in languages:
        where = by_language(find_files(where), *languages)
    return open_source(where, task=task, **config.how())
