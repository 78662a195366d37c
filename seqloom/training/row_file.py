"""A file of rows that takes long to make: written aside in pieces, gone on with, and there once it is whole."""

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

SUFFIXES = {("source", "target"): (".tsv", ".jsonl"), ("text",): (".txt", ".jsonl")}
"""The kinds of file that hold these columns."""
BREAKS = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
"""What would end a cell or a row of a table."""
Row = tuple[str, ...]


@dataclass
class Written:
    """What stands in the file so far."""

    asked: str
    """A hash of all that decides what is written."""
    parts: int = 0
    """Readings of the data that are done."""
    records: int = 0
    """Records of the reading that is under way."""
    rows: int = 0
    size: int = 0
    """Bytes."""


class RowFile:
    """Rows under way to their file; `written` says how far it is, and is kept beside it after every piece."""

    def __init__(self, target: Path, columns: Row, asked: str) -> None:
        self.target, self.columns = target, columns
        self.part, self.state = beside(target, "part"), beside(target, "json")
        self.written = self.found(asked)
        with output_errors(target), self.part.open("ab") as stream:
            stream.truncate(self.written.size)
        if not self.written.size:
            self.begin()

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

    def begin(self) -> None:
        """A table begins with the names of its columns."""
        self.append("\t".join(self.columns) + "\n" if self.target.suffix == ".tsv" else "")

    def add(self, rows: Iterable[Row], *, records: int) -> None:
        """Write rows, made of so many records; what was added before is safe."""
        lines = [self.line(row) for row in rows]
        self.written.rows += len(lines)
        self.written.records += records
        self.append("".join(lines))

    def append(self, text: str) -> None:
        with output_errors(self.target):
            with self.part.open("ab") as stream:
                stream.write(text.encode())
                self.written.size = stream.tell()
            flush(self.part)
            self.keep()

    def end_part(self) -> None:
        """The data was read to its end once more."""
        self.written.parts, self.written.records = self.written.parts + 1, 0
        with output_errors(self.target):
            self.keep()

    def keep(self) -> None:
        replace_file(self.state, json.dumps(asdict(self.written)).encode())

    def line(self, row: Row) -> str:
        """A row as a line; a text may have several, as the text that it continues had."""
        if self.target.suffix == ".jsonl":
            return json.dumps(dict(zip(self.columns, row, strict=True)), ensure_ascii=False) + "\n"
        if self.target.suffix == ".txt":
            return f"{row[0]}\n"
        return "\t".join(BREAKS.sub(" ", text) for text in row) + "\n"

    def finish(self) -> None:
        with output_errors(self.target):
            os.replace(self.part, self.target)
            flush(self.target.parent)
        with suppress(OSError):
            self.state.unlink()


@contextmanager
def row_file(target: Path, columns: Row, asked: str) -> Iterator[RowFile]:
    """A file of rows to add to, for one process at a time; it appears when the block ends well."""
    suffixes = SUFFIXES[columns]
    if target.suffix not in suffixes:
        what = f"{target} ends in neither {' nor '.join(suffixes)}"
        raise OutputError(what, remedy=f"call it {target.with_suffix(suffixes[0]).name}")
    with locked(beside(target, "lock"), "writes the same file"):
        if target.exists():
            raise OutputError(f"{target} already exists", remedy="choose another name; nothing was changed")
        file = RowFile(target, columns, asked)
        yield file
        file.finish()


def beside(target: Path, what: str) -> Path:
    return target.with_name(f".{target.name}.{what}")
