"""Beam search as a textbook has it: one Python object for each hypothesis, one input at a time. The oracle of ours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from seqloom.decoding.constraints import Constraints
from seqloom.decoding.hypotheses import Choices, length_penalty
from seqloom.decoding.settings import DecodingOptions
from seqloom.decoding.stepper import Stepper


@dataclass(frozen=True)
class Hypothesis:
    tokens: tuple[int, ...] = ()
    log_probs: tuple[float, ...] = ()
    attention: tuple[Tensor, ...] = ()  # (L, N, S) for each token
    likeliest: tuple[Choices, ...] = ()
    row: int = 0  # of the model that it extends

    @property
    def total(self) -> float:
        return sum(self.log_probs)

    def score(self, penalty: float) -> float:
        return self.total / length_penalty(len(self.tokens), penalty)


def reference_search(
    model: Stepper, state: Any, source: int, bos: int, constraints: Constraints, options: DecodingOptions
) -> list[Hypothesis]:
    """The best finished hypotheses of one input; state: a single row."""
    size, eos, limit = options.beam, constraints.eos, options.limit(source)
    going, finished, tokens = [Hypothesis()], list[Hypothesis](), torch.tensor([bos])
    while going:
        step = model.step(tokens, state)
        new = [
            longer
            for row, hypothesis in enumerate(going)
            for longer in extensions(hypothesis, row, step, constraints, options)
        ]
        new.sort(key=lambda hypothesis: -hypothesis.total)
        finished += [hypothesis for hypothesis in new[:size] if hypothesis.tokens[-1] == eos]
        going = [hypothesis for hypothesis in new[: 2 * size] if hypothesis.tokens[-1] != eos][:size]
        if going and len(going[0].tokens) >= limit:
            if limit < options.usual(source) or len(finished) < options.n_best:
                finished += going
            going = []
        elif going and over(going, finished, limit, options):
            going = []
        if going:
            tokens = torch.tensor([hypothesis.tokens[-1] for hypothesis in going])
            state = model.select(step.state, torch.tensor([hypothesis.row for hypothesis in going]))
    found = sorted(finished, key=lambda hypothesis: -hypothesis.score(options.length_penalty))[: options.n_best]
    return found or [Hypothesis()]


def extensions(
    hypothesis: Hypothesis, row: int, step: Any, constraints: Constraints, options: DecodingOptions
) -> list[Hypothesis]:
    log_probs = allowed(torch.log_softmax(step.logits[row], -1), hypothesis.tokens, constraints)
    best = log_probs.topk(min(max(2 * options.beam, options.likeliest), len(log_probs)))
    choices = list(zip(best.indices.tolist(), best.values.tolist(), strict=True))
    weights = torch.stack([layer[row] for layer in step.attention]) if step.attention else None
    return [
        Hypothesis(
            (*hypothesis.tokens, token),
            (*hypothesis.log_probs, log_prob),
            hypothesis.attention if weights is None else (*hypothesis.attention, weights),
            (*hypothesis.likeliest, [one for one in choices[: options.likeliest] if one[1] > -math.inf]),
            row,
        )
        for token, log_prob in choices[: 2 * options.beam]
        if log_prob > -math.inf
    ]


def allowed(log_probs: Tensor, tokens: tuple[int, ...], constraints: Constraints) -> Tensor:
    """log_probs (V) with -inf for what may not come, token by token."""
    if len(tokens) < len(constraints.prefix):
        must = constraints.prefix[len(tokens)]
        return torch.tensor([value if token == must else -math.inf for token, value in enumerate(log_probs.tolist())])
    found = log_probs.clone()
    found[list(constraints.forbidden)] = -math.inf
    if len(tokens) < constraints.min_length:
        found[constraints.eos] = -math.inf
    n = constraints.no_repeat
    for token in range(len(found)) if n else ():
        runs = [(*tokens, token)[k : k + n] for k in range(len(tokens) + 2 - n)]
        if runs and runs[-1] in runs[:-1]:
            found[token] = -math.inf
    if found.max() == -math.inf:
        found[constraints.eos] = 0.0
    return found


def over(going: list[Hypothesis], finished: list[Hypothesis], limit: int, options: DecodingOptions) -> bool:
    """Whether enough have ended, or nothing that goes on can become better than the n-th best of them."""
    if len(finished) < options.n_best:
        return False
    if len(finished) >= options.beam and (options.early_stopping or options.beam == 1):
        return True
    worst = sorted((one.score(options.length_penalty) for one in finished), reverse=True)[options.n_best - 1]
    return worst >= going[0].total / length_penalty(limit, options.length_penalty)
