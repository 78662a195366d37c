"""TSV and CSV: a row is a record, its columns named by a header or numbered from 1.

Is the first row a header? With `header` true or false, as it says. With "auto" it is when columns were asked for by
name, when one of its cells is a name that the task knows (text, label, source ...), or when all of them are single
words and one is a name that such columns often have (review, sentiment ...), or is of another kind than the rows below.

What stands between cells is found in the first lines unless it is set: comma, semicolon, tab or vertical bar.

Quotes of CSV are as the csv module reads them. A broken row costs itself and nothing else: a quote that is never closed
would swallow the rest of the file, so the lines that it took are put back and read again as rows of their own.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from seqloom.data.bad_records import Policy, Problem
from seqloom.data.column_guess import ahead, are_texts, names_columns, usual_names
from seqloom.data.line_reader import read_lines, scan
from seqloom.data.record import Place, Record
from seqloom.errors import DataError

Header: TypeAlias = Literal["auto"] | bool

SEPARATORS = ("\t", ";", "|", ",")
LOOKED_AT = 100
"""Lines in which the separator and a header are looked for."""
AHEAD, FREE_AHEAD = 50, 200_000
"""Lines that are read in vain, for each line of a file and beside, in looking for the ends of quotes."""
QUOTED = re.compile('"[^"]*"')
REMEDY = 'close the quote, and write a quote inside quotes twice: ""'


def read_table(
    file: Path,
    policy: Policy | None = None,
    header: Header = "auto",
    asked: Collection[str] = (),
    known: Collection[str] = (),
    separator: str = "auto",
    *,
    usual: str = ",",
) -> Iterator[Record]:
    """Cells between separators, quoted where they hold separators, quotes or newlines; in a TSV nothing is quoted.

    asked  columns by name
    known  names that give a header away
    usual  the separator where the first lines show no other; a tab for a TSV
    """
    policy = policy or Policy()
    separator = sniffed(file, usual) if separator == "auto" else separator
    rows = csv_rows(file, policy, separator)
    if usual == separator == "\t":
        rows = ((number, line.split("\t")) for number, line in read_lines(file, policy))
    yield from records(rows, file, policy, header, asked, known)


read_csv, read_tsv = read_table, partial(read_table, usual="\t")


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
    first, rows = ahead(iter(rows), LOOKED_AT)
    below = [cells for _, cells in first[1:]]
    for number, cells in rows:
        if len(cells) <= 1 and not "".join(cells).strip():
            policy.note(Place(name, number), "empty line")
            continue
        if names is None:
            names = [str(position) for position in range(1, len(cells) + 1)]
            if is_header(cells, header, asked, known, below):
                names = header_names(cells, Place(name, number))
                continue
        if len(cells) == len(names):
            yield Record(dict(zip(names, cells)), Place(name, number))
        else:
            detail = f"{len(cells)} where the first row has {len(names)}"
            policy.bad(Place(name, number), Problem("wrong number of columns", detail, "fix the row"))


def is_header(
    cells: list[str],
    header: Header,
    asked: Collection[str],
    known: Collection[str],
    below: Sequence[Sequence[str]] = (),
) -> bool:
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
    names = [cell.strip().lower() for cell in cells]
    if any(name in known for name in names):
        return True
    if len(names) < 2:
        return False
    usual = usual_names(known)
    if all(map(is_name, names)):
        return not usual.isdisjoint(names) or names_columns(cells, below)
    words = {word for name in names for word in name.split()}  # Review Body
    sentences = any(are_texts([name]) for name in names)
    return not (sentences or usual.isdisjoint(words)) and names_columns(cells, below)


def is_name(cell: str) -> bool:
    """Whether a cell could be the name of a column: one word, or none."""
    return not cell or (cell.replace("_", "").replace("-", "").isalnum() and not cell.isdecimal())


def sniffed(file: Path, usual: str) -> str:
    """The usual separator if every one of the first lines has it, else one that they all have as often as each other.

    Lines that open a quote and do not close it say nothing.
    """
    try:
        bytewise = Policy("skip", encoding="latin-1")  # whatever it is in, separators are bytes of ASCII
        lines = [line for (_, line), _ in zip(scan(file, bytewise), range(LOOKED_AT)) if isinstance(line, str)]
    except DataError:  # said when it is read
        return usual
    if len(lines) == 1 and lines[0].count("\r") > 1:
        remedy = "save it again, in Excel as CSV UTF-8, not as CSV (Macintosh)"
        raise DataError("its lines end in carriage returns alone, as on old Macs", where=str(file), remedy=remedy)
    lines = [QUOTED.sub("", line) for line in lines if line.strip() and line.count('"') % 2 == 0]
    if not lines or all(usual in line for line in lines):
        return usual
    counts = {separator: {line.count(separator) for line in lines} for separator in SEPARATORS}
    return next((one for one, found in counts.items() if len(found) == 1 and 0 not in found), usual)


def header_names(cells: list[str], place: Place) -> list[str]:
    """The names in a header; a column without one goes by its number."""
    names = [cell.strip() or str(position) for position, cell in enumerate(cells, 1)]
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise DataError(f"two columns are called {twice!r}", where=str(place), remedy="give each its own name")
    return names


def csv_rows(file: Path, policy: Policy, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that can be used, each with the number of its first line."""
    csv.field_size_limit(max(csv.field_size_limit(), policy.longest_line))  # of the process; never made smaller
    waiting: deque[tuple[int, str | Problem]] = deque()
    lines = scan(file, policy)
    looked_ahead = 0
    while numbered := waiting.popleft() if waiting else next(lines, None):
        number, line = numbered
        if isinstance(line, str) and '"' not in line:
            yield number, line.split(separator)  # what the csv module gives, save that a lone \r stays where it is
            continue
        taken = [numbered]
        try:
            cells = next(csv.reader(feed(taken, waiting, lines, policy.longest_line), delimiter=separator, strict=True))
        except csv.Error as error:
            waiting.extendleft(reversed(taken[1:]))
            looked_ahead += len(taken)
            if looked_ahead > FREE_AHEAD + AHEAD * number:
                what = "too many quotes are opened and not closed"
                raise DataError(what, where=str(Place(str(file), number)), remedy=REMEDY) from None
            policy.bad(Place(str(file), number), broken(error) if isinstance(line, str) else line)
            continue
        spoiled = next(((at, found) for at, found in taken if isinstance(found, Problem)), None)
        if spoiled is None:
            yield number, cells
        else:
            policy.bad(Place(str(file), spoiled[0]), spoiled[1])


def feed(
    taken: list[tuple[int, str | Problem]],
    waiting: deque[tuple[int, str | Problem]],
    lines: Iterator[tuple[int, str | Problem]],
    longest: int,
) -> Iterator[str]:
    """The lines of one row, as the csv module asks for them; a row as long as no line may be ends."""
    numbered: tuple[int, str | Problem] | None = taken[0]
    size = 0
    while numbered:
        text = numbered[1] if isinstance(numbered[1], str) else numbered[1].stand_in
        size += len(text)
        if size > longest and len(taken) > 1:
            return
        yield text + "\n"
        numbered = waiting.popleft() if waiting else next(lines, None)
        if numbered:
            taken.append(numbered)


def broken(error: csv.Error) -> Problem:
    detail = str(error)
    if "unexpected end" in detail:
        detail = "a quote is opened here and not closed"
    elif "new-line" in detail:
        detail = "a carriage return stands outside quotes"
    return Problem("broken quoting", detail, REMEDY)
