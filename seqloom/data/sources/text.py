"""Plain text: a line is a record, an empty one too, for language models read the blank lines of a text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seqloom.data.bad_records import Policy
from seqloom.data.line_reader import read_lines
from seqloom.data.record import Place, Record


def read_text(file: Path, policy: Policy | None = None) -> Iterator[Record]:
    """Column `text`."""
    name = str(file)
    for number, line in read_lines(file, policy or Policy()):
        yield Record({"text": line}, Place(name, number))
