"""CoNLL and CoNLL-U: a line per word, a blank line after each sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.line_reader import read_blocks
from seqloom.data.record import Place, Record
from seqloom.errors import DataError, close_matches

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""Of CoNLL-U."""

DOCUMENT = "-DOCSTART-"
"""Stands in CoNLL-2003 where a document begins: a mark, not a word."""


def read_conll(
    file: Path, policy: Policy | None = None, columns: Mapping[str, str | int] | None = None
) -> Iterator[Record]:
    """Lists under the names in `columns`, by number from 1, or from -1 at the end: the first and last by default.

    Cells stand between tabs, or between white space in a line without tabs.
    """
    wanted = {"tokens": 1, "tags": -1, **(columns or {})}
    indices = {role: index_of(column, (), file) for role, column in wanted.items()}
    policy = policy or Policy()
    width = 0
    for block in read_blocks(file, policy, policy.longest_line):
        rows = [(number, cells_of(line)) for number, line in block if not line.startswith(DOCUMENT)]
        if rows:
            width = width or len(rows[0][1])
            yield from sentence(rows, indices, width, file, policy)


def read_conllu(
    file: Path, policy: Policy | None = None, columns: Mapping[str, str | int] | None = None
) -> Iterator[Record]:
    """As `read_conll`, the columns also by name: FORM and UPOS by default.

    Comments, multiword tokens (1-2) and empty nodes (1.1) are no words of the sentence.
    """
    wanted = {"tokens": "FORM", "tags": "UPOS", **(columns or {})}
    indices = {role: index_of(column, COLUMNS, file) for role, column in wanted.items()}
    policy = policy or Policy()
    for block in read_blocks(file, policy, policy.longest_line):
        rows = [(number, line.split("\t")) for number, line in block if not line.startswith("#")]
        words = [row for row in rows if not ("-" in row[1][0] or "." in row[1][0])]
        if words:
            yield from sentence(words, indices, len(COLUMNS), file, policy)


def sentence(
    rows: list[tuple[int, list[str]]], indices: Mapping[str, int], width: int, file: Path, policy: Policy
) -> Iterator[Record]:
    """One record, or none when a row is bad: tokens and tags stay in step."""
    for number, cells in rows:
        problem = problem_of(cells, indices, width)
        if problem is not None:
            policy.bad(Place(str(file), number), problem)
            return
    lists = {role: [cells[index] for _, cells in rows] for role, index in indices.items()}
    yield Record(lists, Place(str(file), rows[0][0]))


def problem_of(cells: list[str], indices: Mapping[str, int], width: int) -> Problem | None:
    if len(cells) != width or not all(-width <= index < width for index in indices.values()):
        need = max(width, *(index + 1 for index in indices.values()))
        return Problem("wrong number of columns", f"{len(cells)} where {need} are needed", "fix the row")
    empty = next((role for role, index in indices.items() if not cells[index].strip()), None)
    return Problem("empty cell", f"nothing under {empty}", "fix the row") if empty is not None else None


def cells_of(line: str) -> list[str]:
    return line.split("\t") if "\t" in line else line.split()


def index_of(column: str | int, names: tuple[str, ...], file: Path) -> int:
    """The index of a column given by name or number."""
    if str(column).upper() in names:
        return names.index(str(column).upper())
    try:
        number = int(column)
    except ValueError:
        near = close_matches(str(column), names)
        known = f"there are: {', '.join(names)}" if names else "number the columns from 1; only CoNLL-U has names"
        remedy = f"did you mean {near[0]}?" if near else known
        raise DataError(f"no column is called {column!r}", where=str(file), remedy=remedy) from None
    if number == 0:
        raise DataError("there is no column 0", where=str(file), remedy="number the columns from 1")
    return number - 1 if number > 0 else number
