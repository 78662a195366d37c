"""One label: the likeliest of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from seqloom.attribution.probe import log_odds
from seqloom.data.record import Record
from seqloom.errors import DataError
from seqloom.evaluating.bootstrap import mean_metric
from seqloom.evaluating.classification import ConfusionMatrix
from seqloom.models.classifier import label_logits
from seqloom.tasks.classify.answers.base import Answers, ReadText, label_of, learned, never_seen
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.task import Evaluation, Facts, ResultTable

SHOWN = 12
"""Labels that a table of right and wrong can show at most."""


@dataclass(frozen=True)
class LabelAnswer(ReadText):
    """The predicted label of a text, and the probability of each label."""

    text: str
    label: str
    scores: dict[str, float]

    def __str__(self) -> str:
        return self.label

    def json(self) -> dict[str, Any]:
        return {"text": self.text, "label": self.label, "scores": self.scores, **self.read()}


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
                remedy="a classifier needs at least two labels; check data.columns.label",
            )
        count = self.found.total()
        once = sum(of_label == 1 for of_label in self.found.values())
        # a few texts of each label are data; mostly labels that stand once are none
        if count >= 20 and len(self.found) > count / 2 and once > len(self.found) / 2:
            raise DataError(
                f"{len(self.found)} different labels for {count} texts: is that the column of labels?",
                where=where,
                remedy="name the columns, as in data.columns.text=1 data.columns.label=2; "
                "if they are numbers to be predicted, set classify.answer=number",
            )
        return {"labels": sorted(self.found)}


class SingleLabel(Answers):
    """Softmax and cross-entropy. Logistic regression has one logit for two labels: that of the second."""

    Learner = LabelCount

    def __init__(self, config: ClassifyConfig, facts: Facts) -> None:
        super().__init__(config, facts)
        self.labels: list[str] = learned(facts, "labels")
        self.label_ids = {label: id for id, label in enumerate(self.labels)}
        self.outputs = label_logits(config.model.name, len(self.labels))

    @classmethod
    def labels_in(cls, config: ClassifyConfig) -> Callable[[Record], Sequence[str]]:
        return lambda record: [label_of(record)]

    def encode(self, record: Record) -> list[int]:
        label = label_of(record)
        if label not in self.label_ids:
            raise never_seen(label, self.labels, record)
        return [self.label_ids[label]]

    def targets(self, rows: Sequence[NDArray[Any]], device: torch.device) -> Tensor:
        return torch.tensor([int(row[0]) for row in rows], device=device)

    def loss(self, logits: Tensor, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        return F.cross_entropy(per_class(logits), targets, reduction="sum", label_smoothing=smoothing)

    def class_logits(self, logits: Tensor) -> Tensor:
        return per_class(logits)

    def answer(self, text: str, logits: Tensor) -> LabelAnswer:
        p = torch.softmax(per_class(logits), -1)
        return LabelAnswer(text, self.labels[int(p.argmax())], dict(zip(self.labels, p.tolist(), strict=True)))

    def explained(self, logits: Tensor) -> tuple[list[str], Callable[[Tensor], Tensor]]:
        best = per_class(logits).argmax(-1, keepdim=True)
        return [self.labels[int(best)]], lambda rows: log_odds(per_class(rows), best.expand(len(rows)))[:, None]

    def predicted(self, logits: Tensor) -> list[Any]:
        return per_class(logits).argmax(-1).tolist()

    def confidence(self, logits: Tensor) -> list[float]:
        return torch.softmax(per_class(logits), -1).amax(-1).tolist()

    def expected(self, targets: Tensor) -> list[Any]:
        return targets.tolist()

    def named(self, answer: Any) -> str:
        return self.labels[int(answer)]

    def evaluation(self, expected: list[Any], predicted: list[Any], loss: float) -> Evaluation:
        found = ConfusionMatrix.of(self.labels, expected, predicted)
        details = {"labels": self.labels, "confusion": found.confusion.tolist()}
        counted = mean_metric([float(true == given) for true, given in zip(expected, predicted, strict=True)])
        return Evaluation(
            {"loss": loss, **found.metrics()}, found.accuracy, [confusion_table(found)], details, counted,
            measure="accuracy", how="accuracy",
        )  # fmt: skip


def per_class(logits: Tensor) -> Tensor:
    """A logit for each label: where there is one for two labels, the first label gets 0, as in a sigmoid."""
    return F.pad(logits, (1, 0)) if logits.shape[-1] == 1 else logits


def confusion_table(found: ConfusionMatrix) -> ResultTable:
    """True labels against predicted ones; of many labels F1 alone, the weakest first."""
    if len(found.labels) <= SHOWN:
        rows = [
            [label, *map(str, counts), f"{f1:.3f}"]
            for label, counts, f1 in zip(found.labels, found.confusion.tolist(), found.f1, strict=True)
        ]
        return ResultTable("", ["true \\ predicted", *found.labels, "F1"], rows)
    counts = found.confusion.sum(1).tolist()
    weakest = sorted(zip(found.labels, counts, found.f1, strict=True), key=lambda one: one[2])
    rows = [[label, str(count), f"{f1:.3f}"] for label, count, f1 in weakest]
    return ResultTable("labels, the weakest first", ["label", "examples", "F1"], rows)
