"""A number: how much, how many, how good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from seqloom.data.features import Moments, number_of
from seqloom.data.record import Record
from seqloom.errors import ConfigError, DataError
from seqloom.evaluating.bootstrap import CountedMetric, mean_metric
from seqloom.evaluating.regression import RegressionMetrics
from seqloom.tasks.classify.answers.base import Answers, ReadText, column_of, learned
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.task import Evaluation, Facts

REMEDY = "write a number, or set classify.answer=label if these are names"


@dataclass(frozen=True)
class NumberAnswer(ReadText):
    """The predicted number of a text."""

    text: str
    number: float

    def __str__(self) -> str:
        return f"{self.number:.6g}"

    def json(self) -> dict[str, Any]:
        return {"text": self.text, "number": self.number, **self.read()}


class Scale:
    """The mean and the deviation of training data."""

    def __init__(self, config: ClassifyConfig) -> None:
        self.moments = Moments()

    def add(self, record: Record) -> None:
        self.moments.add(number_of(record, column_of(record), REMEDY))

    def facts(self, where: str) -> dict[str, Any]:
        if self.moments.squares == 0:
            what = f"every text has the number {self.moments.mean:g}"
            raise DataError(what, where=where, remedy="there is nothing to learn; check data.columns.label")
        return {"number": {"mean": self.moments.mean, "deviation": self.moments.deviation}}


class Regression(Answers):
    """Squared error on targets of mean 0 and standard deviation 1; answers are on the original scale."""

    Learner = Scale
    outputs = 1

    def __init__(self, config: ClassifyConfig, facts: Facts) -> None:
        super().__init__(config, facts)
        scale = learned(facts, "number")
        self.mean, self.deviation = scale["mean"], scale["deviation"]

    def encode(self, record: Record) -> NDArray[np.float32]:
        number = number_of(record, column_of(record), REMEDY)
        return np.array([(number - self.mean) / self.deviation], np.float32)

    def targets(self, rows: Sequence[NDArray[Any]], device: torch.device) -> Tensor:
        return torch.from_numpy(np.concatenate(rows)).to(device)

    def loss(self, logits: Tensor, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        if smoothing:
            mistake = ("train.label_smoothing", "a regression has no labels to smooth", "leave it at 0")
            raise ConfigError("settings", [mistake])
        return F.mse_loss(logits[:, 0], targets, reduction="sum")

    def class_logits(self, logits: Tensor) -> None:
        return None

    def answer(self, text: str, logits: Tensor) -> NumberAnswer:
        return NumberAnswer(text, self.unstandardised(logits)[0])

    def explained(self, logits: Tensor) -> tuple[list[str], Callable[[Tensor], Tensor]]:
        return [f"{self.unstandardised(logits)[0]:.4g}"], lambda rows: self.mean + self.deviation * rows

    def predicted(self, logits: Tensor) -> list[Any]:
        return self.unstandardised(logits[:, 0])

    def expected(self, targets: Tensor) -> list[Any]:
        return self.unstandardised(targets)

    def unstandardised(self, standard: Tensor) -> list[float]:
        return [self.mean + self.deviation * number for number in standard.tolist()]

    def named(self, answer: Any) -> str:
        return f"{answer:.6g}"

    def evaluation(self, expected: list[Any], predicted: list[Any], loss: float) -> Evaluation:
        found = RegressionMetrics.of(expected, predicted)
        squares = mean_metric([(true - given) ** 2 for true, given in zip(expected, predicted, strict=True)])
        counted = CountedMetric(squares.counts, lambda sums: np.sqrt(squares.compute(sums)))
        return Evaluation(
            {"loss": loss, **found.metrics()}, -found.rmse, details={"count": found.count}, counted=counted,
            measure="rmse", lower_is_better=True, how="rmse",
        )  # fmt: skip
