"""Dropout whose random numbers come from a generator that a checkpoint can hold."""

import torch
from torch import Tensor, nn

CHANCES = 2**16
"""Rates are rounded to so many parts; what is kept is scaled by the rate that is really dropped."""


class Dropout(nn.Module):
    """Sets components to zero with a probability, the `rate`, while training, and scales the rest up.

    Without a generator of its own it draws from torch's; `draw_from` hands one to a whole model.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        if not 0 <= rate < 1:
            raise ValueError(f"a dropout rate of {rate} is not from 0 to below 1")
        self.rate = rate
        self.generator: torch.Generator | None = None

    def forward(self, x: Tensor) -> Tensor:
        """x of any shape -> the same shape."""
        if not self.training or self.rate == 0:
            return x
        dropped = round(self.rate * CHANCES)
        kept = self.draws(x) >= dropped - CHANCES // 2
        return x * (kept.to(x.dtype) * (CHANCES / (CHANCES - dropped)))

    def draws(self, x: Tensor) -> Tensor:
        """A random number of 16 bits for every component: four from each draw, which takes as long as one."""
        words = torch.empty((x.numel() + 3) // 4, dtype=torch.int64, device=x.device)
        words.random_(-(2**63), None, generator=self.generator)
        return words.view(torch.int16)[: x.numel()].view(x.shape)

    def extra_repr(self) -> str:
        return str(self.rate)


def draw_from(generator: torch.Generator, model: nn.Module) -> None:
    """Let every dropout in a model draw from one generator, whose state a checkpoint can hold."""
    for module in model.modules():
        if isinstance(module, Dropout):
            module.generator = generator
