"""One label: the likeliest of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from seqloom.data.record import Record
from seqloom.errors import DataError
from seqloom.evaluating.classification import Classified
from seqloom.models.registry import find
from seqloom.tasks.classify.answers.base import Answers, label_of, never_seen
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.task import Facts, Findings, Table

SHOWN = 12
"""Labels that a table of right and wrong can show at most."""


@dataclass(frozen=True)
class Labelled:
    """What a model says of one text: its label, and the share of each label."""

    text: str
    label: str
    scores: dict[str, float]

    def __str__(self) -> str:
        return self.label

    def json(self) -> dict[str, Any]:
        return {"text": self.text, "label": self.label, "scores": self.scores}


class LabelCount:
    """Counts the labels of training data."""

    def __init__(self, config: ClassifyConfig) -> None:
        self.found: Counter[str] = Counter()

    def add(self, record: Record) -> None:
        self.found[label_of(record)] += 1

    def facts(self, where: str) -> dict[str, Any]:
        if len(self.found) < 2:
            raise DataError(
                f"every text has the label {next(iter(self.found))!r}",
                where=where,
                remedy="a classifier needs two labels at least; check data.columns.label",
            )
        count = self.found.total()
        if count >= 20 and len(self.found) > count / 2:
            raise DataError(
                f"{len(self.found)} different labels for {count} texts: is that the column of labels?",
                where=where,
                remedy="say which is which, as in data.columns.text=1 data.columns.label=2; "
                "if they are numbers to be foretold, say classify.answer=number",
            )
        return {"labels": sorted(self.found)}


class OneLabel(Answers):
    """Softmax and cross-entropy. Logistic regression has one score for two labels: the evidence for the second."""

    Learner = LabelCount

    def __init__(self, config: ClassifyConfig, facts: Facts) -> None:
        super().__init__(config, facts)
        self.labels: list[str] = facts["labels"]
        self.numbers = {label: number for number, label in enumerate(self.labels)}
        self.scores = (
            1 if len(self.labels) == 2 and find(config.model.name, "classify").binary_logit else len(self.labels)
        )

    def encode(self, record: Record) -> list[int]:
        label = label_of(record)
        if label not in self.numbers:
            raise never_seen(label, self.labels, record)
        return [self.numbers[label]]

    def targets(self, rows: Sequence[NDArray[Any]], device: torch.device) -> Tensor:
        return torch.tensor([int(row[0]) for row in rows], device=device)

    def loss(self, scores: Tensor, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        return F.cross_entropy(for_each(scores), targets, reduction="sum", label_smoothing=smoothing)

    def choices(self, scores: Tensor) -> Tensor:
        return for_each(scores)

    def say(self, text: str, scores: Tensor) -> Labelled:
        shares = torch.softmax(for_each(scores), -1)
        return Labelled(text, self.labels[int(shares.argmax())], dict(zip(self.labels, shares.tolist(), strict=True)))

    def decided(self, scores: Tensor) -> list[Any]:
        return for_each(scores).argmax(-1).tolist()

    def right(self, targets: Tensor) -> list[Any]:
        return targets.tolist()

    def findings(self, right: list[Any], decided: list[Any], loss: float) -> Findings:
        found = Classified.of(self.labels, right, decided)
        details = {"labels": self.labels, "confusion": found.confusion.tolist()}
        return Findings({"loss": loss, **found.figures()}, found.accuracy, [confusion_table(found)], details)


def for_each(scores: Tensor) -> Tensor:
    """A score for each label: beside the evidence for the second of two stands 0 for the first, as in a sigmoid."""
    return F.pad(scores, (1, 0)) if scores.shape[-1] == 1 else scores


def confusion_table(found: Classified) -> Table:
    """True labels against predicted ones; of many labels, F1 alone."""
    if len(found.labels) <= SHOWN:
        rows = [
            [label, *map(str, counts), f"{f1:.3f}"]
            for label, counts, f1 in zip(found.labels, found.confusion.tolist(), found.f1, strict=True)
        ]
        return Table("", ["true \\ predicted", *found.labels, "F1"], rows)
    counts = found.confusion.sum(1).tolist()
    return Table(
        "", ["label", "examples", "F1"],
        [[label, str(n), f"{f1:.3f}"] for label, n, f1 in zip(found.labels, counts, found.f1, strict=True)],
    )  # fmt: skip
