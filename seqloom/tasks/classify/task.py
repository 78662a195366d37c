"""Classify: what a text, or a sequence of frames, is: one label, several, or a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from seqloom.attribution.probe import Probe
from seqloom.data.bucket_sampler import Rows
from seqloom.data.column_roles import COLUMNS
from seqloom.data.corpus import Chunk, Corpus
from seqloom.data.features import Features
from seqloom.data.length_batches import by_length
from seqloom.data.record import Record
from seqloom.data.splits import Records
from seqloom.data.stratification import Outcomes
from seqloom.errors import ConfigError
from seqloom.evaluating.baselines.score import BaselineScore
from seqloom.models.classifier import label_logits, make_classifier
from seqloom.models.stage import Example
from seqloom.models.token_embedding import TokenEmbedding
from seqloom.tasks.batching import ExampleTrainable, TensorBatch, example_stream, vectors_by_length
from seqloom.tasks.classify.answers import ANSWERS
from seqloom.tasks.classify.answers.base import learned
from seqloom.tasks.classify.baseline import baselines
from seqloom.tasks.classify.inspect import inspect_classification
from seqloom.tasks.classify.probe import classification_probe
from seqloom.tasks.classify.review import review_classification
from seqloom.tasks.classify.settings import ClassifyConfig, ClassifyFacts
from seqloom.tasks.classify.stages import classification_example
from seqloom.tasks.classify.text_inputs import TextInputs
from seqloom.tasks.frame_inputs import FrameInputs, FrameStatistics
from seqloom.tasks.input_kind import InputKind
from seqloom.tasks.inspection import Inspection, InspectOptions
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tasks.review import Reviewed
from seqloom.tasks.task import Evaluation, Facts, Task
from seqloom.tasks.trainable import Loss, Plan
from seqloom.tokens.tokenizer import Tokenizer

MANY_CUT = 0.05
"""Fraction of inputs that are as long as the model reads, from which on it is worth a note."""


@dataclass(frozen=True)
class ClassifyBatch(TensorBatch):
    """Inputs, their feature columns, and the targets."""

    x: Tensor  # token ids (B, T), or frames (B, T, D)
    lengths: Tensor  # (B)
    features: Tensor | None  # (B, columns)
    targets: Tensor  # (B) or (B, V)


class Classify(Task[ClassifyConfig]):
    """Say what a text, or a sequence of frames, is: one label, several, or a number."""

    Settings = ClassifyConfig
    columns = COLUMNS["classify"]
    Learned = ClassifyFacts

    def __init__(self, config: ClassifyConfig, tokenizers: Mapping[str, Tokenizer], facts: Facts) -> None:
        super().__init__(config, tokenizers, facts)
        self.inputs: InputKind = (
            FrameInputs(config, facts["frames"]) if "frames" in facts else TextInputs(config, self.tokenizers["text"])
        )
        self.answers = ANSWERS[config.classify.answer](config, facts)
        self.features = Features.from_json(learned(facts, "features")) if config.classify.columns else Features()

    @classmethod
    def learn(cls, config: ClassifyConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        """Train the tokenizer, or measure the frames; collect labels, or measure numbers; fit the feature columns."""
        answers, statistics = ANSWERS[config.classify.answer].Learner(config), FrameStatistics()
        with_frames = "frames" in next(iter(train)).columns
        check(config, with_frames)

        def noted() -> Iterator[Record]:
            for record in train:
                answers.add(record)
                if with_frames:
                    statistics.add(record)
                yield record

        settings = config.classify
        features = Features(
            settings.numbers, settings.binary, settings.categories, standardise=settings.standardise
        ).fit(noted())
        where = train.source_name
        facts = answers.facts(where)
        if settings.columns:
            features.check(where)
            facts["features"] = features.to_json()
        if with_frames:
            return cls(config, {}, {**facts, "frames": statistics.facts()})
        texts = (str(record.columns["text"]) for record in train)
        tokenizer = known["text"] if "text" in known else Tokenizer.train(texts, config.tokens)
        return cls(config, {"text": tokenizer}, facts)

    @classmethod
    def outcomes(cls, config: ClassifyConfig) -> Outcomes | None:
        """The labels; numbers are as rare as they are."""
        labels = ANSWERS[config.classify.answer].labels_in(config)
        return Outcomes(labels, strata=True) if labels is not None else None

    def make_model(self) -> nn.Module:
        return make_classifier(
            self.config.model, self.inputs.make_embedding(), self.answers.outputs, len(self.features)
        )

    @classmethod
    def untrained(cls, config: ClassifyConfig, vocabulary: int) -> nn.Module:
        outputs = label_logits(config.model.name, labels=2)
        return make_classifier(config.model, TokenEmbedding(config.model, vocabulary), outputs)

    # --- data ---------------------------------------------------------------------------------------

    def encoding_settings(self) -> Mapping[str, Any]:
        model, classify = self.config.model, self.config.classify
        return {"length": model.length, "cut": model.cut, "answer": classify.answer, "separator": classify.separator}

    def encode(self, records: list[Record]) -> Chunk:
        """Inputs as token ids or frames, their feature columns if there are any, and the right answers."""
        chunk: dict[str, Any] = {
            self.inputs.field: self.inputs.encode(records),
            "answer": [self.answers.encode(record) for record in records],
        }
        return {**chunk, "features": list(map(self.features, records))} if len(self.features) else chunk

    def batch(self, corpus: Corpus, rows: Sequence[int] | Rows, device: torch.device) -> ClassifyBatch:
        fields = (self.inputs.field, "answer", *(["features"] if len(self.features) else []))
        return self.batch_of({field: [corpus[field, int(row)] for row in rows] for field in fields}, device)

    def batch_of(self, chunk: Chunk, device: torch.device) -> ClassifyBatch:
        x, lengths = self.inputs.tensors(chunk[self.inputs.field], device)
        targets = self.answers.targets([np.asarray(row) for row in chunk["answer"]], device)
        return ClassifyBatch(x, lengths, beside(chunk.get("features", []), device), targets)

    # --- training -----------------------------------------------------------------------------------

    def trainable(self, train: Corpus, valid: Corpus | None, plan: Plan) -> ExampleTrainable[ClassifyBatch]:
        def make(corpus: Corpus, rows: Sequence[int] | Rows) -> ClassifyBatch:
            return self.batch(corpus, rows, plan.device)

        def loss(model: nn.Module, batch: ClassifyBatch) -> Loss:
            logits = model(batch.x, batch.lengths, batch.features)
            total = self.answers.loss(logits, batch.targets, plan.label_smoothing)
            return Loss(total, batch.targets.numel(), self.answers.class_logits(logits))

        stream = example_stream(train, self.inputs.field, plan, make)
        return ExampleTrainable(stream, loss, self.validation(valid, plan), notes=self.notes_of(train))

    def check_teacher(self, teacher: Self) -> None:
        own, other = self.config.classify.answer, teacher.config.classify.answer
        if own != other:
            what = f"{own}, and the teacher answers with {other}"
            raise ConfigError("settings", [("classify.answer", what, f"set it to {other}")])

    def notes_of(self, train: Corpus) -> list[str]:
        """Whether much of the training data is longer than the model reads."""
        longest = self.config.model.length
        full = int((train.lengths(self.inputs.field) >= longest).sum())
        if full < MANY_CUT * len(train):
            return []
        beyond = "beyond" if self.config.model.cut == "first" else "before"
        return [
            f"{full:,} of {len(train):,} inputs have {longest} tokens or more: what is {beyond} is not read; "
            "raise model.length to read it"
        ]

    @property
    def labels(self) -> Sequence[str]:
        return self.answers.labels

    def labels_of(self, record: Record) -> Sequence[int]:
        return [int(id) for id in self.answers.encode(record)] if self.labels else ()

    def baseline(self, train: Iterable[Record], valid: Iterable[Record]) -> list[BaselineScore]:
        return baselines(self.answers, train, valid)

    # --- use ----------------------------------------------------------------------------------------

    def input_of(self, record: Record) -> Any:
        alone = "text" in record.columns and not len(self.features)
        return record.columns["text"] if alone else dict(record.columns)

    def accept(self, given: Any) -> Any:
        return self.inputs.accept(given)

    def answer_steps(
        self, model: nn.Module, requests: Sequence[TaskRequest], options: object
    ) -> Iterator[Sequence[Reply]]:
        """Answers for texts or frames, alone or as {"text": ..., "age": ...}; for a text without a known word what
        the model says of nothing."""
        device = next(model.parameters()).device
        records = [self.inputs.record(one.input) for one in requests]
        features = list(map(self.features, records)) if len(self.features) else []
        whole = self.inputs.whole(records)
        encoded = [self.inputs.cut(one) for one in whole]
        for places in by_length([len(one) for one in encoded]):
            x, lengths = self.inputs.tensors([encoded[place] for place in places], device)
            with torch.no_grad():
                logits = model(x, lengths, beside([features[place] for place in places if features], device)).cpu()
            found = [
                (place, self.answers.answer(self.inputs.shown(records[place]), logit))
                for place, logit in zip(places, logits, strict=True)
            ]
            yield [
                Reply(
                    place, replace(answer, cut=self.part_read(whole[place]), unseen=self.inputs.unseen(encoded[place]))
                )
                for place, answer in found
            ]

    def part_read(self, whole: Any) -> str:
        """Which tokens are read of an input that is too long; empty if all are."""
        return self.config.model.cut if len(whole) > self.config.model.length else ""

    def inspect(
        self, model: nn.Module, given: Any, options: InspectOptions, wanted: Callable[[], bool] = lambda: True
    ) -> Iterator[Inspection | None]:
        return inspect_classification(self, model, given, options)

    def probe(self, model: nn.Module, given: Any) -> Probe:
        return classification_probe(self, model, given)

    def review(self, model: nn.Module, records: list[Record]) -> list[Reviewed]:
        return review_classification(self, model, records)

    def example(self, model: nn.Module, given: Any, device: torch.device) -> Example:
        return classification_example(self, model, given, device)

    def vectors(self, model: nn.Module, texts: Sequence[Any]) -> Tensor:
        """The pooled encoder output of each input, before the classification layer (B, H).

        Logistic regression has no encoder: its concatenated embeddings; for an MLP its hidden layer.
        """
        device = next(model.parameters()).device
        encoded = self.inputs.encode([self.inputs.record(given) for given in texts])

        def compute(places: list[int]) -> Tensor:
            vectors: Tensor = model.vectors(*self.inputs.tensors([encoded[place] for place in places], device))  # type: ignore[operator]
            return vectors

        return vectors_by_length([len(one) for one in encoded], compute)

    def evaluate(self, model: nn.Module, corpus: Corpus, device: torch.device, options: object) -> Evaluation:
        """The metrics of the predictions, and the mean loss."""
        expected: list[Any] = [None] * len(corpus)
        predicted: list[Any] = [None] * len(corpus)
        confidence: list[tuple[float, bool]] = []
        loss, count = 0.0, 0
        model.eval()
        with torch.no_grad():
            for rows in by_length(corpus.lengths(self.inputs.field)):
                batch = self.batch(corpus, rows, device)
                logits = model(batch.x, batch.lengths, batch.features).float()
                loss += float(self.answers.loss(logits, batch.targets))
                count += batch.targets.numel()
                true, given = self.answers.expected(batch.targets), self.answers.predicted(logits)
                for place, row in enumerate(rows):  # in the order of the data, so that two models can be compared
                    expected[row], predicted[row] = true[place], given[place]
                sure = self.answers.confidence(logits)
                confidence += [(p, one == other) for p, one, other in zip(sure, true, given)]
        found = self.answers.evaluation(expected, predicted, loss / max(count, 1))
        lengths = corpus.lengths(self.inputs.field).tolist()
        return replace(found, confidence=confidence, lengths=lengths)


def beside(features: Sequence[Any], device: torch.device) -> Tensor | None:
    """Feature columns (B, columns); None without any."""
    return torch.from_numpy(np.stack(features)).to(device) if len(features) else None


def check(config: ClassifyConfig, with_frames: bool) -> None:
    """Refuse settings that would do nothing."""
    mistakes = []
    if config.tokens.bpe_dropout:
        mistakes.append(("tokens.bpe_dropout", "texts are tokenised once, before training", "leave it at 0"))
    if with_frames and config.model.one_hot:
        mistakes.append(("model.one_hot", "frames are numbers, not words", "leave it false"))
    if mistakes:
        raise ConfigError("settings", mistakes)
