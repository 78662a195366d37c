"""What an encoder is: a sequence of vectors in, as many out."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from seqloom.layers.recurrent import last
from seqloom.models.part import Part


class Encoder(nn.Module):
    """Reads a sequence. A causal one sees only what came before, and can go on word by word with `step`."""

    output_size: int
    limit: int | None = None
    """The longest sequence that it can read; None for any."""

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """x (B, T, D), lengths (B) -> (B, T, H), zeros at padding."""
        raise NotImplementedError

    def read(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Any]:
        """As `forward`, and what it ends with: the last row (B, H), and the states of its layers if it has any."""
        y = self(x, lengths)
        return y, last(y, lengths), None

    def step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        """The next words x (B, T, D) after a state, None at the start -> their rows (B, T, H) and the new state."""
        words = x if state is None else torch.cat([state, x], dim=1)  # all again; most know a quicker way
        lengths = torch.full((len(words),), words.shape[1], device=x.device)
        return self(words, lengths)[:, -x.shape[1] :], words

    def parts(self, x: Tensor) -> list[Part]:
        """What it computes as equations, with its weights, when the words of one sentence are x (1, T, D).

        The last part makes the rows that `forward` gives, lower layers first.
        """
        return []
