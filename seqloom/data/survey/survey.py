"""One walk over all splits, and what was found on the way."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from seqloom.data.bad_records import Report
from seqloom.data.column_roles import ForTask, columns_of, is_empty, roles_of
from seqloom.data.record import Record, Value
from seqloom.data.splits import Records
from seqloom.data.survey.duplicates import DuplicateFinder, DuplicateReport, Occurrences, joined
from seqloom.data.survey.lengths import LengthCount, Lengths
from seqloom.data.survey.likely_mistakes import LikelyMistakes, add
from seqloom.data.survey.vocabulary import VocabularyReport, WordCount, vocabulary_report

Tokenize: TypeAlias = Callable[[str], Sequence[str]]

ANSWERS = ("label", "tags", "target")
"""What a model says; all else it reads."""
TENTH = 10
HELD_OUT = "the tenth held out"
LABELS = 100_000
"""Different labels that are counted: more are no labels."""


@dataclass(frozen=True)
class ColumnReport:
    """A column of texts, or of frames, which have no characters."""

    words: Lengths
    characters: Lengths
    vocabulary: VocabularyReport

    def to_json(self) -> dict[str, Any]:
        return {
            "words": self.words.to_json(),
            "characters": self.characters.to_json(),
            "vocabulary": self.vocabulary.to_json(),
        }


@dataclass(frozen=True)
class Survey:
    """What data holds."""

    task: str | None
    splits: dict[str, int]
    """Records of each split."""
    columns: dict[str, ColumnReport]
    labels: dict[str, dict[str, int]]
    """Under `label` or `tags`: each with its count, the most frequent first."""
    repeated: DuplicateReport
    left_out: Report
    """What could not be read."""
    suspicious: Report
    """What was read and looks wrong."""

    @property
    def records(self) -> int:
        return sum(self.splits.values())

    def to_json(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        return {
            "task": self.task,
            "records": self.records,
            "parts": self.splits,
            "columns": {name: column.to_json() for name, column in self.columns.items()},
            "labels": self.labels,
            "repeated": {
                "compared": self.repeated.compared,
                "same": plain(self.repeated.same),
                "conflicting": plain(self.repeated.conflicting),
                "overlap": {split: plain(found) for split, found in self.repeated.overlap.items()},
            },
            "left_out": findings(self.left_out),
            "suspicious": findings(self.suspicious),
        }


def findings(report: Report) -> dict[str, Any]:
    return {
        reason: {"count": count, "places": list(map(str, report.places[reason]))}
        for reason, count in sorted(report.counts.items(), key=lambda item: -item[1])
    }


def plain(found: Occurrences) -> dict[str, Any]:
    return {"count": found.count, "places": list(map(str, found.places))}


class SurveyCounter:
    """All that is counted at once."""

    def __init__(self, task: ForTask, tokenize: Tokenize) -> None:
        self.task, self.tokenize = columns_of(task).task if task is not None else None, tokenize
        self.roles = roles_of(task)
        self.splits: dict[str, int] = {}
        self.words: defaultdict[str, LengthCount] = defaultdict(LengthCount)
        self.characters: defaultdict[str, LengthCount] = defaultdict(LengthCount)
        self.vocabulary: defaultdict[str, defaultdict[str, WordCount]] = defaultdict(lambda: defaultdict(WordCount))
        self.labels: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.repeats = DuplicateFinder()
        self.suspicions = LikelyMistakes(task)
        self.left_out = Report()

    def read(self, splits: Mapping[str, Records]) -> None:
        for split, records in splits.items():
            self.splits[split] = 0
            for number, record in enumerate(records, 1):
                self.splits[split] = number
                held_out = len(splits) == 1 and number % TENTH == 0
                self.look_at(record, split, HELD_OUT if held_out else split)
            self.left_out.merge(records.report)

    def look_at(self, record: Record, split: str, words_to: str) -> None:
        columns = {name: record.columns[name] for name in self.roles if name in record.columns} or record.columns
        given = [value for name, value in columns.items() if name not in ANSWERS]
        if not all(value is None or is_empty(value) for value in given):  # a text has many blank lines
            answers = [value for name, value in columns.items() if name in ANSWERS]
            self.repeats.add(split, joined(given), joined(answers), record.place)
        for name, value in columns.items():
            if name in ("label", "tags"):
                self.count_labels(name, value)
            elif isinstance(value, str | list):
                self.look_at_text(name, value, record, words_to)
            elif isinstance(value, np.ndarray):
                self.words[name].add(len(value), record.place)
        self.suspicions.compare(columns, record.place)

    def count_labels(self, name: str, value: Value) -> None:
        counts = self.labels[name]
        if len(counts) >= LABELS:
            return
        if isinstance(value, list):
            counts.update(value)
        else:
            counts[str(value)] += 1

    def look_at_text(self, name: str, value: str | list[str], record: Record, words_to: str) -> None:
        if isinstance(value, str):
            text, words = value, self.tokenize(value)
        else:
            text, words = " ".join(value), value
        self.words[name].add(len(words), record.place)
        self.characters[name].add(len(text), record.place)
        self.vocabulary[name][words_to].add(words)
        self.suspicions.look_at(name, text, record.place)

    def result(self) -> Survey:
        first = next(iter(self.splits))
        columns = {
            name: ColumnReport(
                words.result(),
                self.characters[name].result() if name in self.characters else Lengths({}),
                vocabulary_report(self.vocabulary[name], first),
            )
            for name, words in self.words.items()
        }
        suspicious = self.suspicions.result()
        for name, lengths in self.characters.items():
            count, places = lengths.overlong()
            if count:
                add(suspicious, f"overlong {name}", count, places)
        labels = {name: dict(counts.most_common()) for name, counts in self.labels.items()}
        return Survey(self.task, self.splits, columns, labels, self.repeats.result(), self.left_out, suspicious)


def survey(splits: Mapping[str, Records], task: ForTask = None, tokenize: Tokenize = str.split) -> Survey:
    """Read every split once and say what it holds; the first is that of training.

    tokenize     from a text to its words
    """
    counter = SurveyCounter(task, tokenize)
    counter.read(splits)
    return counter.result()
