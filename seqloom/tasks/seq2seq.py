"""What tasks that write a text from a source share: batches for teacher forcing, the loss, limits and costs."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.data.bucket_sampler import BucketSampler
from seqloom.data.corpus import Corpus
from seqloom.decoding.settings import DecodingOptions
from seqloom.errors import DataError
from seqloom.extras import require
from seqloom.layers.cross_entropy import total_cross_entropy
from seqloom.layers.masks import lengths_to_mask
from seqloom.models.registry import find
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.tasks.batching import ExampleStream, ExampleTrainable, TensorBatch, tensors
from seqloom.tasks.settings import TaskConfig
from seqloom.tasks.task import Task
from seqloom.tasks.trainable import Loss, Plan
from seqloom.tokens.settings import BOS, EOS

WEIGHTS_PER_TOKEN = 100
"""Attention weights that cost as much as one token."""


class Seq2SeqTaskConfig(TaskConfig):
    """The settings of a task that writes a text from a source."""

    model: Seq2SeqConfig = Seq2SeqConfig()
    """Which encoder, which bridge, which decoder, and how large."""


C = TypeVar("C", bound=Seq2SeqTaskConfig)


@dataclass(frozen=True)
class Seq2SeqBatch(TensorBatch):
    """Sources, and for each position of their targets the token before it and the token to predict."""

    source: Tensor  # (B, S), or what else the model reads
    source_lengths: Tensor  # (B)
    decoder_input: Tensor  # (B, T) <bos> first
    labels: Tensor  # (B, T) <eos> last
    target_lengths: Tensor  # (B)

    @classmethod
    def of(cls, source: Tensor, source_lengths: Tensor, targets: Sequence[Any], device: torch.device) -> Seq2SeqBatch:
        """From encoded sources, and the token ids of targets without <bos> and <eos>."""
        decoder_input, _ = tensors([[BOS, *row] for row in targets], device)
        labels, target_lengths = tensors([[*row, EOS] for row in targets], device)
        return cls(source, source_lengths, decoder_input, labels, target_lengths)

    @property
    def lengths(self) -> Tensor:
        return self.source_lengths + self.target_lengths

    @property
    def real(self) -> Tensor:
        """The padding mask of the targets (B, T): True where a token is to be predicted."""
        return lengths_to_mask(self.target_lengths, self.decoder_input.shape[1])

    def predicted(self, model: nn.Module) -> tuple[Tensor, Tensor, Tensor]:
        """Teacher forcing: the logits (N, V) of the N tokens that are not padding, these tokens (N), and the mask."""
        real = self.real
        logits = model(self.source, self.source_lengths, self.decoder_input, real)
        return logits, self.labels[real], real


class Seq2SeqTask(Task[C]):
    """A task whose model encodes a source and writes a target, token by token."""

    examples: str = "pairs"
    """What its examples are called in messages."""

    @classmethod
    def check_extras(cls, config: C) -> None:
        measure = getattr(config, config.task).measure
        if measure in ("bleu", "chrf"):
            purpose = f'validation by {config.task}.measure = "{measure}"'
            require("sacrebleu", "evaluate", purpose, otherwise=f"choose another, as --set {config.task}.measure=loss")

    @property
    def language(self) -> str:
        """The language of the targets; empty if it is not known."""
        return self.config.data.target_language.split("-")[0].removeprefix("und")

    @property
    def counted(self) -> str:
        """What `model.length` counts."""
        return "tokens"

    def streams(self, temperature: float | None) -> bool:
        return bool(temperature)  # a beam search may change its mind until the end

    def answer_cost(self, options: DecodingOptions, source: int, longest: int, *, weights: bool) -> int:
        """All sequences of the beam at their longest, and the attention weights that are kept."""
        model, cost = self.config.model, 1
        if weights:
            heads = model.heads if "heads" in find(model.decoder, "decoder").reads else 1
            cost += len(model.decoder_widths) * heads * source // WEIGHTS_PER_TOKEN
        return options.sequences * longest * cost

    # --- training -----------------------------------------------------------------------------------

    @abstractmethod
    def lengths(self, corpus: Corpus) -> NDArray[Any]:
        """The length of each example, which `model.length` bounds."""

    @abstractmethod
    def sampler(self, train: Corpus, kept: NDArray[Any], lengths: NDArray[Any], plan: Plan) -> BucketSampler:
        """The order in which the examples that are kept are trained on."""

    @abstractmethod
    def training_batch(self, corpus: Corpus, rows: Sequence[int], device: torch.device, random: Random) -> Seq2SeqBatch:
        """Examples of a corpus, with random augmentation where that is set."""

    @abstractmethod
    def sample(self, model: nn.Module, corpus: Corpus) -> str:
        """The prediction for the first example, greedily decoded."""

    def trainable(self, train: Corpus, valid: Corpus | None, plan: Plan) -> ExampleTrainable[Seq2SeqBatch]:
        lengths, limit = self.lengths(train), self.config.model.length
        kept = np.flatnonzero(lengths <= limit)
        if not len(kept):
            raise DataError(f"all {self.examples} are longer than {limit} {self.counted}", remedy="raise model.length")
        order = self.sampler(train, kept, lengths[kept], plan)

        def make(rows: Any) -> Seq2SeqBatch:
            places = kept[rows].tolist()
            key = f"{plan.seed} {order.epoch} {places}".encode()
            random = Random(hashlib.blake2b(key, digest_size=8).digest())
            return self.training_batch(train, places, plan.device, random)

        def loss(model: nn.Module, batch: Seq2SeqBatch) -> Loss:
            logits, labels, _ = batch.predicted(model)
            return Loss(total_cross_entropy(logits, labels, plan.label_smoothing), len(labels), logits)

        return ExampleTrainable(
            ExampleStream(order, make), loss, self.validation(valid, plan),
            lambda model: self.sample(model, train if valid is None else valid),
            self.notes(len(lengths) - len(kept), 0 if valid is None else len(valid)), predicts_tokens=True,
        )  # fmt: skip

    def notes(self, left_out: int, valid: int) -> list[str]:
        """What is left out of training, and how many of the `valid` validation examples are decoded."""
        longer = f"{left_out:,} {self.examples} are longer than {self.config.model.length} {self.counted} and left out"
        return [longer] if left_out else []

    def mean_loss(self, model: nn.Module, batches: Iterable[Seq2SeqBatch]) -> float:
        """The mean loss of a token, <eos> included."""
        total, count = 0.0, 0
        model.eval()
        with torch.no_grad():
            for batch in batches:
                logits, labels, _ = batch.predicted(model)
                total += float(F.cross_entropy(logits, labels, reduction="sum"))
                count += len(labels)
        return total / max(count, 1)
