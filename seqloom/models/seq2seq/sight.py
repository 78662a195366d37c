"""What a decoder without a start state sees of a memory: all rows, or a fixed context as its only row."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqloom.layers.heads import Readout
from seqloom.models.seq2seq.memory import Memory, context_of
from seqloom.models.seq2seq.settings import Bridge


class Sight(nn.Module):
    """A memory in the width of the decoder."""

    def __init__(self, bridge: Bridge, memory_width: int, width: int) -> None:
        super().__init__()
        self.bridge = bridge
        made = bridge in ("projected", "all")
        self.project = Readout(memory_width, width) if made or memory_width != width else None

    def forward(self, memory: Memory) -> tuple[Tensor, Tensor]:
        """-> rows (B, S, D), mask (B, S)."""
        if self.bridge == "attention":
            return memory.rows if self.project is None else self.project(memory.rows), memory.mask
        context = context_of(memory, self.bridge)
        context = context if self.project is None else torch.tanh(self.project(context))
        return context[:, None], torch.ones_like(memory.mask[:, :1])
