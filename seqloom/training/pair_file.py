"""A file of pairs that takes long to make: written aside in pieces, gone on with, and there once it is whole."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from seqloom.errors import DamagedError, OutputError
from seqloom.lock import locked
from seqloom.storage import flush, output_errors, read_json, replace_file

SUFFIXES = (".tsv", ".jsonl")
BREAKS = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
"""What would end a cell or a row of a table."""
Pair = tuple[str, str]


@dataclass
class Written:
    """What stands in the file so far."""

    asked: str
    """A hash of all that decides what is written."""
    parts: int = 0
    """Readings of the data that are done."""
    records: int = 0
    """Records of the reading that is under way."""
    pairs: int = 0
    size: int = 0
    """Bytes."""


class PairFile:
    """Pairs under way to their file; `written` says how far it is, and is kept beside it after every piece."""

    def __init__(self, target: Path, asked: str) -> None:
        self.target, self.part, self.state = target, beside(target, "part"), beside(target, "json")
        self.written = self.found(asked)
        with output_errors(target), self.part.open("ab") as stream:
            stream.truncate(self.written.size)
        if not self.written.size:
            self.add([], header=True)

    def found(self, asked: str) -> Written:
        """How far an earlier attempt came; one that was to write something else is left alone."""
        if not (self.state.exists() and self.part.exists()):
            return Written(asked)
        try:
            then = Written(**read_json(self.state))
        except (TypeError, DamagedError):
            return Written(asked)
        if then.asked != asked:
            what = f"{self.target} was started with other models, data or options, and is not finished"
            raise OutputError(what, remedy=f"give the same arguments to continue it, or delete {self.part}")
        return then

    def add(self, pairs: Iterable[Pair], *, records: int = 0, header: bool = False) -> None:
        """Write pairs, made of so many records; what was added before is safe."""
        rows = [self.row(pair) for pair in pairs]
        text = "".join(["source\ttarget\n" if header and self.target.suffix == ".tsv" else "", *rows])
        with output_errors(self.target):
            with self.part.open("ab") as stream:
                stream.write(text.encode())
                self.written.size = stream.tell()
            flush(self.part)
            self.written.pairs += len(rows)
            self.written.records += records
            self.keep()

    def end_part(self) -> None:
        """The data was read to its end once more."""
        self.written.parts, self.written.records = self.written.parts + 1, 0
        with output_errors(self.target):
            self.keep()

    def keep(self) -> None:
        replace_file(self.state, json.dumps(asdict(self.written)).encode())

    def row(self, pair: Pair) -> str:
        if self.target.suffix == ".jsonl":
            return json.dumps(dict(zip(("source", "target"), pair, strict=True)), ensure_ascii=False) + "\n"
        return "\t".join(BREAKS.sub(" ", text) for text in pair) + "\n"

    def finish(self) -> None:
        with output_errors(self.target):
            os.replace(self.part, self.target)
            flush(self.target.parent)
        with suppress(OSError):
            self.state.unlink()


@contextmanager
def pair_file(target: Path, asked: str) -> Iterator[PairFile]:
    """A file of pairs to add to, for one process at a time; it appears when the block ends well."""
    if target.suffix not in SUFFIXES:
        raise OutputError(f"{target} ends in neither {' nor '.join(SUFFIXES)}", remedy="call it pairs.tsv")
    with locked(beside(target, "lock"), "writes the same file"):
        if target.exists():
            raise OutputError(f"{target} already exists", remedy="choose another name; nothing was changed")
        file = PairFile(target, asked)
        yield file
        file.finish()


def beside(target: Path, what: str) -> Path:
    return target.with_name(f".{target.name}.{what}")
