"""From the examples of a corpus to batches, for every task whose examples are independent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import torch
from torch import Tensor, nn

from seqloom.data.bucket_sampler import BucketSampler, Rows
from seqloom.data.corpus import Corpus
from seqloom.data.length_batches import AT_ONCE, by_length
from seqloom.data.padding import pad_sequences
from seqloom.tasks.trainable import Loss, Plan, Stream, ValidationResult


class Batch(Protocol):
    """Examples side by side."""

    @property
    def lengths(self) -> Tensor:
        """How many tokens each has (B)."""
        ...

    def select(self, rows: Sequence[int]) -> Self:
        """Some of its examples, by index."""
        ...


B = TypeVar("B", bound=Batch)


@dataclass(frozen=True)
class TensorBatch:
    """A batch whose fields are tensors with a row for each example, or None."""

    shared: ClassVar[frozenset[str]] = frozenset()
    """Fields that all examples have in common."""

    def select(self, rows: Sequence[int]) -> Self:
        """Some of its examples, by index."""
        chosen, names = list(rows), {field.name for field in fields(self)} - self.shared
        values = {name: getattr(self, name) for name in names}
        return replace(self, **{name: value[chosen] for name, value in values.items() if value is not None})


def vectors_by_length(lengths: Sequence[int], compute: Callable[[list[int]], Tensor], at_once: int = AT_ONCE) -> Tensor:
    """A vector for each input (B, H), in their order; `compute` gets the indices of a batch of about equal lengths."""
    found: dict[int, Tensor] = {}
    with torch.no_grad():
        for places in by_length(lengths, at_once):
            found |= dict(zip(places, compute(places).float().cpu(), strict=True))
    return torch.stack([found[place] for place in range(len(found))]) if found else torch.zeros(0, 0)


def tensors(rows: Sequence[Any], device: torch.device) -> tuple[Tensor, Tensor]:
    """Sequences of different lengths -> (B, T), padded with 0, and lengths (B); T is 1 at least."""
    longest = max((len(row) for row in rows), default=0)
    matrix, lengths = pad_sequences(rows, max(longest, 1))
    return torch.from_numpy(matrix).to(device), torch.from_numpy(lengths).to(device)


class ExampleStream(Generic[B]):
    """Batches of tensors from a stream of example indices."""

    def __init__(self, rows: BucketSampler, make: Callable[[Rows], B]) -> None:
        self.rows, self.make = rows, make

    def __iter__(self) -> Iterator[B]:
        return map(self.make, self.rows)

    def epochs(self) -> float:
        return self.rows.epochs()

    def batches_per_epoch(self) -> int:
        return self.rows.batches_per_epoch()

    def position(self) -> dict[str, Any]:
        return self.rows.position()

    def seek(self, position: dict[str, Any]) -> None:
        self.rows.seek(position)


def example_stream(
    corpus: Corpus, field: str, plan: Plan, make: Callable[[Corpus, Sequence[int] | Rows], B]
) -> ExampleStream[B]:
    """Batches of a corpus by the length of one of its fields."""
    rows = BucketSampler(corpus.lengths(field).clip(1), plan.batch_tokens, plan.seed)
    return ExampleStream(rows, lambda rows: make(corpus, rows))


class ExampleTrainable(Generic[B]):
    """A `Trainable` of independent examples; the task brings the loss and the evaluation."""

    def __init__(
        self,
        stream: Stream[B],
        loss: Callable[[nn.Module, B], Loss],
        evaluate: Callable[[nn.Module], ValidationResult | None],
        sample: Callable[[nn.Module], str] = lambda model: "",
        notes: Sequence[str] = (),
        *,
        predicts_tokens: bool = False,
    ) -> None:
        self.stream, self.loss, self.evaluate, self.sample, self.notes = stream, loss, evaluate, sample, notes
        self.predicts_tokens = predicts_tokens

    def split(self, batch: B, count: int) -> list[B]:
        """Every count-th example, so that parts are about equally long; there may be more parts than examples."""
        return [batch.select(range(first, len(batch.lengths), count)) for first in range(count)]

    def repeated(self, batch: B) -> B:
        return batch.select([*range(len(batch.lengths))] * 2)

    def size(self, batch: B) -> int:
        return len(batch.lengths)

    def token_count(self, batch: B) -> int:
        return int(batch.lengths.sum())
