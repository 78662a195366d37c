"""Classify: what a text, or a sequence of frames, is: one label, several, or a number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from seqloom.data.bucket_sampler import Rows
from seqloom.data.corpus import Chunk, Corpus
from seqloom.data.features import Features
from seqloom.data.record import Record
from seqloom.data.splits import Records
from seqloom.errors import ConfigError
from seqloom.models.classifier import make_classifier
from seqloom.tasks.asking import Asked, Said
from seqloom.tasks.batching import RowWork, by_length, row_stream
from seqloom.tasks.classify.answers import ANSWERS
from seqloom.tasks.classify.inputs.base import Inputs
from seqloom.tasks.classify.inputs.frames import Sequences, Spread
from seqloom.tasks.classify.inputs.texts import Texts
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.task import Facts, Findings, Task
from seqloom.tasks.work import Loss, Plan, Score
from seqloom.tokens.tokenizer import Tokenizer


@dataclass(frozen=True)
class Batch:
    """Inputs, the columns beside them, and the right answers, if they are known."""

    x: Tensor  # word numbers (B, T), or frames (B, T, D)
    lengths: Tensor  # (B)
    features: Tensor | None  # (B, columns)
    targets: Tensor  # (B) or (B, V)

    def select(self, rows: Sequence[int]) -> Batch:
        chosen = list(rows)
        features = None if self.features is None else self.features[chosen]
        return Batch(self.x[chosen], self.lengths[chosen], features, self.targets[chosen])


class Classify(Task[ClassifyConfig]):
    """A kind of input, a kind of answer, and the columns beside the input, each with what was learned of it."""

    def __init__(self, config: ClassifyConfig, tokenizers: Mapping[str, Tokenizer], facts: Facts) -> None:
        super().__init__(config, tokenizers, facts)
        self.inputs: Inputs = (
            Sequences(config, facts["frames"]) if "frames" in facts else Texts(config, self.tokenizers["text"])
        )
        self.answers = ANSWERS[config.classify.answer](config, facts)
        self.features = Features.from_json(facts["features"]) if config.classify.columns else Features()

    @classmethod
    def learn(cls, config: ClassifyConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        """The dictionary, or the spread of frames; the labels or the numbers; the columns beside the input."""
        answers, spread = ANSWERS[config.classify.answer].Learner(config), Spread()
        with_frames = "frames" in next(iter(train)).columns
        check(config, with_frames)

        def noted() -> Iterator[Record]:
            for record in train:
                answers.add(record)
                if with_frames:
                    spread.add(record)
                yield record

        asked = config.classify
        features = Features(asked.numbers, asked.binary, asked.categories, standardise=asked.standardise).fit(noted())
        where = str(train.files[0]) if train.files else "<python>"
        facts = answers.facts(where)
        if asked.columns:
            features.check(where)
            facts["features"] = features.to_json()
        if with_frames:
            return cls(config, {}, {**facts, "frames": spread.facts()})
        texts = (str(record.columns["text"]) for record in train)
        tokenizer = known["text"] if "text" in known else Tokenizer.train(texts, config.tokens)
        return cls(config, {"text": tokenizer}, facts)

    def make_model(self) -> nn.Module:
        return make_classifier(self.config.model, self.inputs.begin(), self.answers.scores, len(self.features))

    # --- data ---------------------------------------------------------------------------------------

    def reads(self) -> Mapping[str, Any]:
        model, classify = self.config.model, self.config.classify
        return {"length": model.length, "cut": model.cut, "answer": classify.answer, "separator": classify.separator}

    def encode(self, records: list[Record]) -> Chunk:
        """Inputs as numbers, the columns beside them if there are any, and the right answers."""
        chunk: dict[str, Any] = {
            self.inputs.field: self.inputs.encode(records),
            "answer": [self.answers.encode(record) for record in records],
        }
        return {**chunk, "features": list(map(self.features, records))} if len(self.features) else chunk

    def batch(self, corpus: Corpus, rows: Sequence[int] | Rows, device: torch.device) -> Batch:
        places = [int(row) for row in rows]
        x, lengths = self.inputs.tensors([corpus[self.inputs.field, place] for place in places], device)
        targets = self.answers.targets([corpus["answer", place] for place in places], device)
        features = [corpus["features", place] for place in places] if len(self.features) else []
        return Batch(x, lengths, beside(features, device), targets)

    # --- training -----------------------------------------------------------------------------------

    def work(self, train: Corpus, valid: Corpus | None, plan: Plan) -> RowWork[Batch]:
        def make(corpus: Corpus, rows: Sequence[int] | Rows) -> Batch:
            return self.batch(corpus, rows, plan.device)

        def loss(model: nn.Module, batch: Batch) -> Loss:
            scores = model(batch.x, batch.lengths, batch.features)
            total = self.answers.loss(scores, batch.targets, plan.label_smoothing)
            return Loss(total, batch.targets.numel(), self.answers.choices(scores))

        def evaluate(model: nn.Module) -> Score | None:
            if valid is None:
                return None
            found = self.evaluate(model, valid, plan.device, None)
            return Score(dict(found.figures), found.decides)

        return RowWork(row_stream(train, self.inputs.field, plan, make), loss, evaluate)

    # --- use ----------------------------------------------------------------------------------------

    def accept(self, given: Any) -> Any:
        return self.inputs.accept(given)

    def answering(self, model: nn.Module, asked: Sequence[Asked], options: object) -> Iterator[Sequence[Said]]:
        """Answers for texts or frames, alone or as {"text": ..., "age": ...}; for a text without a known word what
        the model says of nothing."""
        device = next(model.parameters()).device
        records = [self.inputs.record(one.input) for one in asked]
        features = list(map(self.features, records)) if len(self.features) else []
        rows = self.inputs.encode(records)
        for places in by_length([len(row) for row in rows]):
            x, lengths = self.inputs.tensors([rows[place] for place in places], device)
            with torch.no_grad():
                scores = model(x, lengths, beside([features[place] for place in places if features], device)).cpu()
            yield [
                Said(place, self.answers.say(self.inputs.shown(records[place]), score))
                for place, score in zip(places, scores, strict=True)
            ]

    def vectors(self, model: nn.Module, texts: Sequence[Any]) -> Tensor:
        """What the encoder makes of each input, before the readout (B, H).

        Of logistic regression, which has no encoder, its words end to end; of an MLP its hidden layer.
        """
        device = next(model.parameters()).device
        rows = self.inputs.encode([self.inputs.record(given) for given in texts])
        found: list[Tensor] = [torch.empty(0)] * len(rows)
        for places in by_length([len(row) for row in rows]):
            x, lengths = self.inputs.tensors([rows[place] for place in places], device)
            with torch.no_grad():
                vectors = model.vectors(x, lengths).float().cpu()  # type: ignore[operator]
            for place, vector in zip(places, vectors, strict=True):
                found[place] = vector
        return torch.stack(found) if found else torch.empty(0, 0)

    def evaluate(self, model: nn.Module, corpus: Corpus, device: torch.device, options: object) -> Findings:
        """Decisions held against the right answers, and the mean loss."""
        right: list[Any] = []
        decided: list[Any] = []
        loss, count = 0.0, 0
        model.eval()
        with torch.no_grad():
            for rows in by_length(corpus.lengths(self.inputs.field)):
                batch = self.batch(corpus, rows, device)
                scores = model(batch.x, batch.lengths, batch.features).float()
                loss += float(self.answers.loss(scores, batch.targets))
                count += batch.targets.numel()
                right += self.answers.right(batch.targets)
                decided += self.answers.decided(scores)
        return self.answers.findings(right, decided, loss / max(count, 1))


def beside(features: Sequence[Any], device: torch.device) -> Tensor | None:
    """Rows of feature columns (B, columns); None without any."""
    return torch.from_numpy(np.stack(features)).to(device) if len(features) else None


def check(config: ClassifyConfig, with_frames: bool) -> None:
    """Refuse settings that would do nothing."""
    mistakes = []
    if config.tokens.bpe_dropout:
        mistakes.append(("tokens.bpe_dropout", "classify cuts its texts once, before training", "leave it at 0"))
    if with_frames and config.model.one_hot:
        mistakes.append(("model.one_hot", "frames are numbers, not words", "leave it false"))
    if mistakes:
        raise ConfigError("settings", mistakes)
