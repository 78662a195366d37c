"""Answers by drawing: every token by its share, for many rows at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from seqloom.decoding.answer import Found, Node, finish, follow
from seqloom.decoding.rules import Rules
from seqloom.decoding.sampling import Draws, Sampling, choose
from seqloom.decoding.settings import Search
from seqloom.decoding.stepping import Step, Stepper


@dataclass(frozen=True)
class Drawn:
    """The newest token of a row, and whether it is the last."""

    row: int
    node: Node
    last: bool


def draw(
    model: Stepper,
    step: Step,
    keys: Sequence[str],
    rules: Rules,
    sampling: Sampling,
    ends: Callable[[int, Node], bool],
    wanted: Callable[[int], bool] = lambda row: True,
) -> Iterator[list[Drawn]]:
    """One step after the other: a token for each row that goes on.

    step    what the model says after all that was read, a row for each text
    keys    for each row, what decides its draws
    ends    whether a token is the last of a row
    wanted  whether anybody still waits for a row; one that is not is left as it is
    """
    device = step.scores.device
    draws = Draws(keys, device)
    ends_of: list[Node | None] = [None] * len(keys)
    live = list(range(len(keys)))
    while live:
        with torch.inference_mode():
            scores = rules.apply(torch.log_softmax(step.scores, -1), [ends_of[row] for row in live])
            chosen = choose(scores, sampling, draws.next(live))
            gained = scores.gather(1, chosen[:, None]).squeeze(1).tolist()
            told = likeliest(scores, sampling.likeliest)
        drawn = []
        for place, (row, token, score) in enumerate(zip(live, chosen.tolist(), gained, strict=True)):
            node = ends_of[row] = follow(ends_of[row], token, score, (step.attention, place), told[place])
            drawn.append(Drawn(row, node, ends(row, node)))
        going = [place for place, new in enumerate(drawn) if not new.last and wanted(new.row)]
        live = [live[place] for place in going]
        if live:
            with torch.inference_mode():
                kept = torch.tensor(going, device=device)
                step = model.step(chosen[kept], model.select(step.state, kept))
        yield drawn


def likeliest(scores: torch.Tensor, count: int) -> list[list[tuple[int, float]]]:
    """For each row of log-probabilities (R, V) the best tokens and theirs."""
    if not count:
        return [[]] * len(scores)
    best = scores.topk(min(count, scores.shape[1]))
    return [list(zip(*pair, strict=True)) for pair in zip(best.indices.tolist(), best.values.tolist(), strict=True)]


def draw_answers(
    model: Stepper,
    state: Any,
    sources: Sequence[int],
    bos: int,
    rules: Rules,
    search: Search,
    device: torch.device,
    keys: Sequence[str],
    wanted: Callable[[int], bool] = lambda number: True,
    grows: Callable[[int], bool] = lambda number: False,
) -> Iterator[list[Found]]:
    """`n_best` answers for each input, as they are drawn; arguments as for `beam_search`, and:

    keys   for each input, what decides its draws
    grows  whether the answers to an input are told after every token
    """
    count = search.n_best
    owners = [number for number in range(len(sources)) for _ in range(count)]
    row_keys = [f"{key} {sample}" for key in keys for sample in range(count)]
    with torch.inference_mode():
        rows = torch.tensor(owners, device=device)
        step = model.step(torch.full((len(owners),), bos, device=device), model.select(state, rows))

    def last(row: int, node: Node) -> bool:
        return node.token == rules.eos or node.length >= search.limit(sources[owners[row]])

    written: list[Node | None] = [None] * len(owners)
    open_rows = Counter(owners)
    for drawn in draw(model, step, row_keys, rules, search, last, lambda row: wanted(owners[row])):
        found = []
        for new in drawn:
            written[new.row] = new.node
            open_rows[owners[new.row]] -= new.last
        for number in dict.fromkeys(owners[new.row] for new in drawn):
            whole = not open_rows[number]
            if whole or grows(number):
                nodes = written[number * count : (number + 1) * count]
                answers = [finish(node, search.length_penalty, rules.eos, sources[number]) for node in nodes]
                found.append(Found(number, answers, whole))
        yield found
