"""Public data sets by name: `data:multi30k/train` in settings is files on this machine, wherever they are kept.

`datasets.toml` describes each set once; `download.py` brings one. Files are looked for in the folder that SEQLOOM_DATA
names, or, where it names none, in `../shared/data` next to the clone and in the cache of the user.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as resources
from pathlib import Path
from typing import TypeAlias

from seqloom.data.line_reader import expanded
from seqloom.data.sources.folders import SPLITS
from seqloom.errors import DataError, UnknownName

SCHEME = "data:"

SplitFiles: TypeAlias = str | list[str] | dict[str, str]
"""One file, several, or one for each label."""


@dataclass(frozen=True)
class PublishedFile:
    """A file of a data set; size and SHA-256 are those of its content, unpacked if it is gzip."""

    name: str
    size: int
    sha256: str
    member: str = ""
    """Its path in the archive that is downloaded; empty: it is downloaded as it is."""
    made_from: Sequence[str] = ()
    """The files of the set that it is made from here; none: it is downloaded."""


@dataclass(frozen=True)
class PublishedDataset:
    """A public data set: where it comes from, under which licence, and which files are its splits."""

    name: str
    title: str
    task: str
    licence: str
    home: str
    splits: Mapping[str, SplitFiles]
    files: Mapping[str, PublishedFile]
    url: str = ""
    by_hand: str = ""

    def find(self, file: str) -> Path | None:
        """Where a file is on this machine, packed or not; None if it is nowhere."""
        for folder in data_folders():
            for path in (folder / self.name / file, folder / self.name / f"{file}.gz"):
                if path.is_file():
                    return path
        return None

    def path(self, file: str) -> Path:
        found = self.find(file)
        if found is None:
            remedy = f"seqloom data get {self.name}"
            raise DataError(f"{file} is not on this machine", where=f"{SCHEME}{self.name}", remedy=remedy)
        return found

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files.values())


@cache
def datasets() -> dict[str, PublishedDataset]:
    """Every set that is described in `datasets.toml`."""
    described = tomllib.loads(resources("seqloom.data").joinpath("datasets.toml").read_text(encoding="utf-8"))
    for about in described.values():
        about["files"] = {file: PublishedFile(file, **values) for file, values in about["files"].items()}
    return {name: PublishedDataset(name, **about) for name, about in described.items()}


def dataset(name: str) -> PublishedDataset:
    known = datasets()
    if name not in known:
        raise UnknownName("data set", name, known)
    return known[name]


def is_dataset(where: object) -> bool:
    """Whether a path names a public data set.

    >>> is_dataset("data:imdb/train"), is_dataset("imdb/train.tsv")
    (True, False)
    """
    return isinstance(where, str | Path) and str(where).startswith(SCHEME)


def find_dataset(where: str | Path) -> tuple[PublishedDataset, str]:
    """The set that `data:NAME/SPLIT` or `data:NAME/FILE` names, and the split or file; empty where it names none."""
    name, _, split = str(where).removeprefix(SCHEME).partition("/")
    found = dataset(name)
    if split and split not in found.files:
        split = SPLITS.get(split.lower(), split)
        if split not in found.splits:
            known = ", ".join(f"{SCHEME}{name}/{other}" for other in found.splits)
            raise DataError(f"there is no split {split!r}", where=str(where), remedy=f"there are: {known}")
    return found, split


def dataset_paths(where: str | Path) -> list[Path] | dict[str, Path]:
    """The files that a name means, or the file of each label; without a split, those of the last one."""
    found, split = find_dataset(where)
    named: SplitFiles = split if split in found.files else found.splits[split or list(found.splits)[-1]]
    if isinstance(named, dict):
        return {label: found.path(file) for label, file in named.items()}
    return [found.path(file) for file in ([named] if isinstance(named, str) else named)]


def data_folders() -> list[Path]:
    """Where data sets are looked for: the last is where they are kept."""
    chosen = os.environ.get("SEQLOOM_DATA")
    if chosen:
        return [expanded(chosen)]
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return [Path(__file__).parents[3] / "shared" / "data", Path(home) / "seqloom" / "data"]
