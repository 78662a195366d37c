"""How good a tagger is: word by word, tag by tag, and where tags are BIO span by span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from seqloom.evaluating.classification import Classified
from seqloom.evaluating.tags import Tagged
from seqloom.tasks.task import Findings, Table


@dataclass(frozen=True)
class Guesses:
    """Numbers of tags for the words of each sentence, and which words the dictionary does not have."""

    true: Sequence[Sequence[int]]
    given: Sequence[Sequence[int]]
    unknown: Sequence[Sequence[bool]]
    loss: float
    """Summed over all words."""


def findings(guesses: Guesses, tags: Sequence[str], marks_spans: bool) -> Findings:
    """Accuracy decides, or F1 of spans where the tags of training data mark such."""
    true, given = np.concatenate(guesses.true), np.concatenate(guesses.given)
    unknown = np.concatenate(guesses.unknown).astype(bool)
    figures = {"loss": guesses.loss / max(len(true), 1), "accuracy": float((true == given).mean())}
    if unknown.any():
        figures["unknown_accuracy"] = float((true == given)[unknown].mean())
    details = {"words": len(true), "unknown": int(unknown.sum())}
    if marks_spans:
        named = [[[tags[number] for number in numbers] for numbers in of] for of in (guesses.true, guesses.given)]
        found = Tagged.of(*named)
        spans = found.all_spans
        figures |= {"precision": spans.precision, "recall": spans.recall, "f1": spans.f1}
        table = Table("", ["span", "precision", "recall", "F1", "there"], found.rows())
        return Findings(figures, spans.f1, [table], {**details, "spans": found.json().get("spans", {})})
    by_tag = Classified.of(tags, true.tolist(), given.tolist())
    counts, f1 = by_tag.confusion.sum(1).tolist(), by_tag.f1.tolist()
    rows = [[tag, str(count), f"{value:.3f}"] for tag, count, value in zip(tags, counts, f1, strict=True)]
    per_tag = {tag: {"words": count, "f1": value} for tag, count, value in zip(tags, counts, f1, strict=True)}
    return Findings(
        figures, figures["accuracy"], [Table("", ["tag", "words", "F1"], rows)], {**details, "tags": per_tag}
    )
