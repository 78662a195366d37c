"""Beam search: the best few unfinished answers are followed side by side, for many inputs at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from seqloom.decoding.answer import Found, Node, Written, finish, follow, length_penalty
from seqloom.decoding.rules import Rules
from seqloom.decoding.settings import Search
from seqloom.decoding.stepping import Stepper


def beam_search(
    model: Stepper,
    state: Any,
    sources: Sequence[int],
    bos: int,
    rules: Rules,
    search: Search,
    device: torch.device,
    wanted: Callable[[int], bool] = lambda number: True,
) -> Iterator[list[Found]]:
    """One step after the other: the inputs that are done after each. An input that is not wanted any more is left.

    state    of the model, a row for each input
    sources  the length of each input in tokens
    """
    live = [Input(number, length, rules, search) for number, length in enumerate(sources)]
    tokens = torch.full((len(live),), bos, device=device)
    while live:
        nodes = [node for one in live for node in one.nodes]
        with torch.inference_mode():
            step = model.step(tokens, state)
            logp = rules.apply(torch.log_softmax(step.scores, -1), nodes)
            scores, choices = logp.topk(min(max(2 * search.beam, search.likeliest), logp.shape[1]), dim=-1)
        found = [list(zip(*pair, strict=True)) for pair in zip(choices.tolist(), scores.tolist(), strict=True)]
        going: list[tuple[Node, int]] = []
        done: list[Found] = []
        first = 0
        for one in live:
            end = first + len(one.nodes)
            if wanted(one.number):
                going += one.advance(found[first:end], first, step.attention)
            else:
                one.nodes = []
            if not one.nodes:
                done.append(Found(one.number, one.answers(), True))
            first = end
        live = [one for one in live if one.nodes]
        if live:
            with torch.inference_mode():
                state = model.select(step.state, torch.tensor([row for _, row in going], device=device))
            tokens = torch.tensor([node.token for node, _ in going], device=device)
        yield done


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
        beam, told = self.search.beam, self.search.likeliest
        new = [
            follow(before, token, score, (attention, first + place), choices[:told])
            for place, (before, choices) in enumerate(zip(self.nodes, found, strict=True))
            for token, score in choices[: 2 * beam]
            if score > -math.inf
        ]
        new.sort(key=lambda node: -node.total)
        for node in new[:beam]:
            if node.token == self.rules.eos:
                self.finished.append(self.finish(node))
        going = [node for node in new[: 2 * beam] if node.token != self.rules.eos][:beam]
        if going and going[0].length >= self.limit:
            cut_short = self.limit < self.search.usual(self.length)  # as good as it is so far; else it goes on for ever
            if cut_short or len(self.finished) < self.search.n_best:
                self.finished += map(self.finish, going)
            going = []
        elif self.decided(going):
            going = []
        self.nodes = [*going]
        return [(node, node.seen[1]) for node in going]

    def decided(self, going: Sequence[Node]) -> bool:
        """Whether nothing that goes on can be better than the worst of the answers that are wanted."""
        if not going:
            return True
        if len(self.finished) < self.search.n_best:
            return False
        if self.search.beam == 1:  # the best word in every step, and the end where that is the best
            return True
        wanted = sorted((answer.score for answer in self.finished), reverse=True)[self.search.n_best - 1]
        longest = length_penalty(self.limit, self.search.length_penalty)
        return wanted >= going[0].total / longest

    def answers(self) -> list[Written]:
        found = sorted(self.finished, key=lambda answer: -answer.score)[: self.search.n_best]
        return found or [self.finish(None)]

    def finish(self, last: Node | None) -> Written:
        return finish(last, self.search.length_penalty, self.rules.eos, self.length)
