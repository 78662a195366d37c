"""What a decoder is: it writes token after token, attending to a memory; all at once while training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from seqloom.equations import Equations
from seqloom.layers.base import Symbols
from seqloom.models.seq2seq.source_encoder import Memory
from seqloom.models.stage import Stage


class Decoder(nn.Module):
    """From the tokens so far to a vector that the next one is predicted from.

    `definition` is one step of the whole model: from the last token `y` to the distribution over the next one.
    """

    definition: Equations[..., Any]
    output_size: int
    limit: int | None = None
    """How many tokens it can write at most; None for any number."""
    over_batch: bool = False
    """Whether it has norms over the batch: then `forward` is told which positions are real, (B, T), as `real`."""

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        """All steps of teacher forcing: the tokens before each position x (B, T, D) -> (B, T, H)."""
        raise NotImplementedError

    def start(self, memory: Memory) -> Any:
        """The state before the first word: nested tuples and lists of tensors with a row for each source.

        What is made of the source alone, and stays, is marked by `PerInput`: it has a row for each source in every
        step, however many hypotheses are written for it.
        """
        raise NotImplementedError

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        """One word more: x (R, D) -> row (R, H), state, and if asked for the attention of each layer (R, N, S).

        There are equally many rows for each of the B sources, one after the other: R = B*W.
        """
        raise NotImplementedError

    def symbols(self) -> Symbols:
        """The trained weights under the letters of the definition, but for its `embedding` and `readout`."""
        raise NotImplementedError

    def given(self, memory: Memory) -> dict[str, Any]:
        """As `start`, for one source: states and what is attended to, under the names of the definition."""
        raise NotImplementedError

    def bridge_stages(self, memory: Memory) -> list[Stage]:
        """How its initial state is made of the source, as equations with their weights; none if it is not made."""
        return []
