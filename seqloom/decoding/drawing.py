"""Answers by drawing: every token by its share, for many inputs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from seqloom.decoding.answer import Node, Written, finish, follow
from seqloom.decoding.rules import Rules
from seqloom.decoding.sampling import Draws, choose
from seqloom.decoding.settings import Search
from seqloom.decoding.stepping import Stepper


def draw(
    model: Stepper, state: Any, sources: Sequence[int], bos: int, rules: Rules, search: Search, device: torch.device
) -> list[list[Written]]:
    """`n_best` answers for each input, as they were drawn; arguments as for `beam_search`."""
    count = search.n_best
    rows = [number for number in range(len(sources)) for _ in range(count)]
    state = model.select(state, torch.tensor(rows, device=device))
    draws = Draws(search.seed, len(rows), device)
    ends: list[Node | None] = [None] * len(rows)
    live = list(range(len(rows)))
    tokens = torch.full((len(rows),), bos, device=device)
    while live:
        step = model.step(tokens, state)
        scores = rules.apply(torch.log_softmax(step.scores, -1), [ends[row] for row in live])
        chosen = choose(scores, search, draws.next(live))
        gained = scores.gather(1, chosen[:, None]).squeeze(1).tolist()
        going = []
        for place, (row, token, score) in enumerate(zip(live, chosen.tolist(), gained, strict=True)):
            node = ends[row] = follow(ends[row], token, score, (step.attention, place))
            if token != rules.eos and node.length < search.limit(sources[rows[row]]):
                going.append(place)
        live = [live[place] for place in going]
        if live:
            kept = torch.tensor(going, device=device)
            state, tokens = model.select(step.state, kept), chosen[kept]
    answers = [finish(end, search.length_penalty, rules.eos, sources[rows[row]]) for row, end in enumerate(ends)]
    return [answers[first : first + count] for first in range(0, len(answers), count)]
