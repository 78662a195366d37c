"""Which files a user means, and which format they have: by the name, and by what stands in them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from seqloom.data.bad_records import Policy
from seqloom.data.column_roles import ForTask, reads_words, roles_of
from seqloom.data.datasets import dataset_paths, is_dataset
from seqloom.data.line_reader import expanded, open_bytes, scan, unreadable
from seqloom.data.sources import frames, parquet, tables
from seqloom.errors import DataError

Format: TypeAlias = Literal[
    "auto", "text", "parallel", "tsv", "csv", "jsonl", "conll", "conllu", "parquet", "npy", "frames", "folder",
    "labelled", "python",
]  # fmt: skip
FORMATS = get_args(Format)

SUFFIXES: dict[str, Format] = {
    ".tsv": "tsv",
    ".tab": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".conll": "conll",
    ".bio": "conll",
    ".iob": "conll",
    ".conllu": "conllu",
    ".parquet": "parquet",
    ".npy": "npy",
}

MOST_FILES = 1_000_000
"""Files and folders that are looked at for a pattern."""


def find_files(where: str | Path | Iterable[str | Path]) -> list[Path]:
    """The files of a path, a list of paths, a pattern (`data/*.txt`), in the order of their names, or a data set."""
    if isinstance(where, str | Path):
        return list(expand(expanded(where)))
    return [file for path in where for file in expand(expanded(path))]


def expand(path: Path) -> Iterator[Path]:
    if is_dataset(path):
        files = dataset_paths(path)
        yield from files.values() if isinstance(files, dict) else files
        return
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:  # no permission, a NUL in the name
        raise unreadable(path, error) from None
    if exists or not glob.has_magic(str(path)):
        if not exists:
            raise unreadable(path, FileNotFoundError())
        yield path
        return
    folders = Folders(str(path))
    found = sorted({*folders.matches(str(path))})
    if not found:
        looked = f"; looked at {folders.looked:,} files and folders" if folders.looked else ""
        raise DataError(f"no file matches this pattern{looked}", where=str(path), remedy="check the path")
    yield from map(Path, found)


class Folders:
    """Walks folders for a pattern with `**`: follows no links, which may lead round and round, and comes to an end."""

    def __init__(self, pattern: str, most: int = MOST_FILES) -> None:
        self.pattern, self.most = pattern, most
        self.looked = 0

    def matches(self, pattern: str) -> Iterator[str]:
        above, recursive, below = pattern.partition("**")
        if not recursive:
            yield from glob.glob(pattern)
            return
        for start in glob.glob(above) if above else ["."]:
            for folder, folders, files in os.walk(start):
                self.looked += len(folders) + len(files)
                if self.looked > self.most:
                    what = f"looked at {self.looked:,} files and folders, and there are more"
                    raise DataError(what, where=self.pattern, remedy="name a folder that is further down")
                folders[:] = [name for name in folders if not name.startswith(".")]
                inside = "" if folder == "." and not above else glob.escape(folder)
                yield from self.matches(os.path.join(inside, below.lstrip("/") or "*"))


def one_file(where: str | Path) -> Path:
    files = find_files(where)
    if len(files) != 1:
        raise DataError(f"{len(files)} files match where one is needed", where=str(where), remedy="name one of them")
    return files[0]


def one_format(files: Sequence[Path], task: ForTask) -> Format:
    """The format of all files, which they must share."""
    formats = {format_of(file, task): file for file in files}
    if len(formats) > 1:
        stated = ", ".join(f"{file} ({format})" for format, file in formats.items())
        raise DataError(f"files of different formats: {stated}", remedy="give files of one kind, or data.format")
    return next(iter(formats))


def format_of(file: Path, task: ForTask) -> Format:
    """What a file is. Where the name does not say: the first bytes, then the task and the first line.

    For a task that needs two columns a text with a tab in its first line is TSV, one with ; or | in all of the first
    lines CSV; a tagger reads CoNLL.
    """
    if file.is_dir():
        return "folder"
    suffix = Path(file.name.removesuffix(".gz")).suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    with open_bytes(file) as stream:
        start = stream.read(8)
    if start.startswith(frames.MAGIC):
        return "npy"
    if start.startswith(parquet.MAGIC):
        return "parquet"
    if reads_words(task):
        return "conll"
    if len(roles_of(task)) > 1:
        if "\t" in first_line(file):
            return "tsv"
        if tables.sniffed(file, "\t") in ";|":
            return "csv"
    return "text"


def first_line(file: Path) -> str:
    """The first line that can be used, among the first hundred."""
    lines = (
        line
        for (number, line), _ in zip(scan(file, Policy("skip", encoding="latin-1")), range(100))
        if isinstance(line, str)
    )
    return next((line for line in lines if line.strip()), "")


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
