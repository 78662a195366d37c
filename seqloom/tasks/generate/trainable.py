"""A language model as the trainer sees it."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from seqloom.layers.cross_entropy import total_cross_entropy
from seqloom.tasks.generate.batch import LanguageModelBatch
from seqloom.tasks.generate.stream import SegmentStream
from seqloom.tasks.trainable import Loss, ValidationResult


class SegmentTrainable:
    """Segments of a text, and the cross-entropy of their tokens."""

    predicts_tokens = True

    def __init__(
        self,
        stream: SegmentStream[LanguageModelBatch],
        label_smoothing: float,
        evaluate: Callable[[nn.Module], ValidationResult | None],
        sample: Callable[[nn.Module], str],
    ) -> None:
        self.stream, self.label_smoothing, self.notes = stream, label_smoothing, list[str]()
        self.evaluate, self.sample = evaluate, sample

    def split(self, batch: LanguageModelBatch, count: int) -> list[LanguageModelBatch]:
        """Every count-th segment; there may be more parts than segments."""
        return [batch.select(range(first, len(batch.lengths), count)) for first in range(count)]

    def repeated(self, batch: LanguageModelBatch) -> LanguageModelBatch:
        return batch.select([*range(len(batch.lengths))] * 2)

    def size(self, batch: LanguageModelBatch) -> int:
        return len(batch.lengths)

    def token_count(self, batch: LanguageModelBatch) -> int:
        return int(batch.lengths.sum())

    def loss(self, model: nn.Module, batch: LanguageModelBatch) -> Loss:
        where = batch.targets >= 0
        logits, targets = model(batch.tokens, batch.lengths, where), batch.targets[where]
        total = total_cross_entropy(logits, targets, self.label_smoothing)
        return Loss(total, len(targets), logits)
