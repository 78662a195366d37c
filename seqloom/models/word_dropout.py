"""Word dropout: rare tokens are read as unknown while training, so that the unknown token is learned too."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from seqloom.layers.dropout import Dropout


class WordDropout(Dropout):
    """Each token is dropped with the probability strength / (strength + frequency); special ones never.

    Paper: E. Kiperwasser, Y. Goldberg, Simple and accurate dependency parsing using bidirectional LSTM feature
    representations, TACL 4, 2016.

    >>> WordDropout(1.0, frequency=[0, 9, 1, 3], specials=2, unknown=1).chance.tolist()
    [0.0, 0.0, 0.5, 0.25]
    """

    chance: Tensor

    def __init__(self, strength: float, frequency: Sequence[int], specials: int, unknown: int) -> None:
        super().__init__(0.0)  # a dropout, so that it draws from the generator of the model
        chance = strength / (strength + torch.tensor(frequency, dtype=torch.float32).clamp_min(1))
        chance[:specials] = 0
        self.register_buffer("chance", chance, persistent=False)
        self.unknown = unknown

    def forward(self, w: Tensor) -> Tensor:
        """Token ids, of any shape -> the same shape."""
        if not self.training:
            return w
        dropped = torch.bernoulli(self.chance[w], generator=self.generator).bool()
        return w.masked_fill(dropped, self.unknown)
