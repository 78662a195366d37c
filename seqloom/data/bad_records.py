"""What to do with data that cannot be used, and the account of what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from seqloom.data.character_encoding import UTF_8
from seqloom.data.record import Place
from seqloom.errors import DataError

OnBad: TypeAlias = Literal["error", "skip"]

KEPT = 3
"""Places remembered for each reason: enough to look at, whatever the size of the data."""


class Problem(NamedTuple):
    """Why something cannot be used."""

    reason: str  # short, the same for all of its kind: problems are counted by it
    detail: str = ""
    remedy: str = "mend it"
    stand_in: str = ""  # of a bad line: what a reader of quotes reads in its place, to stay in step

    @property
    def what(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


class Report:
    """What was left out: how often for each reason, and the first few places.

    >>> report = Report()
    >>> report.add("empty line", Place("a.txt", 7))
    >>> print(report)
    left out 1: 1 × empty line (a.txt:7)
    """

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.places: dict[str, list[Place]] = {}
        self.remedies: dict[str, str] = {}

    def add(self, reason: str, place: Place, remedy: str = "") -> None:
        self.remedies.setdefault(reason, remedy)
        self.counts[reason] = self.counts.get(reason, 0) + 1
        first = self.places.setdefault(reason, [])
        if len(first) < KEPT:
            first.append(place)

    def merge(self, other: Report) -> None:
        """Take over what another report counted, as if it had been counted here afterwards."""
        for reason, count in other.counts.items():
            self.counts[reason] = self.counts.get(reason, 0) + count
            self.places[reason] = [*self.places.get(reason, []), *other.places[reason]][:KEPT]

    @property
    def remedy(self) -> str:
        """What to do about the most frequent reason."""
        return next(filter(None, (self.remedies.get(reason, "") for reason in by_count(self.counts))), "")

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __str__(self) -> str:
        if not self.counts:
            return "nothing was left out"
        return f"left out {self.total:,}: " + ", ".join(self.line(reason) for reason in by_count(self.counts))

    def line(self, reason: str) -> str:
        places = ", ".join(map(str, self.places[reason]))
        more = " ..." if self.counts[reason] > len(self.places[reason]) else ""
        return f"{self.counts[reason]:,} × {reason} ({places}{more})"


def by_count(counts: Mapping[str, int]) -> list[str]:
    """The most frequent first; those of equal count in the order they were met."""
    return sorted(counts, key=lambda name: -counts[name])


@dataclass(frozen=True)
class Policy:
    """How data is read: what happens to what cannot be used, and what counts as too long."""

    on_bad: OnBad = "error"
    longest_line: int = 1_000_000
    """Bytes."""
    report: Report = field(default_factory=Report)
    encoding: str = UTF_8
    """Of the lines of a file."""

    def bad(self, place: Place, problem: Problem) -> None:
        """Stop with an error, or count it and let the reader go on with the next record."""
        if self.on_bad == "error":
            raise DataError(
                problem.what, where=str(place), remedy=f"{problem.remedy}, or leave such out with data.on_bad=skip"
            )
        self.report.add(problem.reason, place, problem.remedy)

    def note(self, place: Place, reason: str) -> None:
        """Count what was left out and could not have been a record, whatever the policy."""
        self.report.add(reason, place)
