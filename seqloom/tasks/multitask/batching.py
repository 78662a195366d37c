"""The encoded data and the batches of several tasks: in every step some examples of each, the mean of their losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from torch import nn

from seqloom.data.corpus import Corpus
from seqloom.errors import ConfigError
from seqloom.models.shared_encoder import SharedEncoder
from seqloom.tasks.trainable import Loss, Trainable, ValidationResult

MixedBatch = Mapping[str, Any]
"""A batch of each task, by its tag."""


class TaskCorpora(Corpus):
    """A corpus of each task, by its tag; each is the one that the task would have alone."""

    def __init__(self, parts: Mapping[str, Corpus]) -> None:
        self.parts = parts

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def release_memory(self) -> None:
        for part in self.parts.values():
            part.release_memory()


class MixedStream:
    """A batch of each task in every step; an epoch is one of the task that has the most batches."""

    def __init__(self, tasks: Mapping[str, Trainable[Any]]) -> None:
        self.streams = {tag: task.stream for tag, task in tasks.items()}

    def __iter__(self) -> Iterator[MixedBatch]:
        batches = {tag: iter(stream) for tag, stream in self.streams.items()}
        while True:
            yield {tag: next(batch) for tag, batch in batches.items()}

    def epochs(self) -> float:
        return min(stream.epochs() for stream in self.streams.values())

    def batches_per_epoch(self) -> int:
        return max(stream.batches_per_epoch() for stream in self.streams.values())

    def position(self) -> dict[str, Any]:
        return {tag: stream.position() for tag, stream in self.streams.items()}

    def seek(self, position: dict[str, Any]) -> None:
        for tag, stream in self.streams.items():
            stream.seek(position[tag])


class MixedTrainable:
    """Several trainables as one; each task counts as much as any other, however many labels its examples have."""

    predicts_tokens = False

    def __init__(
        self, tasks: Mapping[str, Trainable[Any]], evaluate: Callable[[nn.Module], ValidationResult | None]
    ) -> None:
        self.tasks, self.stream, self.evaluate = tasks, MixedStream(tasks), evaluate

    @property
    def notes(self) -> Sequence[str]:
        return [f"{tag}: {note}" for tag, task in self.tasks.items() for note in task.notes]

    def split(self, batch: MixedBatch, count: int) -> list[MixedBatch]:
        parts = {tag: self.tasks[tag].split(one, count) for tag, one in batch.items()}
        return [{tag: found[number] for tag, found in parts.items()} for number in range(count)]

    def repeated(self, batch: MixedBatch) -> MixedBatch:
        return {tag: self.tasks[tag].repeated(one) for tag, one in batch.items()}

    def size(self, batch: MixedBatch) -> int:
        return sum(self.tasks[tag].size(one) for tag, one in batch.items())

    def token_count(self, batch: MixedBatch) -> int:
        return sum(self.tasks[tag].token_count(one) for tag, one in batch.items())

    def loss(self, model: nn.Module, batch: MixedBatch) -> Loss:
        """The mean over tasks of the mean loss of each, times all that was counted."""
        if not isinstance(model, SharedEncoder):
            what = "a model with several heads is trained by one process"
            raise ConfigError("torchrun", [("", what, "start it without torchrun")])
        losses = [
            self.tasks[tag].loss(model.head(tag), one)
            for tag, one in batch.items()
            if self.tasks[tag].size(one)  # a part of a batch may have examples of one task alone
        ]
        count = sum(loss.count for loss in losses)
        means = [loss.total * (count / max(loss.count, 1)) for loss in losses]
        return Loss(sum(means[1:], means[0]) / len(means), count, None)

    def sample(self, model: nn.Module) -> str:
        return ""
