"""Constraints on the next token: forbidden tokens, a forced prefix, minimum length, no repeated n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from seqloom.decoding.hypotheses import Hypothesis


@dataclass(frozen=True)
class Constraints:
    """What may not be decoded: at all, yet, or again."""

    eos: int
    forbidden: tuple[int, ...] = ()
    min_length: int = 0
    no_repeat: int = 0
    prefix: Sequence[int] = ()

    def apply(self, log_probs: Tensor, hypotheses: Sequence[Hypothesis | None]) -> Tensor:
        """log_probs (R, V) after each hypothesis -> with -inf for what may not come."""
        first = hypotheses[0] if hypotheses else None
        length = first.length if first is not None else 0  # all rows are equally long
        if length < len(self.prefix):
            forced = torch.full_like(log_probs, -torch.inf)
            token = self.prefix[length]
            forced[:, token] = log_probs[:, token]
            return forced
        log_probs = log_probs.clone()
        log_probs[:, list(self.forbidden)] = -torch.inf
        if length < self.min_length:
            log_probs[:, self.eos] = -torch.inf
        if self.no_repeat:
            for row, hypothesis in enumerate(hypotheses):
                log_probs[row, self.repeats(hypothesis)] = -torch.inf
        log_probs[log_probs.amax(-1) == -torch.inf, self.eos] = 0.0  # where nothing may come, the answer ends
        return log_probs

    def repeats(self, hypothesis: Hypothesis | None) -> list[int]:
        """Tokens that would complete an n-gram of `no_repeat` tokens a second time."""
        tokens = hypothesis.tokens() if hypothesis is not None else []
        n = self.no_repeat
        if len(tokens) < n:
            return []
        end = tokens[len(tokens) - n + 1 :]
        return [tokens[k + n - 1] for k in range(len(tokens) - n + 1) if tokens[k : k + n - 1] == end]
