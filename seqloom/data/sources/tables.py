"""TSV and CSV: a row is a record, its columns named by a header or numbered from 1.

Is the first row a header? With `header` true or false, as it says. With "auto" it is when columns were asked for by
name, or when one of its cells is a name that the task knows (text, label, source ...).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from seqloom.data.lines import read_lines
from seqloom.data.record import Place, Record
from seqloom.data.report import Policy, Problem
from seqloom.data.sources.quoting import csv_rows
from seqloom.errors import DataError

Header: TypeAlias = Literal["auto"] | bool


def read_tsv(
    file: Path,
    policy: Policy | None = None,
    header: Header = "auto",
    asked: Collection[str] = (),
    known: Collection[str] = (),
) -> Iterator[Record]:
    """Cells between tabs, nothing quoted. `asked`: columns by name; `known`: names that give a header away."""
    policy = policy or Policy()
    rows = ((number, line.split("\t")) for number, line in read_lines(file, policy))
    return records(rows, file, policy, header, asked, known)


def read_csv(
    file: Path,
    policy: Policy | None = None,
    header: Header = "auto",
    asked: Collection[str] = (),
    known: Collection[str] = (),
) -> Iterator[Record]:
    """Cells between commas, quoted where they hold commas, quotes or newlines."""
    policy = policy or Policy()
    return records(csv_rows(file, policy), file, policy, header, asked, known)


def records(
    rows: Iterable[tuple[int, list[str]]],
    file: Path,
    policy: Policy,
    header: Header,
    asked: Collection[str],
    known: Collection[str],
) -> Iterator[Record]:
    name = str(file)
    names: list[str] | None = None
    for number, cells in rows:
        if len(cells) <= 1 and not "".join(cells).strip():
            policy.note(Place(name, number), "empty line")
            continue
        if names is None:
            names = [str(position) for position in range(1, len(cells) + 1)]
            if is_header(cells, header, asked, known):
                names = header_names(cells, Place(name, number))
                continue
        if len(cells) == len(names):
            yield Record(dict(zip(names, cells)), Place(name, number))
        else:
            detail = f"{len(cells)} where the first row has {len(names)}"
            policy.bad(Place(name, number), Problem("wrong number of columns", detail, "mend the row"))


def is_header(cells: list[str], header: Header, asked: Collection[str], known: Collection[str]) -> bool:
    """
    >>> is_header(["text", "category"], "auto", asked=[], known=["label", "text"])
    True
    >>> is_header(["pos", "a fine film"], "auto", asked=["1", "2"], known=["label", "text"])
    False
    """
    if header != "auto":
        return header
    if any(not name.isdecimal() for name in asked):
        return True
    return any(cell.strip().lower() in known for cell in cells)


def header_names(cells: list[str], place: Place) -> list[str]:
    """The names in a header; a column without one goes by its number."""
    names = [cell.strip() or str(position) for position, cell in enumerate(cells, 1)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"two columns are called {twice!r}", where=str(place), remedy="give each its own name")
    return names
