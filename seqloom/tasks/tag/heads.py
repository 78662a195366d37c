"""From the logits of a sentence to its tags: each word by itself, or all together by a conditional random field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from seqloom.errors import ConfigError
from seqloom.models.crf import LinearChainCRF
from seqloom.tasks.tag.batch import IGNORED, TagBatch
from seqloom.tasks.tag.span_decoding import SpanDecoder, allowed_transitions


class TaggedSentence(NamedTuple):
    """The tags of a sentence, and the probability of every tag at each word."""

    tags: list[int]
    probabilities: NDArray[np.float64]  # (T, V)

    @property
    def scores(self) -> list[float]:
        """The probability of each tag that was chosen."""
        return [float(row[tag]) for row, tag in zip(self.probabilities, self.tags, strict=True)]


class TagHead(Protocol):
    """How the tags of a sentence are chosen, and what that costs in training."""

    def module(self) -> LinearChainCRF | None:
        """What the model needs for it beside its logits."""
        ...

    def loss(self, model: nn.Module, logits: Tensor, batch: TagBatch, smoothing: float = 0.0) -> Tensor:
        """Summed over the words that have a tag: logits (B, T, V)."""
        ...

    def choose(self, model: nn.Module, sentences: Sequence[Tensor]) -> list[TaggedSentence]:
        """The tags of sentences, each given by its logits (T, V)."""
        ...


class SoftmaxHead:
    """A softmax at each word; where training data marks whole spans, answers do, too."""

    def __init__(self, tags: Sequence[str], whole_spans: bool) -> None:
        self.decode: Callable[[NDArray[np.float64]], list[int]] = SpanDecoder(tags) if whole_spans else likeliest

    def module(self) -> None:
        return None

    def loss(self, model: nn.Module, logits: Tensor, batch: TagBatch, smoothing: float = 0.0) -> Tensor:
        flat, tags = logits.flatten(0, 1), batch.tags.flatten()
        return F.cross_entropy(flat, tags, ignore_index=IGNORED, reduction="sum", label_smoothing=smoothing)

    def choose(self, model: nn.Module, sentences: Sequence[Tensor]) -> list[TaggedSentence]:
        rows = [torch.softmax(logits.float(), -1).cpu().numpy() for logits in sentences]
        return [TaggedSentence(self.decode(found), found) for found in rows]


class CRFHead:
    """A conditional random field over the words of a sentence; transitions that no span has are forbidden."""

    def __init__(self, tags: Sequence[str], whole_spans: bool) -> None:
        self.tags, self.whole_spans = tags, whole_spans

    def module(self) -> LinearChainCRF:
        allowed = torch.from_numpy(allowed_transitions(self.tags)) if self.whole_spans else None
        return LinearChainCRF(len(self.tags), allowed)

    def loss(self, model: nn.Module, logits: Tensor, batch: TagBatch, smoothing: float = 0.0) -> Tensor:
        if smoothing:
            what = "a conditional random field has no per-word labels to smooth"
            raise ConfigError("settings", [("train.label_smoothing", what, "leave it at 0, or use tag.head softmax")])
        return field_of(model).loss(logits, batch.tags, batch.lengths)

    def choose(self, model: nn.Module, sentences: Sequence[Tensor]) -> list[TaggedSentence]:
        lengths = torch.tensor([len(logits) for logits in sentences])
        if not len(lengths):
            return []
        z, field = pad_sequence(list(sentences), batch_first=True), field_of(model)
        lengths = lengths.to(z.device)
        rows = field(z, lengths).cpu().numpy()
        found = zip(field.decode(z, lengths), rows, strict=True)
        return [TaggedSentence(tags, probabilities[: len(tags)]) for tags, probabilities in found]


HEADS: dict[str, Callable[[Sequence[str], bool], TagHead]] = {"softmax": SoftmaxHead, "crf": CRFHead}


def field_of(model: nn.Module) -> LinearChainCRF:
    """The random field of a tagger, which several processes may train together."""
    field = getattr(getattr(model, "module", model), "crf", None)
    assert isinstance(field, LinearChainCRF)
    return field


def likeliest(probabilities: NDArray[np.float64]) -> list[int]:
    """The likeliest tag of each word."""
    return [int(tag) for tag in probabilities.argmax(-1)]
