"""Constraints on the next token: forbidden tokens, a forced prefix, minimum length, no repeated n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Constraints:
    """What may not be decoded: at all, yet, or again."""

    eos: int
    forbidden: tuple[int, ...] = ()
    min_length: int = 0
    no_repeat: int = 0
    prefix: Sequence[int] = ()

    def apply(self, log_probs: Tensor, length: int, written: Tensor | None = None) -> Tensor:
        """log_probs (R, V), changed in place: -inf for what may not come after so many tokens.

        written  (R, T)  the tokens of each row so far; read only where n-grams may not repeat
        """
        if length < len(self.prefix):
            forced = torch.full_like(log_probs, -torch.inf)
            token = self.prefix[length]
            forced[:, token] = log_probs[:, token]
            return forced
        never = (*self.forbidden, self.eos) if length < self.min_length else self.forbidden
        for token in never:
            log_probs[:, token] = -torch.inf
        if self.no_repeat:
            assert written is not None
            self.forbid_repeats(log_probs, written)
        if self.no_repeat or log_probs.shape[1] <= len(never):  # where nothing may come, the answer ends
            log_probs[log_probs.amax(-1) == -torch.inf, self.eos] = 0.0
        return log_probs

    def forbid_repeats(self, log_probs: Tensor, written: Tensor) -> None:
        """-inf for tokens that would complete an n-gram of `no_repeat` tokens a second time."""
        n = self.no_repeat
        if written.shape[1] < n:
            return
        runs = written.unfold(1, n, 1)  # (R, T - n + 1, n)
        end = written[:, written.shape[1] - n + 1 :]
        again = (runs[..., :-1] == end[:, None]).all(-1)
        log_probs.scatter_add_(1, runs[..., -1], torch.where(again, -torch.inf, 0.0).to(log_probs.dtype))
