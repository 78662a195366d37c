"""Sampling: temperature, top-k and top-p for one token, and whole answers sampled token by token."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from seqloom.decoding.constraints import Constraints
from seqloom.decoding.hypotheses import DecodingUpdate, SampledSequence, SampledToken, TopTokens
from seqloom.decoding.settings import DecodingOptions, SamplingOptions
from seqloom.decoding.stepper import Step, Stepper

LIKELY = 256
"""Of a large vocabulary, tokens among which a draw nearly always falls: no others are sorted."""
DRAWN_AT_ONCE = 64
"""Random numbers that are drawn for a row at a time."""


def choose_tokens(logits: Tensor, options: SamplingOptions, uniform: Tensor) -> Tensor:
    """logits (R, V), uniform (R) numbers in [0, 1) -> the token of each row (R)."""
    if options.temperature == 0:
        return logits.argmax(-1)
    below_best = logits.double() - logits.amax(-1, keepdim=True)  # so that no temperature is too low
    probs = torch.softmax(below_best / options.temperature, -1)
    if probs.shape[1] > 2 * LIKELY:
        likely = min(max(LIKELY, options.top_k + 1), probs.shape[1])
        tokens, certain = drawn(*probs.topk(likely), options, uniform)
        if certain:
            return tokens
    tokens, _ = drawn(*probs.sort(dim=-1, descending=True, stable=True), options, uniform)
    return tokens


def drawn(probs: Tensor, tokens: Tensor, options: SamplingOptions, uniform: Tensor) -> tuple[Tensor, bool]:
    """The most probable tokens (R, k), the best first -> the one drawn in each row, and whether no other can be."""
    upto = probs.cumsum(-1)
    keep = upto - probs < options.top_p  # the best token always stays
    if options.top_k:
        keep[:, options.top_k :] = False
    cumulative = torch.where(keep, probs, 0.0).cumsum(-1)
    mass = cumulative[:, -1:]
    certain = bool((~keep[:, -1]).all())  # all that is kept is among them
    if not certain and options.top_p == 1.0 and not options.top_k:
        mass = torch.ones_like(mass)  # what is kept is everything
        certain = bool((uniform.double() < upto[:, -1]).all())
    place = torch.searchsorted(cumulative, uniform.double()[:, None] * mass, right=True)
    last = keep.sum(-1, keepdim=True) - 1  # rounding must not lead beyond what was kept
    return tokens.gather(-1, torch.minimum(place, last)).squeeze(-1), certain


class RowGenerators:
    """A random generator for each row, so that a text does not depend on what else is in the batch."""

    def __init__(self, keys: Sequence[str], device: torch.device) -> None:
        self.generators = [seeded_generator(key) for key in keys]
        self.ahead: list[list[float]] = [[] for _ in keys]  # drawn, and not used yet; the next one last
        self.device = device

    def uniform(self, rows: list[int]) -> Tensor:
        """One number in [0, 1) for each of these rows (R)."""
        return torch.tensor([self.next(row) for row in rows], dtype=torch.float64, device=self.device)

    def next(self, row: int) -> float:
        if not self.ahead[row]:
            numbers = torch.rand(DRAWN_AT_ONCE, generator=self.generators[row], dtype=torch.float64)
            self.ahead[row] = numbers.tolist()[::-1]
        return self.ahead[row].pop()


def seeded_generator(key: str) -> torch.Generator:
    seed = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=7).digest(), "big")
    return torch.Generator().manual_seed(seed)


def sample(
    model: Stepper,
    step: Step,
    keys: Sequence[str],
    constraints: Constraints,
    options: SamplingOptions,
    ends: Callable[[int, SampledSequence], bool],
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
    sequences = [SampledSequence() for _ in keys]
    live, length = list(range(len(keys))), 0
    while live:
        with torch.inference_mode():
            written = None
            if constraints.no_repeat:
                written = torch.tensor([sequences[row].tokens for row in live], dtype=torch.int64, device=device)
            log_probs = constraints.apply(torch.log_softmax(step.logits, -1), length, written)
            random = generators.uniform(live) if options.temperature else log_probs.new_zeros(0)
            chosen = choose_tokens(log_probs, options, random)
            gained = log_probs.gather(1, chosen[:, None]).squeeze(1).tolist()
            top = TopTokens.of(log_probs, options.likeliest) if options.likeliest else None
            attention = torch.stack(list(step.attention)).unbind(1) if step.attention else ()
        sampled, going = [], []
        for place, (row, token) in enumerate(zip(live, chosen.tolist(), strict=True)):
            sequence = sequences[row]
            sequence.tokens.append(token)
            sequence.log_probs.append(gained[place])
            sequence.likeliest.append(top.choices(place, options.likeliest) if top else [])
            if attention:
                sequence.attention.append(attention[place])
            last = ends(row, sequence)
            sampled.append(SampledToken(row, sequence, last))
            if not last and wanted(row):
                going.append(place)
        length += 1
        if going:
            with torch.inference_mode():
                state = step.state
                if len(going) < len(live):
                    kept = torch.tensor(going, device=device)
                    chosen, state = chosen[kept], model.select(state, kept, kept)
                step = model.step(chosen, state)
        live = [live[place] for place in going]
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
        step = model.step(torch.full((len(owners),), bos, device=device), model.select(state, rows, rows))

    def last(row: int, sequence: SampledSequence) -> bool:
        return sequence.tokens[-1] == constraints.eos or len(sequence.tokens) >= options.limit(sources[owners[row]])

    written = [SampledSequence()] * len(owners)
    open_rows = Counter(owners)
    for sampled in sample(model, step, row_keys, constraints, options, last, lambda row: wanted(owners[row])):
        updates = []
        for new in sampled:
            written[new.row] = new.sequence
            open_rows[owners[new.row]] -= new.last
        for index in dict.fromkeys(owners[new.row] for new in sampled):
            finished = not open_rows[index]
            if finished or grows(index):
                own = written[index * count : (index + 1) * count]
                sequences = [one.decoded(constraints.eos, options.length_penalty, sources[index]) for one in own]
                updates.append(DecodingUpdate(index, sequences, finished))
        yield updates
