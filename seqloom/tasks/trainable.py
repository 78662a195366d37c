"""What a task hands to the trainer; the trainer knows nothing else of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn

from seqloom.evaluating.tables import metric_text

B = TypeVar("B")
B_out = TypeVar("B_out", covariant=True)


@dataclass(frozen=True)
class Loss:
    """The loss of a batch, summed over its labels or tokens."""

    total: Tensor
    """The sum, a scalar with a gradient."""
    count: int
    """How many labels or tokens it is summed over."""
    logits: Tensor | None
    """The logits of each classification (R, V), for R-Drop and for a teacher; None for a regression."""


@dataclass(frozen=True)
class Plan:
    """What the trainer tells a task: the size of batches, the seed of their order, where they are computed."""

    batch_tokens: int
    seed: int
    label_smoothing: float
    device: torch.device


@dataclass(frozen=True)
class ValidationResult:
    """The metrics on validation data, and the score that selects the best checkpoint (higher is better)."""

    metrics: dict[str, float]
    selection_score: float

    @property
    def selected_by(self) -> str:
        """The metric behind the score as a person reads it: a loss is not negative.

        >>> ValidationResult({"loss": 2.63, "accuracy": 0.5}, -2.63).selected_by
        'loss 2.6300'
        """
        for sign in (1, -1):
            for name, value in self.metrics.items():
                if value == sign * self.selection_score:
                    return f"{name} {metric_text(value)}"
        return f"score {self.selection_score:.4f}"


class Stream(Protocol[B_out]):
    """Batches without end, in an order that the seed decides; its position is plain JSON."""

    def __iter__(self) -> Iterator[B_out]: ...

    def epochs(self) -> float:
        """How many epochs were read, with fractions."""
        ...

    def batches_per_epoch(self) -> int:
        """How many batches the first epoch has."""
        ...

    def position(self) -> dict[str, Any]:
        """Where the stream is, for a checkpoint."""
        ...

    def seek(self, position: dict[str, Any]) -> None:
        """Continue from a position that a checkpoint holds."""
        ...


class Trainable(Protocol, Generic[B]):
    """A task as the trainer sees it: its batches, its loss, its validation."""

    @property
    def stream(self) -> Stream[B]:
        """The batches of training data."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What a user should know of the data before training begins."""
        ...

    @property
    def predicts_tokens(self) -> bool:
        """Whether the loss is the cross-entropy of tokens, so that its exponential is a perplexity."""
        ...

    def split(self, batch: B, count: int) -> list[B]:
        """The examples of a batch in `count` parts of about the same size; a part may be empty."""
        ...

    def repeated(self, batch: B) -> B:
        """All examples of a batch, and then all of them again."""
        ...

    def size(self, batch: B) -> int:
        """The number of examples in a batch."""
        ...

    def token_count(self, batch: B) -> int:
        """The number of tokens in a batch, without padding."""
        ...

    def loss(self, model: nn.Module, batch: B) -> Loss:
        """The loss of a batch under the model."""
        ...

    def evaluate(self, model: nn.Module) -> ValidationResult | None:
        """The metrics on validation data; None where there is none."""
        ...

    def sample(self, model: nn.Module) -> str:
        """A prediction to look at while training; empty for none."""
        ...
