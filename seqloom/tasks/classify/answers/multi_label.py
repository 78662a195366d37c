"""Several labels, or none: each is there or not, by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from seqloom.data.record import Record
from seqloom.errors import DataError
from seqloom.evaluating import multilabel
from seqloom.evaluating.bootstrap import f1_metric
from seqloom.tasks.classify.answers.base import Answers, ReadText, column_of, learned, never_seen
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.task import Evaluation, Facts, ResultTable


@dataclass(frozen=True)
class MultiLabelAnswer(ReadText):
    """The labels of a text whose probability reaches the threshold, and the probability of each label."""

    text: str
    labels: list[str]
    scores: dict[str, float]

    def __str__(self) -> str:
        return ", ".join(self.labels)

    def json(self) -> dict[str, Any]:
        return {"text": self.text, "labels": self.labels, "scores": self.scores, **self.read()}


class SetCount:
    """Counts the labels in the sets of training data."""

    def __init__(self, config: ClassifyConfig) -> None:
        self.separator = config.classify.separator
        self.found: Counter[str] = Counter()

    def add(self, record: Record) -> None:
        self.found.update(set(labels_of(record, self.separator)))

    def facts(self, where: str) -> dict[str, Any]:
        if not self.found:
            raise DataError("no text has a label", where=where, remedy="check data.columns.labels")
        return {"labels": sorted(self.found)}


class MultiLabel(Answers):
    """A sigmoid and binary cross-entropy for each label."""

    Learner = SetCount

    def __init__(self, config: ClassifyConfig, facts: Facts) -> None:
        super().__init__(config, facts)
        self.labels: list[str] = learned(facts, "labels")
        self.label_ids = {label: id for id, label in enumerate(self.labels)}
        self.outputs = len(self.labels)
        self.threshold = config.classify.threshold

    @classmethod
    def labels_in(cls, config: ClassifyConfig) -> Callable[[Record], Sequence[str]]:
        return lambda record: labels_of(record, config.classify.separator)

    def encode(self, record: Record) -> list[int]:
        labels = labels_of(record, self.config.classify.separator)
        unknown = next((label for label in labels if label not in self.label_ids), None)
        if unknown is not None:
            raise never_seen(unknown, self.labels, record)
        return sorted({self.label_ids[label] for label in labels})

    def targets(self, rows: Sequence[NDArray[Any]], device: torch.device) -> Tensor:
        targets = torch.zeros(len(rows), self.outputs)
        for target, row in zip(targets, rows, strict=True):
            target[row.astype(np.int64)] = 1.0
        return targets.to(device)

    def loss(self, logits: Tensor, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        wanted = targets * (1 - smoothing) + smoothing / 2
        return F.binary_cross_entropy_with_logits(logits, wanted, reduction="sum")

    def class_logits(self, logits: Tensor) -> Tensor:
        """A binary classification for each label: the logits of no and yes."""
        return F.pad(logits.flatten()[:, None], (1, 0))

    def answer(self, text: str, logits: Tensor) -> MultiLabelAnswer:
        scores = dict(zip(self.labels, torch.sigmoid(logits).tolist(), strict=True))
        return MultiLabelAnswer(text, [label for label, p in scores.items() if p >= self.threshold], scores)

    def explained(self, logits: Tensor) -> tuple[list[str], Callable[[Tensor], Tensor]]:
        """The labels that are given; if there are none, the one that comes nearest."""
        given = sets(torch.sigmoid(logits[None]) >= self.threshold)[0] or [int(logits.argmax())]
        return [self.labels[id] for id in given], lambda rows: rows[:, given]

    def predicted(self, logits: Tensor) -> list[Any]:
        return sets(torch.sigmoid(logits) >= self.threshold)

    def expected(self, targets: Tensor) -> list[Any]:
        return sets(targets > 0)

    def named(self, answer: Any) -> str:
        return ", ".join(self.labels[id] for id in answer)

    def evaluation(self, expected: list[Any], predicted: list[Any], loss: float) -> Evaluation:
        found = multilabel.MultilabelMetrics.of(self.labels, expected, predicted)
        table = ResultTable("", ["label", "F1", "right", "given", "there"], found.rows())
        pairs = [({*true}, {*given}) for true, given in zip(expected, predicted, strict=True)]
        counted = f1_metric((len(true & given), len(given), len(true)) for true, given in pairs)
        return Evaluation(
            {"loss": loss, **found.metrics()}, found.micro_f1, [table], found.json(), counted, measure="f1", how="f1"
        )


def sets(chosen: Tensor) -> list[list[int]]:
    """The label ids that are True in each example."""
    return [row.nonzero()[:, 0].tolist() for row in chosen.cpu()]


def labels_of(record: Record, separator: str) -> list[str]:
    """The labels of a record: a list as it is, a text cut at the separator; an empty one has none."""
    value = record.columns.get(column_of(record))
    if value is None:
        raise DataError("no labels", where=str(record.place), remedy="leave the cell empty for none")
    if isinstance(value, np.ndarray):
        return [f"{number:g}" for number in value.ravel()]
    found = value if isinstance(value, list) else str(value).split(separator)
    return [label.strip() for label in found if label.strip()]
