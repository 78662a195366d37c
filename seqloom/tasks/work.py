"""What a task hands to the trainer; the trainer knows nothing else of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn

B = TypeVar("B")
B_out = TypeVar("B_out", covariant=True)


@dataclass(frozen=True)
class Loss:
    """The loss of a batch as a sum, and over how many labels or words it is summed."""

    total: Tensor
    count: int
    choices: Tensor | None
    """The scores of what could be chosen, row after row (R, V); None where the answer is no choice but a number."""


@dataclass(frozen=True)
class Plan:
    """What the trainer tells a task: how large batches are, what decides their order, where they are computed."""

    batch_tokens: int
    seed: int
    label_smoothing: float
    device: torch.device


@dataclass(frozen=True)
class Score:
    """How good a model is on validation data: all figures, and the one that decides (higher is better)."""

    figures: dict[str, float]
    decides: float


class Stream(Protocol[B_out]):
    """Batches without end, in an order that the seed decides; its position is plain JSON."""

    def __iter__(self) -> Iterator[B_out]: ...

    def epochs(self) -> float:
        """How often the data was read, in parts of a reading too."""
        ...

    def position(self) -> dict[str, Any]: ...

    def seek(self, position: dict[str, Any]) -> None: ...


class Work(Protocol, Generic[B]):
    """A task: its batches, its loss, its score."""

    @property
    def stream(self) -> Stream[B]: ...

    @property
    def notes(self) -> Sequence[str]:
        """What a user should know of the data before training begins."""
        ...

    @property
    def foretells(self) -> bool:
        """Whether the loss is that of foretelling words, so that its exponential is a perplexity."""
        ...

    def parts(self, batch: B, count: int) -> list[B]:
        """The rows of a batch in so many parts of about the same size; a part may be empty of rows."""
        ...

    def twice(self, batch: B) -> B:
        """All rows, and then all of them again."""
        ...

    def rows(self, batch: B) -> int: ...

    def tokens(self, batch: B) -> int:
        """The words of a batch, without padding."""
        ...

    def loss(self, model: nn.Module, batch: B) -> Loss: ...

    def evaluate(self, model: nn.Module) -> Score | None:
        """None where there is no validation data."""
        ...

    def sample(self, model: nn.Module) -> str:
        """A prediction to look at while training; empty for none."""
        ...
