"""A task: two texts in, a label out. Its settings, its model with its equations, its batches, its loss, its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
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
from seqloom.equations import Part, concat, equations, softmax
from seqloom.errors import DataError
from seqloom.layers.embedding import Embedding, embedding
from seqloom.layers.output_layers import Readout, readout
from seqloom.layers.pooling import MeanPooling, mean_pooling
from seqloom.models.stage import Example, Stage, StageExample, VocabularyAxis
from seqloom.tasks.batching import ExampleTrainable, example_stream, tensors
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tasks.settings import TaskConfig
from seqloom.tasks.stages import bounded, frequent_text, of_another_length, token_axis
from seqloom.tasks.task import Evaluation
from seqloom.tasks.trainable import Loss, Plan
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer


class PairSettings(Config):
    """The section [pairs]."""

    width: PositiveInt = 8
    """Width of the embeddings."""


class WordTokens(TokenConfig):
    kind: Any = "word"


class PairConfig(TaskConfig):
    """Two texts and their label."""

    tokens: WordTokens = WordTokens()
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
    first_lengths: Tensor  # (B)
    second: Tensor  # (B, S)
    second_lengths: Tensor  # (B)
    targets: Tensor  # (B)

    @property
    def lengths(self) -> Tensor:
        return self.first_lengths + self.second_lengths

    def select(self, rows: Sequence[int]) -> PairBatch:
        return PairBatch(*(getattr(self, field.name)[list(rows)] for field in fields(self)))


@equations
def pair_classifier(w, v, *, embedding=embedding, pooling=mean_pooling, readout=readout):
    """How two texts belong together: the mean of each, compared by one layer.

    w  (T)  index, the token ids of the first text
    v  (S)  index, the token ids of the second text
    """
    x = pooling(embedding(w))  # the first text as one vector
    y = pooling(embedding(v))  # the second text as one vector
    z = readout(concat(x, y))  # the logits of the labels
    p = softmax(z)  # the probability of each label
    return p


class PairModel(nn.Module):
    definition = pair_classifier

    def __init__(self, vocabulary: int, width: int, labels: int) -> None:
        super().__init__()
        self.embedding, self.pooling = Embedding(vocabulary, width), MeanPooling()
        self.readout = Readout(2 * width, labels)

    def forward(self, batch: PairBatch) -> Tensor:
        """-> logits (B, V)."""
        sides = ((batch.first, batch.first_lengths), (batch.second, batch.second_lengths))
        vectors = [self.pooling(self.embedding(w), lengths) for w, lengths in sides]
        return self.readout(torch.cat(vectors, -1))  # type: ignore[no-any-return]

    def part(self) -> Part:
        """What it computes, with its weights."""
        parts = {"embedding": self.embedding, "pooling": self.pooling, "readout": self.readout}
        return Part(pair_classifier, {name: part.part() for name, part in parts.items()})


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
        first, second, label = ([corpus[name, int(row)] for row in rows] for name in ("first", "second", "label"))
        targets, _ = tensors(label, device)
        return PairBatch(*tensors(first, device), *tensors(second, device), targets[:, 0])

    def trainable(self, train: Corpus, valid: Corpus | None, plan: Plan) -> ExampleTrainable[PairBatch]:
        def loss(model: nn.Module, batch: PairBatch) -> Loss:
            logits = model(batch)
            return Loss(F.cross_entropy(logits, batch.targets, reduction="sum"), len(logits), logits)

        stream = example_stream(train, "first", plan, lambda corpus, rows: self.batch(corpus, rows, plan.device))
        return ExampleTrainable(stream, loss, self.validation(valid, plan))

    def accept(self, given: Any) -> tuple[str, str]:
        """A list of two texts; on the command line, with a | between them."""
        pair = given.split("|") if isinstance(given, str) else given
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(isinstance(one, str) for one in pair):
            raise DataError(f"{given!r:.60} is not a pair of texts", remedy="give a list of two")
        return pair[0], pair[1]

    def answer_steps(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: object
    ) -> Iterator[Sequence[Reply]]:
        device = next(model.parameters()).device
        first, second = zip(*(self.token_ids(one.input) for one in requests), strict=True)
        unknown = torch.zeros(len(requests), dtype=torch.int64)  # the targets
        with torch.no_grad():
            best = model(PairBatch(*tensors(first, device), *tensors(second, device), unknown)).argmax(-1).tolist()
        yield [Reply(place, PairAnswer(self.facts["labels"][label])) for place, label in enumerate(best)]

    def token_ids(self, given: Any) -> list[list[int]]:
        return [self.tokenizers["text"].encode(text) for text in self.accept(given)]

    def evaluate(self, model: nn.Module, corpus: Corpus, device: torch.device, options: object) -> Evaluation:
        batch = self.batch(corpus, range(len(corpus)), device)
        with torch.no_grad():
            right = model(batch).argmax(-1) == batch.targets
        accuracy = float(right.float().mean())
        return Evaluation({"accuracy": accuracy}, accuracy)

    def example(self, model: nn.Module, given: Any, device: torch.device) -> Example:
        """What `seqloom explain FOLDER "one text|another"` opens: the whole model, with these two texts."""
        assert isinstance(model, PairModel)
        tokenizer = self.tokenizers["text"]
        given = f"{frequent_text(tokenizer)}|{frequent_text(tokenizer)}" if given is None else given
        w, v = (torch.tensor(bounded(tokens), device=device) for tokens in self.token_ids(given))
        stage = Stage("pairs", model.part(), [{"w": w, "v": v}])
        other = Stage("pairs", model.part(), [{"w": of_another_length(w, longer=True), "v": v}])
        words = [tokenizer.vocabulary[token] for token in w.tolist()]
        axes = [
            token_axis(tokenizer, [*w.tolist(), *v.tolist()]),
            VocabularyAxis(self.facts["labels"], (), ("z", "p"), "p", table=""),
        ]
        answer = self.predict(model, [given], self.Options())[0]
        title = f"{' | '.join(self.accept(given))} → {answer}"
        return Example(title, [StageExample(stage, other, words, words, words, axes)])
