"""What a decoder is: it writes word after word, looking at a memory; all at once while training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from torch import Tensor, nn

from seqloom.models.seq2seq.memory import Memory
from seqloom.models.seq2seq.settings import Seq2SeqConfig


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


Maker: TypeAlias = Callable[[Seq2SeqConfig, int], Decoder]
"""Settings and the width of the memory -> a decoder."""

DECODERS: dict[str, Maker] = {}


def decoder(*names: str) -> Callable[[Maker], Maker]:
    """Put a decoder into the table."""

    def register(make: Maker) -> Maker:
        DECODERS.update(dict.fromkeys(names, make))
        return make

    return register
