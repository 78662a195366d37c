"""Classify: one label for a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.data.align import cut
from seqloom.data.record import Record
from seqloom.data.shards import Chunk, Corpus
from seqloom.data.splits import Records
from seqloom.data.stream import Rows
from seqloom.errors import ConfigError, DataError
from seqloom.evaluating.classification import Classified
from seqloom.models.classifier import make_classifier
from seqloom.tasks.batching import RowWork, by_length, tensors
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.task import Facts, Findings, Table, Task
from seqloom.tasks.work import Loss, Plan, Score
from seqloom.tokens.tokenizer import Tokenizer

SHOWN = 12
"""Labels that a table of right and wrong can show at most."""


@dataclass(frozen=True)
class Batch:
    """Texts and their labels."""

    tokens: Tensor  # (B, T)
    lengths: Tensor  # (B)
    labels: Tensor  # (B)

    def select(self, rows: Sequence[int]) -> Batch:
        chosen = list(rows)
        return Batch(self.tokens[chosen], self.lengths[chosen], self.labels[chosen])


@dataclass(frozen=True)
class Labelled:
    """What a model says of one text: its label, and the share of each label."""

    text: str
    label: str
    scores: dict[str, float]

    def __str__(self) -> str:
        return self.label

    def json(self) -> dict[str, Any]:
        return {"text": self.text, "label": self.label, "scores": self.scores}


class Classify(Task[ClassifyConfig]):
    """A dictionary and labels."""

    def __init__(self, config: ClassifyConfig, tokenizers: Mapping[str, Tokenizer], facts: Facts) -> None:
        super().__init__(config, tokenizers, facts)
        self.tokenizer = self.tokenizers["text"]
        self.labels: list[str] = self.facts["labels"]
        self.numbers = {label: number for number, label in enumerate(self.labels)}

    @classmethod
    def learn(cls, config: ClassifyConfig, train: Records, known: Mapping[str, Tokenizer]) -> Self:
        """The dictionary and the labels of training data."""
        if config.tokens.bpe_dropout:
            raise ConfigError(
                "settings", [("tokens.bpe_dropout", "classify cuts its texts once, before training", "leave it at 0")]
            )
        found: Counter[str] = Counter(str(record.columns["label"]) for record in train)
        if len(found) < 2:
            raise DataError(
                f"every text has the label {next(iter(found))!r}",
                where=str(train.files[0]) if train.files else "<python>",
                remedy="a classifier needs two labels at least; check data.columns.label",
            )
        count = found.total()
        if count >= 20 and len(found) > count / 2:
            raise DataError(
                f"{len(found)} different labels for {count} texts: is that the column of labels?",
                where=str(train.files[0]) if train.files else "<python>",
                remedy="say which is which, as in data.columns.text=1 data.columns.label=2",
            )
        texts = (str(record.columns["text"]) for record in train)
        tokenizer = known["text"] if "text" in known else Tokenizer.train(texts, config.tokens)
        return cls(config, {"text": tokenizer}, {"labels": sorted(found)})

    def make_model(self) -> nn.Module:
        return make_classifier(self.config.model, self.tokenizer.size, len(self.labels))

    # --- data ---------------------------------------------------------------------------------------

    def reads(self) -> Mapping[str, Any]:
        return {"length": self.config.model.length, "cut": self.config.model.cut}

    def encode(self, records: list[Record]) -> Chunk:
        """Texts as numbers, cut to the longest that the model reads, and the number of each label."""
        texts = self.rows([str(record.columns["text"]) for record in records])
        return {"text": texts, "label": [[self.number_of(record)] for record in records]}

    def rows(self, texts: Sequence[str]) -> list[Sequence[int]]:
        model = self.config.model
        return [cut(text, model.length, model.cut) for text in self.tokenizer.encode_batch(texts)]

    def number_of(self, record: Record) -> int:
        label = str(record.columns["label"])
        if label not in self.numbers:
            known = ", ".join(self.labels[:10])
            raise DataError(
                f"the label {label!r} was never seen in training",
                where=str(record.place),
                remedy=f"mend it, or train with examples of it; known: {known}",
            )
        return self.numbers[label]

    def batch(self, corpus: Corpus, rows: Sequence[int] | Rows, device: torch.device) -> Batch:
        places = [int(row) for row in rows]
        tokens, lengths = tensors([corpus["text", row] for row in places], device)
        labels = torch.tensor([int(corpus["label", row][0]) for row in places], device=device)
        return Batch(tokens, lengths, labels)

    # --- training -----------------------------------------------------------------------------------

    def work(self, train: Corpus, valid: Corpus | None, plan: Plan) -> RowWork[Batch]:
        def make(corpus: Corpus, rows: Sequence[int] | Rows) -> Batch:
            return self.batch(corpus, rows, plan.device)

        def loss(model: nn.Module, batch: Batch) -> Loss:
            scores = model(batch.tokens, batch.lengths)
            total = F.cross_entropy(scores, batch.labels, reduction="sum", label_smoothing=plan.label_smoothing)
            return Loss(total, len(batch.labels))

        def evaluate(model: nn.Module) -> Score | None:
            if valid is None:
                return None
            found = self.evaluate(model, valid, plan.device, None)
            return Score(dict(found.figures), found.decides)

        return RowWork(train, "text", plan, make, loss, evaluate)

    # --- use ----------------------------------------------------------------------------------------

    def predict(self, model: nn.Module, inputs: Sequence[str], options: object) -> list[Labelled]:
        """Labels for texts; a text without a known word gets what the model says of nothing."""
        device = next(model.parameters()).device
        rows = self.rows(inputs)
        found: dict[int, Labelled] = {}
        for places in by_length([len(row) for row in rows]):
            tokens, lengths = tensors([rows[place] for place in places], device)
            with torch.no_grad():
                shares = torch.softmax(model(tokens, lengths), -1).cpu()
            for place, share in zip(places, shares, strict=True):
                scores = dict(zip(self.labels, share.tolist(), strict=True))
                found[place] = Labelled(inputs[place], self.labels[int(share.argmax())], scores)
        return [found[place] for place in range(len(inputs))]

    def evaluate(self, model: nn.Module, corpus: Corpus, device: torch.device, options: object) -> Findings:
        """Right and wrong by label, and the mean loss."""
        true: list[int] = []
        predicted: list[int] = []
        loss = 0.0
        model.eval()
        with torch.no_grad():
            for rows in by_length(corpus.lengths("text")):
                batch = self.batch(corpus, rows, device)
                scores = model(batch.tokens, batch.lengths)
                loss += float(F.cross_entropy(scores, batch.labels, reduction="sum"))
                true += batch.labels.tolist()
                predicted += scores.argmax(-1).tolist()
        found = Classified.of(self.labels, true, predicted)
        figures = {"loss": loss / max(len(true), 1), **found.figures()}
        details = {"labels": self.labels, "confusion": found.confusion.tolist()}
        return Findings(figures, found.accuracy, [confusion_table(found)], details)


def confusion_table(found: Classified) -> Table:
    """True labels against predicted ones; of many labels, F1 alone."""
    if len(found.labels) <= SHOWN:
        rows = [
            [label, *map(str, counts), f"{f1:.3f}"]
            for label, counts, f1 in zip(found.labels, found.confusion.tolist(), found.f1, strict=True)
        ]
        return Table("", ["true \\ predicted", *found.labels, "F1"], rows)
    counts = found.confusion.sum(1).tolist()
    return Table(
        "", ["label", "examples", "F1"],
        [[label, str(n), f"{f1:.3f}"] for label, n, f1 in zip(found.labels, counts, found.f1, strict=True)],
    )  # fmt: skip
