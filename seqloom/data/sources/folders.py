"""Labels in names: a folder per label, as IMDB ships (LABEL/*.txt, or train/LABEL/*.txt), or a file per label.

The files of a label are texts (.txt), or frames (.npy, .csv); not both, for a model reads one or the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.line_reader import LONGER, scan, unreadable
from seqloom.data.record import Place, Record
from seqloom.data.sources.frames import read_frames, read_npy
from seqloom.data.sources.text import read_text
from seqloom.errors import DataError

SPLITS = {"train": "train", "valid": "valid", "validation": "valid", "val": "valid", "dev": "valid", "test": "test"}
"""What the splits of a data set are called, and the name that they go by here."""

UNLABELLED = "unsup"
"""IMDB keeps its reviews without a label in this folder."""


KINDS = {".txt": "text", ".npy": "frames", ".csv": "frames"}
"""What a file holds, by how its name ends."""


def read_folder(folder: Path, policy: Policy | None = None) -> Iterator[Record]:
    """Columns `text` or `frames`, and `label`, and `split` where labels stand under train/, test/ ...

    A file is a record; one of frames may hold several. Labels and files come in the order of their names.
    """
    policy = policy or Policy()
    labels = subfolders(folder)
    splits = [label for label in labels if label.name.lower() in SPLITS]
    if splits and len(splits) == len(labels):
        for split in splits:
            for record in read_folder(split, policy):
                yield Record({**record.columns, "split": SPLITS[split.name.lower()]}, record.place)
        return
    if not labels:
        remedy = "put the texts of each label into a folder of its name: LABEL/1.txt"
        files = [*visible(folder)]
        if len(kinds := {"".join(file.suffixes) for file in files}) == 1:
            remedy = f"to read its files one after the other: '{folder}/*{kinds.pop()}'"
        elif files:
            remedy = f"name a file in it, as {files[0]}"
        raise DataError("there is no folder in this folder", where=str(folder), remedy=remedy)
    for file in of_one_kind(files_of(labels, policy), policy):
        for record in read_one(file, policy):
            yield Record({"label": file.parent.name, **record.columns}, record.place)


def files_of(labels: Sequence[Path], policy: Policy) -> Iterator[Path]:
    for label in labels:
        if label.name == UNLABELLED:
            policy.note(Place(str(label)), "folder without a label")
        else:
            yield from visible(label)


def of_one_kind(files: Iterable[Path], policy: Policy) -> Iterator[Path]:
    """The files that can be read, all of them texts or all of them frames: the first one says which."""
    first: Path | None = None
    for file in files:
        kind = KINDS.get(suffix_of(file))
        if kind is None:
            policy.note(Place(str(file)), f"none of {', '.join(KINDS)}")
            continue
        first = first or file
        wanted = KINDS[suffix_of(first)]
        if kind == wanted:
            yield file
        else:
            problem = Problem(f"{kind} among {wanted}", f"{first} comes first", "keep files of one kind in the folders")
            policy.bad(Place(str(file)), problem)


def suffix_of(file: Path) -> str:
    return Path(file.name.removesuffix(".gz")).suffix.lower()


def read_one(file: Path, policy: Policy) -> Iterator[Record]:
    match suffix_of(file):
        case ".npy":
            yield from read_npy(file, policy)
        case ".csv":
            yield from read_frames(file, policy)
        case _:
            text = read_document(file, policy)
            if text is not None:
                yield Record({"text": text}, Place(str(file)))


def read_document(file: Path, policy: Policy) -> str | None:
    """A whole file as one text, or None if there is anything bad in it."""
    lines: list[str] = []
    size = 0
    for number, line in scan(file, policy):
        if isinstance(line, str):
            size += len(line) + 1
            if size <= policy.longest_line + 1:
                lines.append(line)
                continue
            line = Problem("overlong text", f"over {policy.longest_line:,} characters", LONGER)
        policy.bad(Place(str(file), number), line)
        return None
    return "\n".join(lines) if lines else None


def read_labelled(files: Mapping[str, Path], policy: Policy | None = None) -> Iterator[Record]:
    """A file per label, a text per line, as in `{"pos": "rt-polarity.pos", "neg": "rt-polarity.neg"}`."""
    policy = policy or Policy()
    for label, file in files.items():
        for record in read_text(file, policy):
            yield Record({"label": label, **record.columns}, record.place)


def subfolders(folder: Path) -> list[Path]:
    return [entry for entry in visible(folder) if entry.is_dir()]


def visible(folder: Path) -> list[Path]:
    """What a folder holds, sorted by name, so that every machine reads it in the same order."""
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise unreadable(folder, error) from None
