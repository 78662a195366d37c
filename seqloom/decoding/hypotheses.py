"""Hypotheses: answers while they grow token by token, and the decoded sequences they end as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


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


@dataclass(frozen=True)
class Hypothesis:
    """A token and, through `parent`, the tokens before it: one path through the search."""

    parent: Hypothesis | None
    token: int
    log_prob: float  # of the token
    total: float  # of all tokens up to it
    length: int
    attention: tuple[Sequence[Tensor], int]  # weights of the step that chose it, for each layer, and its row there
    likeliest: Choices

    def path(self) -> Iterator[Hypothesis]:
        """From this token back to the first."""
        node: Hypothesis | None = self
        while node is not None:
            yield node
            node = node.parent

    def tokens(self) -> list[int]:
        return [node.token for node in self.path()][::-1]


def extend(
    parent: Hypothesis | None,
    token: int,
    log_prob: float,
    attention: tuple[Sequence[Tensor], int],
    likeliest: Choices = (),
) -> Hypothesis:
    """The hypothesis with one more token."""
    total, length = (parent.total, parent.length) if parent is not None else (0.0, 0)
    return Hypothesis(parent, token, log_prob, total + log_prob, length + 1, attention, likeliest)


def finish(last: Hypothesis | None, penalty: float, eos: int, source_length: int) -> DecodedSequence:
    """The decoded sequence of a hypothesis."""
    nodes = list(last.path())[::-1] if last is not None else []
    ended = bool(nodes) and nodes[-1].token == eos
    words = nodes[:-1] if ended else nodes
    total = nodes[-1].total if nodes else 0.0
    return DecodedSequence(
        tokens=[node.token for node in words],
        token_scores=[node.log_prob for node in nodes],
        score=total / length_penalty(len(nodes), penalty),
        ended=ended,
        attention=stack_attention(words, source_length),
        likeliest=[node.likeliest for node in nodes],
    )


def stack_attention(nodes: Sequence[Hypothesis], source_length: int) -> NDArray[np.float32] | None:
    """The attention weights of all tokens, (L, N, T, S); None if the model was not asked for them."""
    if not nodes or not nodes[0].attention[0]:
        return None
    steps = [
        torch.stack([layer[row, :, :source_length] for layer in layers])
        for layers, row in (node.attention for node in nodes)
    ]
    weights: NDArray[np.float32] = torch.stack(steps, dim=2).float().cpu().numpy()
    return weights


def length_penalty(length: int, strength: float) -> float:
    """((5 + length) / 6) ** strength (Wu et al. 2016)."""
    return float(((5 + length) / 6) ** strength)
