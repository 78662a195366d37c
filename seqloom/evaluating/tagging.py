"""Sequence labelling metrics: accuracy of tags, precision, recall and F1 of the spans that BIO or BIOES tags mark."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from seqloom.errors import DataError
from seqloom.evaluating.classification import check_same_length, f1_score


class TagSpan(NamedTuple):
    """Words [start, end) are one thing of this kind."""

    kind: str
    start: int
    end: int


class SpanCounts(NamedTuple):
    """How many spans are right, were given, are there."""

    right: int
    given: int
    there: int

    @property
    def f1(self) -> float:
        return f1_score(*self)

    @property
    def precision(self) -> float:
        return self.right / max(self.given, 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.there, 1)


@dataclass(frozen=True)
class TaggingMetrics:
    """Metrics of tags, word by word and, where tags mark spans, span by span."""

    right: int
    words: int
    by_kind: Mapping[str, SpanCounts] | None
    """Spans by their kind, in order of the alphabet; None for tags that mark no spans."""

    @classmethod
    def of(cls, true: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> TaggingMetrics:
        """From the tags of sentences."""
        check_same_length(predicted, true, "tagged sentences")
        for number, (truth, guess) in enumerate(zip(true, predicted, strict=True), 1):
            if len(truth) != len(guess):
                raise DataError(
                    f"{len(guess)} tags for {len(truth)} words", where=f"sentence {number}", remedy="one for each word"
                )
        right = sum(t == p for truth, guess in zip(true, predicted, strict=True) for t, p in zip(truth, guess))
        words = sum(map(len, true))
        if not marks_spans(tag for tags in (*true, *predicted) for tag in tags):
            return cls(right, words, None)
        counts = [Counter[str](), Counter[str](), Counter[str]()]
        for truth, guess in zip(true, predicted, strict=True):
            there, given = set(spans(truth)), set(spans(guess))
            for count, found in zip(counts, (there & given, given, there), strict=True):
                count.update(span.kind for span in found)
        kinds = sorted(counts[1] | counts[2])
        return cls(right, words, {kind: SpanCounts(*(count[kind] for count in counts)) for kind in kinds})

    @property
    def accuracy(self) -> float:
        """The share of words whose tag is right."""
        return self.right / max(self.words, 1)

    @property
    def all_spans(self) -> SpanCounts:
        """Spans of every kind counted together: its `f1` is the micro F1 that is reported for CoNLL-2003."""
        kinds = (self.by_kind or {}).values()
        return SpanCounts(sum(k.right for k in kinds), sum(k.given for k in kinds), sum(k.there for k in kinds))

    def metrics(self) -> dict[str, float]:
        if self.by_kind is None:
            return {"accuracy": self.accuracy}
        found = self.all_spans
        return {
            "accuracy": self.accuracy,
            "precision": found.precision,
            "recall": found.recall,
            "f1": found.f1,
        }

    def json(self) -> dict[str, Any]:
        kinds = {} if self.by_kind is None else {"spans": {kind: f._asdict() for kind, f in self.by_kind.items()}}
        return {**self.metrics(), "words": self.words, **kinds}

    def rows(self) -> list[tuple[str, ...]]:
        """For a table: kind of span, precision, recall, F1, how many are there; all of them last."""
        if self.by_kind is None:
            return []
        return [
            (kind, f"{found.precision:.3f}", f"{found.recall:.3f}", f"{found.f1:.3f}", str(found.there))
            for kind, found in {**self.by_kind, "all": self.all_spans}.items()
        ]


TYPED = re.compile(r"O|[BIES]-.+")
BARE = {"B", "I", "O", "E", "S"}


def marks_spans(tags: Iterable[str]) -> bool:
    """Whether tags are BIO (IOB1, IOB2) or BIOES.

    >>> marks_spans(["B-PER", "I-PER", "O"]), marks_spans(["B", "I", "O"]), marks_spans(["NOUN", "O"])
    (True, True, False)
    """
    kinds = set(tags)
    if kinds <= BARE:
        return bool(kinds & {"B", "S"})
    return all(map(TYPED.fullmatch, kinds))


def spans(tags: Sequence[str]) -> list[TagSpan]:
    """The spans that tags mark, as conlleval reads them: an I- (or E-) with nothing of its kind to go on begins one.

    >>> spans(["I-LOC", "I-LOC", "B-LOC", "O", "E-PER"])
    [TagSpan(kind='LOC', start=0, end=2), TagSpan(kind='LOC', start=2, end=3), TagSpan(kind='PER', start=4, end=5)]
    """
    found: list[TagSpan] = []
    start = 0
    mark, kind = "O", ""
    for place, tag in enumerate([*tags, "O"]):
        before, kind_before = mark, kind
        mark, _, kind = tag.partition("-")
        goes_on = mark in "IE" and before in "BI" and kind == kind_before
        if before != "O" and not goes_on:
            found.append(TagSpan(kind_before, start, place))
        if not goes_on:
            start = place
    return found
