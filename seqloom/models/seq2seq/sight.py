"""What a decoder without a start state sees of a memory: all rows, or a fixed context as its only row."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqloom.layers.base import Symbols
from seqloom.layers.heads import Readout
from seqloom.models.seq2seq.definitions.view import View
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
        rows = self.rows(memory)
        if self.bridge == "attention":
            return rows if self.project is None else self.project(rows), memory.mask
        rows = rows if self.project is None else torch.tanh(self.project(rows))
        return rows, torch.ones_like(memory.mask[:, :1])

    def rows(self, memory: Memory) -> Tensor:
        """What is handed over, in the width of the encoder: all rows, or the context as the only one (B, S, K)."""
        return memory.rows if self.bridge == "attention" else context_of(memory, self.bridge)[:, None]

    @property
    def view(self) -> View:
        """How this is written in the definition of a decoder."""
        if self.project is None:
            return "as it is"
        return "projected" if self.bridge == "attention" else "squeezed"

    def symbols(self) -> Symbols:
        return {} if self.project is None else self.project.symbols()
