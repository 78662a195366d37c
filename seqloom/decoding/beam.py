"""Beam search: the best few unfinished answers are followed side by side, for many inputs at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from seqloom.decoding.answer import Node, Written, finish, follow, length_penalty
from seqloom.decoding.rules import Rules
from seqloom.decoding.settings import Search
from seqloom.decoding.stepping import Stepper


def beam_search(
    model: Stepper, state: Any, sources: Sequence[int], bos: int, rules: Rules, search: Search, device: torch.device
) -> list[list[Written]]:
    """Answers for each input, the best first.

    state    of the model, a row for each input
    sources  the length of each input in tokens
    """
    inputs = [Input(number, length, rules, search) for number, length in enumerate(sources)]
    live = list(inputs)
    tokens = torch.full((len(inputs),), bos, device=device)
    while live:
        nodes = [node for one in live for node in one.nodes]
        step = model.step(tokens, state)
        logp = rules.apply(torch.log_softmax(step.scores, -1), nodes)
        scores, choices = logp.topk(min(2 * search.beam, logp.shape[1]), dim=-1)
        found = [list(zip(*pair, strict=True)) for pair in zip(choices.tolist(), scores.tolist(), strict=True)]
        going: list[tuple[Node, int]] = []
        first = 0
        for one in live:
            end = first + len(one.nodes)
            going += one.advance(found[first:end], first, step.attention)
            first = end
        live = [one for one in live if one.nodes]
        if live:
            state = model.select(step.state, torch.tensor([row for _, row in going], device=device))
            tokens = torch.tensor([node.token for node, _ in going], device=device)
    return [one.answers() for one in inputs]


class Input:
    """One input, and what was written for it so far."""

    def __init__(self, number: int, length: int, rules: Rules, search: Search) -> None:
        self.number, self.length, self.rules, self.search = number, length, rules, search
        self.limit = search.limit(length)
        self.nodes: list[Node | None] = [None]
        self.finished: list[Written] = []

    def advance(
        self, found: Sequence[Sequence[tuple[int, float]]], first: int, attention: Sequence[Tensor]
    ) -> list[tuple[Node, int]]:
        """Take the best continuations; those that go on, and their rows. None once it is done.

        found  for each answer so far the best next tokens, and their log-probabilities
        first  the row of the first answer
        """
        beam = self.search.beam
        new = [
            follow(before, token, score, (attention, first + place))
            for place, (before, choices) in enumerate(zip(self.nodes, found, strict=True))
            for token, score in choices
            if score > -math.inf
        ]
        new.sort(key=lambda node: -node.total)
        for node in new[:beam]:
            if node.token == self.rules.eos:
                self.finished.append(finish(node, self.search.length_penalty, self.rules.eos, self.length))
        going = [node for node in new[: 2 * beam] if node.token != self.rules.eos][:beam]
        if (going and going[0].length >= self.limit) or self.decided(going):
            if len(self.finished) < self.search.n_best:
                self.finished += [
                    finish(node, self.search.length_penalty, self.rules.eos, self.length) for node in going
                ]
            going = []
        self.nodes = [*going]
        return [(node, node.seen[1]) for node in going]

    def decided(self, going: Sequence[Node]) -> bool:
        """Whether nothing that goes on can be better than the worst of the answers that are wanted."""
        if not going:
            return True
        if len(self.finished) < self.search.n_best:
            return False
        wanted = sorted((answer.score for answer in self.finished), reverse=True)[self.search.n_best - 1]
        longest = length_penalty(self.limit, self.search.length_penalty)
        return wanted >= going[0].total / longest

    def answers(self) -> list[Written]:
        found = sorted(self.finished, key=lambda answer: -answer.score)[: self.search.n_best]
        return found or [finish(None, self.search.length_penalty, self.rules.eos, self.length)]
