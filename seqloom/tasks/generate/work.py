"""A language model as the trainer sees it."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from seqloom.layers.cross_entropy import total_cross_entropy
from seqloom.tasks.generate.batch import Batch
from seqloom.tasks.generate.stream import SegmentStream
from seqloom.tasks.work import Loss, Score


class SegmentWork:
    """Segments of a text, and the loss of foretelling them."""

    foretells = True

    def __init__(
        self,
        stream: SegmentStream[Batch],
        label_smoothing: float,
        evaluate: Callable[[nn.Module], Score | None],
        sample: Callable[[nn.Module], str],
    ) -> None:
        self.stream, self.label_smoothing, self.notes = stream, label_smoothing, list[str]()
        self.evaluate, self.sample = evaluate, sample

    def parts(self, batch: Batch, count: int) -> list[Batch]:
        """Every count-th segment; there may be more parts than segments."""
        return [batch.select(range(first, len(batch.lengths), count)) for first in range(count)]

    def twice(self, batch: Batch) -> Batch:
        return batch.select([*range(len(batch.lengths))] * 2)

    def rows(self, batch: Batch) -> int:
        return len(batch.lengths)

    def tokens(self, batch: Batch) -> int:
        return int(batch.lengths.sum())

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        where = batch.targets >= 0
        scores, targets = model(batch.tokens, batch.lengths, where), batch.targets[where]
        total = total_cross_entropy(scores, targets, self.label_smoothing)
        return Loss(total, len(targets), scores)
