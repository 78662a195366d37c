"""Classify: one label for a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.data.align import cut
from seqloom.data.record import Record
from seqloom.data.shards import Chunk, Corpus, fingerprint, prepare
from seqloom.data.splits import Records
from seqloom.data.stream import LengthStream
from seqloom.errors import ConfigError, DataError
from seqloom.evaluating.classification import Classified
from seqloom.models.classifier import make_classifier
from seqloom.models.settings import ModelConfig
from seqloom.tasks.batching import tensors
from seqloom.tasks.work import Loss, Score
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer

AT_ONCE = 256
"""Texts that are predicted or evaluated in one batch."""


@dataclass(frozen=True)
class Batch:
    """Texts and their labels."""

    tokens: Tensor  # (B, T)
    lengths: Tensor  # (B)
    labels: Tensor  # (B)


@dataclass(frozen=True)
class Labelled:
    """What a model says of one text: its label, and the share of each label."""

    text: str
    label: str
    scores: dict[str, float]

    def json(self) -> dict[str, Any]:
        return {"text": self.text, "label": self.label, "scores": self.scores}


class Classify:
    """What is fixed before training: the dictionary, the labels, the sizes of the model."""

    def __init__(self, tokenizer: Tokenizer, labels: Sequence[str], model: ModelConfig) -> None:
        self.tokenizer, self.labels, self.config = tokenizer, list(labels), model
        self.numbers = {label: number for number, label in enumerate(self.labels)}

    @classmethod
    def learn(cls, train: Records, tokens: TokenConfig, model: ModelConfig) -> Classify:
        """The dictionary and the labels of training data."""
        if tokens.bpe_dropout:
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
        tokenizer = Tokenizer.train((str(record.columns["text"]) for record in train), tokens)
        return cls(tokenizer, sorted(found), model)

    def make_model(self) -> nn.Module:
        return make_classifier(self.config, self.tokenizer.size, len(self.labels))

    # --- data ---------------------------------------------------------------------------------------

    def encode(self, records: list[Record]) -> Chunk:
        """Texts as numbers, cut to the longest that the model reads, and the number of each label."""
        texts = self.tokenizer.encode_batch([str(record.columns["text"]) for record in records])
        rows = [cut(text, self.config.length, self.config.cut) for text in texts]
        return {"text": rows, "label": [[self.number_of(record)] for record in records]}

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

    def corpus(self, records: Records, cache: Path, made_of: Mapping[str, Any]) -> Corpus:
        """Records as numbers on disk, made once for the same files and settings (`made_of`: how they are chosen)."""
        settings = {
            "task": "classify",
            "records": made_of,
            "tokenizer": self.tokenizer.fingerprint,
            "labels": self.labels,
            "length": self.config.length,
            "cut": self.config.cut,
        }
        return prepare(cache / fingerprint(records.files, settings), records, self.encode)

    def batch(self, corpus: Corpus, rows: Iterable[int], device: torch.device) -> Batch:
        places = [int(row) for row in rows]
        tokens, lengths = tensors([corpus["text", row] for row in places], device)
        labels = torch.tensor([int(corpus["label", row][0]) for row in places], device=device)
        return Batch(tokens, lengths, labels)

    # --- predictions --------------------------------------------------------------------------------

    def predict(self, model: nn.Module, texts: Sequence[str]) -> list[Labelled]:
        """Labels for texts, in their order; a text without a known word gets what the model says of nothing."""
        device = next(model.parameters()).device
        encoded = self.tokenizer.encode_batch(texts)
        rows = [cut(row, self.config.length, self.config.cut) for row in encoded]
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        found: dict[int, Labelled] = {}
        for first in range(0, len(order), AT_ONCE):
            places = order[first : first + AT_ONCE]
            tokens, lengths = tensors([rows[place] for place in places], device)
            with torch.no_grad():
                shares = torch.softmax(model(tokens, lengths), -1).cpu()
            for place, share in zip(places, shares, strict=True):
                scores = dict(zip(self.labels, share.tolist(), strict=True))
                found[place] = Labelled(texts[place], self.labels[int(share.argmax())], scores)
        return [found[place] for place in range(len(texts))]


class ClassifyWork:
    """The task as the trainer sees it."""

    def __init__(
        self, task: Classify, train: Corpus, valid: Corpus | None, batch_tokens: int, seed: int, smoothing: float,
        device: torch.device,
    ) -> None:  # fmt: skip
        self.task, self.train, self.valid, self.smoothing, self.device = task, train, valid, smoothing, device
        self.stream = RowStream(task, train, LengthStream(train.lengths("text").clip(1), batch_tokens, seed), device)

    def parts(self, batch: Batch, count: int) -> list[Batch]:
        """Every count-th row, so that parts are about equally long; there may be more parts than rows."""
        rows = [range(first, len(batch.lengths), count) for first in range(count)]
        return [Batch(batch.tokens[list(r)], batch.lengths[list(r)], batch.labels[list(r)]) for r in rows]

    def rows(self, batch: Batch) -> int:
        return len(batch.lengths)

    def tokens(self, batch: Batch) -> int:
        return int(batch.lengths.sum())

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        scores = model(batch.tokens, batch.lengths)
        total = F.cross_entropy(scores, batch.labels, reduction="sum", label_smoothing=self.smoothing)
        return Loss(total, len(batch.labels))

    def evaluate(self, model: nn.Module) -> Score | None:
        return None if self.valid is None else self.score(model, self.valid)

    def score(self, model: nn.Module, corpus: Corpus) -> Score:
        classified, loss = measure(self.task, model, corpus, self.device)
        return Score({"loss": loss, **classified.figures()}, classified.accuracy)

    def sample(self, model: nn.Module) -> str:
        return ""


class RowStream:
    """Batches of tensors from a stream of row numbers."""

    def __init__(self, task: Classify, corpus: Corpus, rows: LengthStream, device: torch.device) -> None:
        self.task, self.corpus, self.rows, self.device = task, corpus, rows, device

    def __iter__(self) -> Iterator[Batch]:
        for rows in self.rows:
            yield self.task.batch(self.corpus, rows, self.device)

    def epochs(self) -> float:
        return self.rows.epochs()

    def position(self) -> dict[str, Any]:
        return self.rows.position()

    def seek(self, position: dict[str, Any]) -> None:
        self.rows.seek(position)


def measure(task: Classify, model: nn.Module, corpus: Corpus, device: torch.device) -> tuple[Classified, float]:
    """How a model does on a corpus: right and wrong by label, and the mean loss."""
    order: NDArray[np.int64] = np.argsort(corpus.lengths("text"), kind="stable")
    true: list[int] = []
    predicted: list[int] = []
    loss = 0.0
    model.eval()
    with torch.no_grad():
        for first in range(0, len(order), AT_ONCE):
            batch = task.batch(corpus, order[first : first + AT_ONCE], device)
            scores = model(batch.tokens, batch.lengths)
            loss += float(F.cross_entropy(scores, batch.labels, reduction="sum"))
            true += batch.labels.tolist()
            predicted += scores.argmax(-1).tolist()
    return Classified.of(task.labels, true, predicted), loss / max(len(true), 1)
