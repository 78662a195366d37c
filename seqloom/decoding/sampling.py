"""Sampling: temperature, top-k and top-p for one token, and whole answers sampled token by token."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from seqloom.decoding.constraints import Constraints
from seqloom.decoding.hypotheses import Choices, DecodingUpdate, Hypothesis, extend, finish
from seqloom.decoding.settings import DecodingOptions, SamplingOptions
from seqloom.decoding.stepper import Step, Stepper


def choose_tokens(logits: Tensor, options: SamplingOptions, uniform: Tensor) -> Tensor:
    """logits (R, V), uniform (R) numbers in [0, 1) -> the token of each row (R)."""
    if options.temperature == 0:
        return logits.argmax(-1)
    below_best = logits.double() - logits.amax(-1, keepdim=True)  # so that no temperature is too low
    probs, tokens = torch.softmax(below_best / options.temperature, -1).sort(dim=-1, descending=True, stable=True)
    before = probs.cumsum(-1) - probs
    keep = before < options.top_p  # the best token always stays
    if options.top_k:
        keep[:, options.top_k :] = False
    cumulative = torch.where(keep, probs, 0.0).cumsum(-1)
    place = torch.searchsorted(cumulative, uniform.double()[:, None] * cumulative[:, -1:], right=True)
    last = keep.sum(-1, keepdim=True) - 1  # rounding must not lead beyond what was kept
    return tokens.gather(-1, torch.minimum(place, last)).squeeze(-1)


def top_tokens(log_probs: Tensor, count: int) -> list[Choices]:
    """For each row of log-probabilities (R, V) the most probable tokens."""
    if not count:
        return [[]] * len(log_probs)
    best = log_probs.topk(min(count, log_probs.shape[1]))
    return [list(zip(*pair, strict=True)) for pair in zip(best.indices.tolist(), best.values.tolist(), strict=True)]


class RowGenerators:
    """A random generator for each row, so that a text does not depend on what else is in the batch."""

    def __init__(self, keys: Sequence[str], device: torch.device) -> None:
        self.generators = [seeded_generator(key) for key in keys]
        self.device = device

    def uniform(self, rows: list[int]) -> Tensor:
        """One number in [0, 1) for each of these rows (R)."""
        numbers = [torch.rand((), generator=self.generators[row], dtype=torch.float64) for row in rows]
        return torch.stack(numbers).to(self.device) if numbers else torch.zeros(0, device=self.device)


def seeded_generator(key: str) -> torch.Generator:
    seed = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=7).digest(), "big")
    return torch.Generator().manual_seed(seed)


@dataclass(frozen=True)
class SampledToken:
    """The newest token of a row, and whether it is the last."""

    row: int
    hypothesis: Hypothesis
    last: bool


def sample(
    model: Stepper,
    step: Step,
    keys: Sequence[str],
    constraints: Constraints,
    options: SamplingOptions,
    ends: Callable[[int, Hypothesis], bool],
    wanted: Callable[[int], bool] = lambda row: True,
) -> Iterator[list[SampledToken]]:
    """One step after the other: a token for each row that goes on.

    step    of the model after the prompt, a row for each text
    keys    the seed of each row, as text
    ends    whether a token is the last of a row
    wanted  whether anybody still waits for a row; one that is not wanted leaves the batch
    """
    device = step.logits.device
    generators = RowGenerators(keys, device)
    hypotheses: list[Hypothesis | None] = [None] * len(keys)
    live = list(range(len(keys)))
    while live:
        with torch.inference_mode():
            log_probs = constraints.apply(torch.log_softmax(step.logits, -1), [hypotheses[row] for row in live])
            chosen = choose_tokens(log_probs, options, generators.uniform(live))
            gained = log_probs.gather(1, chosen[:, None]).squeeze(1).tolist()
            top = top_tokens(log_probs, options.likeliest)
        sampled = []
        for place, (row, token, log_prob) in enumerate(zip(live, chosen.tolist(), gained, strict=True)):
            new = hypotheses[row] = extend(hypotheses[row], token, log_prob, (step.attention, place), top[place])
            sampled.append(SampledToken(row, new, ends(row, new)))
        going = [place for place, one in enumerate(sampled) if not one.last and wanted(one.row)]
        live = [live[place] for place in going]
        if live:
            with torch.inference_mode():
                kept = torch.tensor(going, device=device)
                step = model.step(chosen[kept], model.select(step.state, kept))
        yield sampled


def sample_answers(
    model: Stepper,
    state: Any,
    sources: Sequence[int],
    bos: int,
    constraints: Constraints,
    options: DecodingOptions,
    device: torch.device,
    keys: Sequence[str],
    wanted: Callable[[int], bool] = lambda index: True,
    grows: Callable[[int], bool] = lambda index: False,
) -> Iterator[list[DecodingUpdate]]:
    """`n_best` sampled answers for each input; arguments as for `beam_search`, and:

    keys   the seed of each input, as text
    grows  whether the answers to an input are reported after every token
    """
    count = options.n_best
    owners = [index for index in range(len(sources)) for _ in range(count)]
    row_keys = [f"{key} {number}" for key in keys for number in range(count)]
    with torch.inference_mode():
        rows = torch.tensor(owners, device=device)
        step = model.step(torch.full((len(owners),), bos, device=device), model.select(state, rows))

    def last(row: int, hypothesis: Hypothesis) -> bool:
        return hypothesis.token == constraints.eos or hypothesis.length >= options.limit(sources[owners[row]])

    written: list[Hypothesis | None] = [None] * len(owners)
    open_rows = Counter(owners)
    for sampled in sample(model, step, row_keys, constraints, options, last, lambda row: wanted(owners[row])):
        updates = []
        for new in sampled:
            written[new.row] = new.hypothesis
            open_rows[owners[new.row]] -= new.last
        for index in dict.fromkeys(owners[new.row] for new in sampled):
            finished = not open_rows[index]
            if finished or grows(index):
                own = written[index * count : (index + 1) * count]
                sequences = [finish(one, options.length_penalty, constraints.eos, sources[index]) for one in own]
                updates.append(DecodingUpdate(index, sequences, finished))
        yield updates
