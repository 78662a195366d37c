"""Several labels, or none: each is there or not, by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from seqloom.data.record import Record
from seqloom.errors import DataError
from seqloom.evaluating import several
from seqloom.tasks.classify.answers.base import Answers, column_of, never_seen
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.task import Facts, Findings, Table


@dataclass(frozen=True)
class SeveralLabels:
    """What a model says of one text: the labels that are likely enough, and the probability of each."""

    text: str
    labels: list[str]
    scores: dict[str, float]

    def __str__(self) -> str:
        return ", ".join(self.labels)

    def json(self) -> dict[str, Any]:
        return {"text": self.text, "labels": self.labels, "scores": self.scores}


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


class AnyLabels(Answers):
    """A sigmoid and binary cross-entropy for each label."""

    Learner = SetCount

    def __init__(self, config: ClassifyConfig, facts: Facts) -> None:
        super().__init__(config, facts)
        self.labels: list[str] = facts["labels"]
        self.numbers = {label: number for number, label in enumerate(self.labels)}
        self.scores = len(self.labels)
        self.threshold = config.classify.threshold

    def encode(self, record: Record) -> list[int]:
        labels = labels_of(record, self.config.classify.separator)
        unknown = next((label for label in labels if label not in self.numbers), None)
        if unknown is not None:
            raise never_seen(unknown, self.labels, record)
        return sorted({self.numbers[label] for label in labels})

    def targets(self, rows: Sequence[NDArray[Any]], device: torch.device) -> Tensor:
        targets = torch.zeros(len(rows), self.scores)
        for target, row in zip(targets, rows, strict=True):
            target[row.astype(np.int64)] = 1.0
        return targets.to(device)

    def loss(self, scores: Tensor, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        wanted = targets * (1 - smoothing) + smoothing / 2
        return F.binary_cross_entropy_with_logits(scores, wanted, reduction="sum")

    def choices(self, scores: Tensor) -> Tensor:
        """For each label, between no and yes."""
        return F.pad(scores.flatten()[:, None], (1, 0))

    def say(self, text: str, scores: Tensor) -> SeveralLabels:
        chances = torch.sigmoid(scores).tolist()
        given = [label for label, chance in zip(self.labels, chances, strict=True) if chance >= self.threshold]
        return SeveralLabels(text, given, dict(zip(self.labels, chances, strict=True)))

    def decided(self, scores: Tensor) -> list[Any]:
        return sets(torch.sigmoid(scores) >= self.threshold)

    def right(self, targets: Tensor) -> list[Any]:
        return sets(targets > 0)

    def findings(self, right: list[Any], decided: list[Any], loss: float) -> Findings:
        found = several.SeveralLabels.of(self.labels, right, decided)
        table = Table("", ["label", "F1", "right", "given", "there"], found.rows())
        return Findings({"loss": loss, **found.figures()}, found.micro_f1, [table], found.json())


def sets(chosen: Tensor) -> list[list[int]]:
    """The places of True in each row."""
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
