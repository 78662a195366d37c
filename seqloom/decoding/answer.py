"""An answer while it grows, and when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True)
class Written:
    """The tokens of an answer, without <bos> and <eos>."""

    tokens: list[int]
    token_scores: list[float]  # log-probability of each, and of <eos> if it ended by itself
    score: float  # their sum, divided by the length penalty
    ended: bool  # by itself, or because it was long enough
    attention: NDArray[np.float32] | None  # (L, N, T, S): for each token, what was looked at
    likeliest: list[Choices]  # for each of `token_scores`, what could have been said instead, if that was asked for


Choices = Sequence[tuple[int, float]]
"""Tokens and their log-probabilities, the likeliest first."""


class Found(NamedTuple):
    """What is known of an input after a step: its answers, the best first; not `whole` while they still grow."""

    number: int
    answers: list[Written]
    whole: bool


@dataclass(frozen=True)
class Node:
    """A token and what came before it."""

    before: Node | None
    token: int
    score: float  # log-probability of the token
    total: float  # of all tokens up to it
    length: int
    seen: tuple[Sequence[Tensor], int]  # attention of the step that chose it, and its row there
    likeliest: Choices

    def path(self) -> Iterator[Node]:
        """From this token back to the first."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.before

    def tokens(self) -> list[int]:
        return [node.token for node in self.path()][::-1]


def follow(
    before: Node | None, token: int, score: float, seen: tuple[Sequence[Tensor], int], likeliest: Choices = ()
) -> Node:
    """One token more."""
    total, length = (before.total, before.length) if before is not None else (0.0, 0)
    return Node(before, token, score, total + score, length + 1, seen, likeliest)


def finish(last: Node | None, penalty: float, eos: int, source_length: int) -> Written:
    """An answer from its last token."""
    nodes = list(last.path())[::-1] if last is not None else []
    ended = bool(nodes) and nodes[-1].token == eos
    words = nodes[:-1] if ended else nodes
    total = nodes[-1].total if nodes else 0.0
    return Written(
        tokens=[node.token for node in words],
        token_scores=[node.score for node in nodes],
        score=total / length_penalty(len(nodes), penalty),
        ended=ended,
        attention=attention_of(words, source_length),
        likeliest=[node.likeliest for node in nodes],
    )


def attention_of(nodes: Sequence[Node], source_length: int) -> NDArray[np.float32] | None:
    """What was looked at when each token was chosen: (L, N, T, S), or None if nobody asked."""
    if not nodes or not nodes[0].seen[0]:
        return None
    steps = [
        torch.stack([layer[row, :, :source_length] for layer in layers]) for layers, row in (n.seen for n in nodes)
    ]
    found: NDArray[np.float32] = torch.stack(steps, dim=2).float().cpu().numpy()
    return found


def length_penalty(length: int, strength: float) -> float:
    """((5 + length) / 6) ** strength (Wu et al. 2016)."""
    return float(((5 + length) / 6) ** strength)
