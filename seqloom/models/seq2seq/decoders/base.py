"""What a decoder is: it writes word after word, looking at a memory; all at once while training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from seqloom.equations import Equations
from seqloom.layers.base import Symbols
from seqloom.models.composed import Draft
from seqloom.models.part import Part
from seqloom.models.seq2seq.definitions.step import alone
from seqloom.models.seq2seq.memory import Memory


class Decoder(nn.Module):
    """Rows for the words written; what comes next is read off them."""

    output_size: int

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        """All steps of teacher forcing: the words before each place x (B, T, D) -> (B, T, H)."""
        raise NotImplementedError

    def start(self, memory: Memory) -> Any:
        """The state before the first word: nested tuples and lists of tensors with a row for each source."""
        raise NotImplementedError

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        """One word more: x (B, D) -> row (B, H), state, and if asked for the attention of each layer (B, N, S)."""
        raise NotImplementedError

    def draft(self) -> Draft:
        """One step as lines of equations: from the row of a word `x` to the row that comes out."""
        raise NotImplementedError

    @property
    def definition(self) -> Equations[..., Any]:
        """The equations that `step` computes, for the number of layers that there are."""
        return alone(self.draft())

    def symbols(self) -> Symbols:
        """The trained weights under the letters of the definition."""
        raise NotImplementedError

    def begin(self, memory: Memory) -> dict[str, Tensor]:
        """As `start`, under the letters of the definition: the first states, and what is looked at; batch first."""
        raise NotImplementedError

    def bridge_part(self, memory: Memory) -> Part | None:
        """How its first states are made of the source, as equations with their weights; None if they are not made."""
        return None
