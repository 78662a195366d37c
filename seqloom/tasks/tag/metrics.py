"""How good a tagger is: word by word, tag by tag, and where tags are BIO span by span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import eq

import numpy as np

from seqloom.evaluating.bootstrap import CountedMetric, f1_metric, ratio
from seqloom.evaluating.classification import ConfusionMatrix
from seqloom.evaluating.tagging import TaggingMetrics
from seqloom.evaluating.tagging import spans as spans_of
from seqloom.tasks.task import Evaluation, ResultTable


@dataclass(frozen=True)
class Predictions:
    """Tag ids for the words of each sentence, true and predicted, and which words are not in the vocabulary."""

    true: Sequence[Sequence[int]]
    given: Sequence[Sequence[int]]
    unknown: Sequence[Sequence[bool]]
    loss: float
    """Summed over all words."""


def evaluation(predictions: Predictions, tags: Sequence[str], marks_spans: bool) -> Evaluation:
    """Accuracy selects the best checkpoint, or F1 of spans where the tags of the training data are BIO."""
    true, given = np.concatenate(predictions.true), np.concatenate(predictions.given)
    unknown = np.concatenate(predictions.unknown).astype(bool)
    metrics = {"loss": predictions.loss / max(len(true), 1), "accuracy": float((true == given).mean())}
    if unknown.any():
        metrics["unknown_accuracy"] = float((true == given)[unknown].mean())
    details = {"words": len(true), "unknown": int(unknown.sum())}
    lengths = list(map(len, predictions.true))
    if marks_spans:
        named = [[[tags[id] for id in sentence] for sentence in of] for of in (predictions.true, predictions.given)]
        found = TaggingMetrics.of(*named)
        spans = found.all_spans
        metrics |= {"precision": spans.precision, "recall": spans.recall, "f1": spans.f1}
        table = ResultTable("", ["span", "precision", "recall", "F1", "there"], found.rows())
        pairs = [({*spans_of(one)}, {*spans_of(other)}) for one, other in zip(*named, strict=True)]
        counted = f1_metric((len(one & other), len(other), len(one)) for one, other in pairs)
        return Evaluation(
            metrics, spans.f1, [table], {**details, "spans": found.json().get("spans", {})}, counted,
            lengths=lengths, measure="f1", how="f1 of spans",
        )  # fmt: skip
    by_tag = ConfusionMatrix.of(tags, true.tolist(), given.tolist())
    counts, f1 = by_tag.confusion.sum(1).tolist(), by_tag.f1.tolist()
    rows = [[tag, str(count), f"{value:.3f}"] for tag, count, value in zip(tags, counts, f1, strict=True)]
    per_tag = {tag: {"words": count, "f1": value} for tag, count, value in zip(tags, counts, f1, strict=True)}
    right = [sum(map(eq, one, other)) for one, other in zip(predictions.true, predictions.given, strict=True)]
    counted = CountedMetric(np.column_stack([right, lengths]).astype(np.float64), ratio)
    table = ResultTable("", ["tag", "words", "F1"], rows)
    return Evaluation(
        metrics, metrics["accuracy"], [table], {**details, "tags": per_tag}, counted,
        lengths=lengths, measure="accuracy", how="accuracy of words",
    )  # fmt: skip
