"""Beam search: the best few hypotheses are followed side by side, for a batch of inputs; a beam of 1 is greedy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from seqloom.decoding.constraints import Constraints
from seqloom.decoding.hypotheses import DecodedSequence, DecodingUpdate, Hypothesis, extend, finish, length_penalty
from seqloom.decoding.settings import DecodingOptions
from seqloom.decoding.stepper import Stepper


def beam_search(
    model: Stepper,
    state: Any,
    sources: Sequence[int],
    bos: int,
    constraints: Constraints,
    options: DecodingOptions,
    device: torch.device,
    wanted: Callable[[int], bool] = lambda index: True,
    kept: Callable[[int, Sequence[Hypothesis]], None] = lambda index, hypotheses: None,
) -> Iterator[list[DecodingUpdate]]:
    """After each step, the inputs that are finished. An input that is not wanted any more leaves the batch.

    state    of the model, a row for each input
    sources  the length of each input in tokens
    kept     told of the hypotheses of an input that are followed after a step
    """
    beams = [Beam(index, length, constraints, options) for index, length in enumerate(sources)]
    tokens = torch.full((len(beams),), bos, device=device)
    while beams:
        hypotheses = [hypothesis for beam in beams for hypothesis in beam.hypotheses]
        with torch.inference_mode():
            step = model.step(tokens, state)
            log_probs = constraints.apply(torch.log_softmax(step.logits, -1), hypotheses)
            top = log_probs.topk(min(max(2 * options.beam, options.likeliest), log_probs.shape[1]), dim=-1)
        choices = [
            list(zip(*pair, strict=True)) for pair in zip(top.indices.tolist(), top.values.tolist(), strict=True)
        ]
        extended: list[tuple[Hypothesis, int]] = []
        done: list[DecodingUpdate] = []
        first = 0
        for beam in beams:
            end = first + len(beam.hypotheses)
            if wanted(beam.index):
                going = beam.advance(choices[first:end], first, step.attention)
                kept(beam.index, [hypothesis for hypothesis, _ in going])
                extended += going
            else:
                beam.hypotheses = []
            if not beam.hypotheses:
                done.append(DecodingUpdate(beam.index, beam.best(), True))
            first = end
        beams = [beam for beam in beams if beam.hypotheses]
        if beams:
            with torch.inference_mode():
                state = model.select(step.state, torch.tensor([row for _, row in extended], device=device))
            tokens = torch.tensor([hypothesis.token for hypothesis, _ in extended], device=device)
        yield done


class Beam:
    """The hypotheses of one input: those that still grow, and those that are finished."""

    def __init__(self, index: int, length: int, constraints: Constraints, options: DecodingOptions) -> None:
        self.index, self.length, self.constraints, self.options = index, length, constraints, options
        self.limit = options.limit(length)
        self.hypotheses: list[Hypothesis | None] = [None]
        self.finished: list[DecodedSequence] = []

    def advance(
        self, choices: Sequence[Sequence[tuple[int, float]]], first: int, attention: Sequence[Tensor]
    ) -> list[tuple[Hypothesis, int]]:
        """Extend by the best next tokens; the hypotheses that go on, with their rows. None once it is done.

        choices  for each hypothesis the best next tokens, and their log-probabilities
        first    the row of the first hypothesis
        """
        size, reported = self.options.beam, self.options.likeliest
        new = [
            extend(parent, token, log_prob, (attention, first + place), best[:reported])
            for place, (parent, best) in enumerate(zip(self.hypotheses, choices, strict=True))
            for token, log_prob in best[: 2 * size]
            if log_prob > -math.inf
        ]
        new.sort(key=lambda hypothesis: -hypothesis.total)
        eos = self.constraints.eos
        self.finished += [self.finish(hypothesis) for hypothesis in new[:size] if hypothesis.token == eos]
        going = [hypothesis for hypothesis in new[: 2 * size] if hypothesis.token != eos][:size]
        if going and going[0].length >= self.limit:
            truncated = self.limit < self.options.usual(self.length)  # good so far; else it would go on for ever
            if truncated or len(self.finished) < self.options.n_best:
                self.finished += map(self.finish, going)
            going = []
        elif self.decided(going):
            going = []
        self.hypotheses = [*going]
        return [(hypothesis, hypothesis.attention[1]) for hypothesis in going]

    def decided(self, going: Sequence[Hypothesis]) -> bool:
        """Whether nothing that goes on can be better than the n-th best finished sequence."""
        if not going:
            return True
        if len(self.finished) < self.options.n_best:
            return False
        if self.options.beam == 1:  # greedy: the end where <eos> is the best token
            return True
        worst = sorted((sequence.score for sequence in self.finished), reverse=True)[self.options.n_best - 1]
        longest = length_penalty(self.limit, self.options.length_penalty)
        return worst >= going[0].total / longest

    def best(self) -> list[DecodedSequence]:
        found = sorted(self.finished, key=lambda sequence: -sequence.score)[: self.options.n_best]
        return found or [self.finish(None)]

    def finish(self, last: Hypothesis | None) -> DecodedSequence:
        return finish(last, self.options.length_penalty, self.constraints.eos, self.length)
