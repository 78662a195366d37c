"""Rows of CSV: quotes as the csv module reads them, each row with the line that it starts on.

A broken row costs itself and nothing else: a quote that is never closed would swallow the rest of the file, so
the lines that it took are put back and read again as rows of their own.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from seqloom.data.lines import scan
from seqloom.data.record import Place
from seqloom.data.report import Policy, Problem

REMEDY = 'close the quote, and write a quote inside quotes twice: ""'


def csv_rows(file: Path, policy: Policy) -> Iterator[tuple[int, list[str]]]:
    """The rows that can be used, each with the number of its first line."""
    csv.field_size_limit(max(csv.field_size_limit(), policy.longest_line))  # of the process; never made smaller
    waiting: deque[tuple[int, str | Problem]] = deque()
    lines = scan(file, policy)
    while numbered := waiting.popleft() if waiting else next(lines, None):
        number, line = numbered
        if isinstance(line, str) and '"' not in line:
            yield number, line.split(",")  # what the csv module gives, save that a lone \r stays where it is
            continue
        taken = [numbered]
        try:
            cells = next(csv.reader(feed(taken, waiting, lines, policy.longest_line), strict=True))
        except csv.Error as error:
            waiting.extendleft(reversed(taken[1:]))
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
