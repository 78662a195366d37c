"""A task as somebody outside of the package would write it: do two texts share a word? Two texts in, a label out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import torch
from pydantic import PositiveInt
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom import Task
from seqloom.config import Config
from seqloom.data.column_roles import TaskColumns
from seqloom.data.corpus import Chunk, Corpus
from seqloom.data.record import Record
from seqloom.data.splits import Records
from seqloom.errors import DataError
from seqloom.tasks.batching import ExampleTrainable, example_stream, tensors
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tasks.settings import TaskConfig
from seqloom.tasks.task import Evaluation
from seqloom.tasks.trainable import Loss, Plan, ValidationResult
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer


class PairSettings(Config):
    """The section [pairs]."""

    width: PositiveInt = 8
    """Width of the embeddings."""


class PairTokens(TokenConfig):
    kind: Any = "word"


class PairConfig(TaskConfig):
    """Two texts and their label."""

    tokens: PairTokens = PairTokens()
    pairs: PairSettings = PairSettings()


@dataclass(frozen=True)
class PairAnswer:
    label: str

    def __str__(self) -> str:
        return self.label

    def json(self) -> dict[str, Any]:
        return {"text": self.label, "label": self.label}


@dataclass(frozen=True)
class PairBatch:
    first: Tensor  # (B, T)
    second: Tensor  # (B, S)
    lengths: Tensor  # (B)
    targets: Tensor  # (B)

    def select(self, rows: Sequence[int]) -> PairBatch:
        chosen = list(rows)
        return PairBatch(self.first[chosen], self.second[chosen], self.lengths[chosen], self.targets[chosen])


class PairModel(nn.Module):
    def __init__(self, vocabulary: int, width: int, labels: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=0)
        self.output = nn.Linear(2 * width, labels)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """first (B, T), second (B, S) -> logits (B, V)."""
        x, y = self.embedding(first).sum(1), self.embedding(second).sum(1)
        return self.output(torch.cat([x, y], -1))  # type: ignore[no-any-return]


class PairTask(Task[PairConfig]):
    """Say how two texts belong together."""

    Settings = PairConfig
    columns = TaskColumns("pairs", ("label", "first", "second"))

    @classmethod
    def learn(cls, config: PairConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        texts = (str(record.columns[side]) for record in train for side in ("first", "second"))
        tokenizer = known.get("text") or Tokenizer.train(texts, config.tokens)
        return cls(config, {"text": tokenizer}, {"labels": sorted({str(one.columns["label"]) for one in train})})

    def make_model(self) -> PairModel:
        return PairModel(self.tokenizers["text"].size, self.config.pairs.width, len(self.facts["labels"]))

    def encode(self, records: list[Record]) -> Chunk:
        encode = self.tokenizers["text"].encode
        return {
            "first": [encode(str(one.columns["first"])) for one in records],
            "second": [encode(str(one.columns["second"])) for one in records],
            "label": [[self.facts["labels"].index(str(one.columns["label"]))] for one in records],
        }

    def batch(self, corpus: Corpus, rows: Any, device: torch.device) -> PairBatch:
        first, lengths = tensors([corpus["first", int(row)] for row in rows], device)
        second, others = tensors([corpus["second", int(row)] for row in rows], device)
        targets, _ = tensors([corpus["label", int(row)] for row in rows], device)
        return PairBatch(first, second, lengths + others, targets[:, 0])

    def trainable(self, train: Corpus, valid: Corpus | None, plan: Plan) -> ExampleTrainable[PairBatch]:
        def loss(model: nn.Module, batch: PairBatch) -> Loss:
            logits = model(batch.first, batch.second)
            return Loss(F.cross_entropy(logits, batch.targets, reduction="sum"), len(logits), logits)

        def evaluate(model: nn.Module) -> ValidationResult | None:
            if valid is None:
                return None
            found = self.evaluate(model, valid, plan.device, None)
            return ValidationResult(dict(found.metrics), found.selection_score)

        stream = example_stream(train, "first", plan, lambda corpus, rows: self.batch(corpus, rows, plan.device))
        return ExampleTrainable(stream, loss, evaluate)

    def accept(self, given: Any) -> tuple[str, str]:
        """A list of two texts; on the command line, with a | between them."""
        pair = given.split("|") if isinstance(given, str) else given
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(isinstance(one, str) for one in pair):
            raise DataError(f"{given!r:.60} is not a pair of texts", remedy="give a list of two")
        return pair[0], pair[1]

    def answer_steps(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: object
    ) -> Iterator[Sequence[Reply]]:
        pairs = [self.accept(one.input) for one in requests]
        encode, device = self.tokenizers["text"].encode, next(model.parameters()).device
        first, second = (tensors([encode(pair[side]) for pair in pairs], device)[0] for side in (0, 1))
        with torch.no_grad():
            best = model(first, second).argmax(-1).tolist()
        yield [Reply(place, PairAnswer(self.facts["labels"][label])) for place, label in enumerate(best)]

    def evaluate(self, model: nn.Module, corpus: Corpus, device: torch.device, options: object) -> Evaluation:
        batch = self.batch(corpus, range(len(corpus)), device)
        with torch.no_grad():
            right = model(batch.first, batch.second).argmax(-1) == batch.targets
        accuracy = float(right.float().mean())
        return Evaluation({"accuracy": accuracy}, accuracy)
