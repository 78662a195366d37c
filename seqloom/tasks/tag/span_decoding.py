"""Tags of a sentence that make whole spans: no I- without the B- that it goes on from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from seqloom.evaluating.tagging import marks_spans

Array = NDArray[np.float64]
OUTSIDE = "O"


def may_follow(before: str, tag: str, closes: bool) -> bool:
    """Whether a tag may stand behind another; `closes`: spans of several words end in E-, as in BIOES.

    >>> may_follow("O", "I-PER", False), may_follow("B-PER", "I-PER", False), may_follow("B-PER", "O", True)
    (False, True, False)
    """
    (mark_before, _, kind_before), (mark, _, kind) = before.partition("-"), tag.partition("-")
    inside = mark_before in ("B", "I")
    if mark in ("I", "E"):
        return inside and kind == kind_before
    return not (closes and inside)


def is_well_formed(sentences: Iterable[Sequence[str]]) -> bool:
    """Whether tags mark spans, and every span begins with B- (or S-): so it is in IOB2 and BIOES, but not in IOB1."""
    found = {pair for tags in sentences for pair in zip([OUTSIDE, *tags], [*tags, OUTSIDE])}
    tags = {tag for pair in found for tag in pair}
    return marks_spans(tags) and all(may_follow(*pair, closes_spans(tags)) for pair in found)


def closes_spans(tags: Iterable[str]) -> bool:
    return any(tag.partition("-")[0] == "E" for tag in tags)


def allowed_transitions(tags: Sequence[str]) -> NDArray[np.bool_]:
    """Which tag may follow which: (tags + 1, tags + 1), behind the tags the beginning as a row, the end as a column."""
    closes, ends = closes_spans(tags), [*tags, OUTSIDE]
    return np.array([[may_follow(before, tag, closes) for tag in ends] for before in ends])


class SpanDecoder:
    """The likeliest tags of a sentence among those that make whole spans (Viterbi)."""

    def __init__(self, tags: Sequence[str]) -> None:
        allowed = allowed_transitions(tags)
        self.allowed, self.first, self.last = allowed[:-1, :-1], allowed[-1, :-1], allowed[:-1, -1]

    def __call__(self, probabilities: Array) -> list[int]:
        """probabilities (T, tags) -> the index of each tag."""
        if not len(probabilities):
            return []
        best = probabilities.argmax(-1)
        if self.first[best[0]] and self.last[best[-1]] and self.allowed[best[:-1], best[1:]].all():
            return [int(tag) for tag in best]
        with np.errstate(divide="ignore"):
            scores = np.log(probabilities)
            steps, score = np.log(self.allowed), scores[0] + np.log(self.first)
            came_from = []
            for row in scores[1:]:
                paths = score[:, None] + steps
                came_from.append(paths.argmax(0))
                score = paths.max(0) + row
            tag = int((score + np.log(self.last)).argmax())
        found = [tag]
        for before in reversed(came_from):
            found.append(tag := int(before[tag]))
        return found[::-1]
