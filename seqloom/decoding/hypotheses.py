"""The decoded sequences of an input, and the back-pointers by which they are found at the end of a search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # engines without torch hand out such sequences too
    from torch import Tensor

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class DecodedSequence:
    """The token ids of an answer, without <bos> and <eos>, with their scores and attention weights."""

    tokens: list[int]
    token_scores: list[float]  # log-probability of each, and of <eos> if it ended by itself
    score: float  # their sum, divided by the length penalty
    ended: bool  # with <eos>, or because it reached the maximum length
    attention: NDArray[np.float32] | None  # (L, N, T, S): the weights of each token over the source
    likeliest: list[Choices]  # for each of `token_scores` the most probable tokens, if that was asked for


Choices = Sequence[tuple[int, float]]
"""Token ids and their log-probabilities, the most probable first."""


class DecodingUpdate(NamedTuple):
    """The sequences of one input after a step, the best first; not `finished` while they still grow."""

    number: int  # of the input in the batch
    sequences: list[DecodedSequence]
    finished: bool


MANY, FEW = 16, 20
"""From so many rows on, and for so few tokens of each, looking for the best again and again is the fastest."""


class TopTokens(NamedTuple):
    """The most probable next tokens of each row, the best first, on the host."""

    tokens: Numbers  # (R, k)
    log_probs: Scores  # (R, k)

    @classmethod
    def of(cls, log_probs: Tensor, count: int) -> TopTokens:
        """log_probs (R, V), which are used up -> the best `count` of each row.

        It is here that a step waits for the device, once.
        """
        count = min(count, log_probs.shape[1])
        rows, in_numpy = log_probs.shape[0], log_probs.is_cpu and log_probs.element_size() > 2  # bfloat16 it has not
        if in_numpy and (count == 1 or (rows >= MANY and count <= FEW)):
            return cls.one_by_one(log_probs.numpy(), count)
        best = log_probs.topk(count, dim=-1)
        return cls(best.indices.cpu().numpy(), best.values.double().cpu().numpy())

    @classmethod
    def one_by_one(cls, log_probs: NDArray[Any], count: int) -> TopTokens:
        """The same by looking for the best `count` times: numpy does that at the speed of memory."""
        each = np.arange(len(log_probs))
        tokens, values = np.empty((len(each), count), np.int64), np.empty((len(each), count))
        for number in range(count):
            tokens[:, number] = best = log_probs.argmax(1)
            values[:, number] = log_probs[each, best]
            log_probs[each, best] = -np.inf
        return cls(tokens, values)

    def choices(self, row: int, count: int) -> Choices:
        """The best few of a row, of those that may come."""
        pairs = zip(self.tokens[row, :count].tolist(), self.log_probs[row, :count].tolist(), strict=True)
        return [pair for pair in pairs if pair[1] > -math.inf]


@dataclass(frozen=True)
class StepRecord:
    """The tokens that a step of beam search chose among, and where each came from; all inputs one after the other."""

    tokens: Numbers  # (C)
    log_probs: Scores  # (C)
    parents: Numbers  # (C): the place of the token before it in the record of the step before
    rows: Numbers  # (C): its row in the batch of the model
    attention: Tensor | None  # (L, R, N, S)
    top: TopTokens


class History:
    """All steps of a search so far: sequences are read off backwards, once they are wanted."""

    def __init__(self, eos: int, penalty: float, likeliest: int) -> None:
        self.eos, self.penalty, self.likeliest = eos, penalty, likeliest
        self.records: list[StepRecord] = []

    def sequence(self, step: int, place: int, source_length: int) -> DecodedSequence:
        """The sequence whose last token stands at a place in the record of a step."""
        path: list[tuple[StepRecord, int]] = []
        for record in reversed(self.records[: step + 1]):
            path.append((record, place))
            place = int(record.parents[place])
        path.reverse()
        tokens = [int(record.tokens[place]) for record, place in path]
        rows = [int(record.rows[place]) for record, place in path]
        weights = [
            record.attention[:, row]
            for (record, _), row in zip(path, rows, strict=True)
            if record.attention is not None
        ]
        log_probs = [float(record.log_probs[place]) for record, place in path]
        likeliest = [record.top.choices(row, self.likeliest) for (record, _), row in zip(path, rows, strict=True)]
        return decoded(tokens, log_probs, self.eos, self.penalty, source_length, weights, likeliest)


@dataclass
class SampledSequence:
    """The tokens of a row so far, each with its log-probability and what else was asked for; it grows."""

    tokens: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    likeliest: list[Choices] = field(default_factory=list)
    attention: list[Tensor] = field(default_factory=list)  # (L, N, S) each

    def decoded(self, eos: int, penalty: float, source_length: int) -> DecodedSequence:
        return decoded(self.tokens, self.log_probs, eos, penalty, source_length, self.attention, self.likeliest)


@dataclass(frozen=True)
class SampledToken:
    """A row that has one more token, and whether it is the last."""

    row: int
    sequence: SampledSequence
    last: bool


def decoded(
    tokens: Sequence[int],
    log_probs: Sequence[float],
    eos: int,
    penalty: float,
    source_length: int,
    attention: Sequence[Tensor],
    likeliest: Sequence[Choices],
) -> DecodedSequence:
    """A sequence with <eos> at its end if it has ended; attention: the weights of each token (L, N, S), or none."""
    ended = bool(tokens) and tokens[-1] == eos
    words = list(tokens[:-1] if ended else tokens)
    return DecodedSequence(
        tokens=words,
        token_scores=list(log_probs),
        score=sum(log_probs) / length_penalty(len(tokens), penalty),
        ended=ended,
        attention=stack_attention(attention[: len(words)], source_length),
        likeliest=list(likeliest),
    )


def stack_attention(steps: Sequence[Tensor], source_length: int) -> NDArray[np.float32] | None:
    """The attention weights of all tokens, (L, N, T, S); None if the model was not asked for them."""
    if not steps:
        return None
    weights = [step[..., :source_length].float().cpu().numpy() for step in steps]
    return np.stack(weights, axis=2)


def length_penalty(length: int, strength: float) -> float:
    """((5 + length) / 6) ** strength (Wu et al. 2016)."""
    return float(((5 + length) / 6) ** strength)
