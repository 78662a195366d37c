"""What looks wrong in a record, or beside the others: counted by kind, with the first few places of each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from math import log2

from seqloom.data.bad_records import KEPT, Report
from seqloom.data.column_roles import ForTask, columns_of
from seqloom.data.record import Place, Value
from seqloom.data.survey.scripts import odd_scripts, script_of

STEPS = 8
"""Steps in which the ratio of two lengths is counted, from one doubling to the next."""
FAR = 2
"""Doublings away from the usual ratio that make a pair unequal."""
SLACK = 10
"""Letters added to both sides of a pair: of two short texts one is easily twice the other."""

CONTROL = "\x01-\x08\x0b\x0c\x0e-\x1f\x7f"
may_be_garbled = re.compile(f"[\ufffdÃâ{CONTROL}]").search  # a single class of letters is searched for fast
garbled = re.compile(f"\ufffd|Ã[\u0080-\u00bf]|â€|[{CONTROL}]").search
"""The mark for letters that were lost, UTF-8 that was read as Latin-1, and control characters."""


class LikelyMistakes:
    """Looks at records as they come; what can only be judged beside all others waits for the end."""

    def __init__(self, task: ForTask) -> None:
        self.may_be_empty = task is not None and columns_of(task).may_be_empty
        self.report = Report()
        self.scripts: defaultdict[str, Report] = defaultdict(Report)
        self.ratios = Report()

    def look_at(self, name: str, text: str, place: Place) -> None:
        """At one column."""
        if not text.strip():
            if not self.may_be_empty:
                self.report.add(f"empty {name}", place)
            return
        if may_be_garbled(text) and garbled(text):
            self.report.add(f"garbled letters in {name}", place)
        if not self.may_be_empty and not any(map(str.isalnum, text)):
            self.report.add(f"no word in {name}", place)
        if script := script_of(text):
            self.scripts[name].add(script, place)

    def compare(self, columns: Mapping[str, Value], place: Place) -> None:
        """The two sides of a pair."""
        source, target = columns.get("source"), columns.get("target")
        if isinstance(source, str) and isinstance(target, str) and source.strip() and target.strip():
            if source == target:
                self.report.add("source and target are the same", place)
            ratio = log2((len(target) + SLACK) / (len(source) + SLACK))
            self.ratios.add(str(round(ratio * STEPS)), place)

    def result(self) -> Report:
        found = Report()
        found.merge(self.report)
        for name, report in self.scripts.items():
            main, odd = odd_scripts(report.counts)
            for script in odd:
                add(found, f"{script} in {name}, where others are {main}", report.counts[script], report.places[script])
        far = far_off({int(step): count for step, count in self.ratios.counts.items()})
        if far:
            places = sorted(place for step in far for place in self.ratios.places[str(step)])
            add(found, "unequal pair", sum(self.ratios.counts[str(step)] for step in far), places)
        return found


def add(report: Report, reason: str, count: int, places: list[Place]) -> None:
    """Many of a kind at once."""
    report.counts[reason] = count
    report.places[reason] = places[:KEPT]


def far_off(steps: Mapping[int, int]) -> list[int]:
    """The steps that are far from the median.

    >>> far_off({0: 90, 3: 9, 40: 1})
    [40]
    """
    left = sum(steps.values()) / 2
    median = 0
    for step in sorted(steps):
        left -= steps[step]
        if left <= 0:
            median = step
            break
    return sorted(step for step in steps if abs(step - median) > FAR * STEPS)
