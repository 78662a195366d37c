"""The attention layer alone as a decoder: the word before asks, the source answers, and that is all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from seqloom.config import problem
from seqloom.layers.attention_layer import AttentionLayer
from seqloom.layers.base import Symbols
from seqloom.models.composed import Draft
from seqloom.models.registry import architecture
from seqloom.models.seq2seq.decoders.base import Decoder
from seqloom.models.seq2seq.definitions.attention import attention_with
from seqloom.models.seq2seq.memory import Memory, Placed
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.models.seq2seq.sight import Sight
from seqloom.models.settings import even_embedding


class AttentionDecoder(Decoder):
    """No state but the place: a word depends on the one before it, on where it stands, and on the source."""

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        super().__init__()
        width = config.embedding
        self.places = Placed(width)
        self.sight = Sight(config.bridge, memory_width, width)
        self.attention = AttentionLayer(width, width)
        self.output_size = width

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        rows, mask = self.sight(memory)
        return self.attention(self.places(x), rows, mask)  # type: ignore[no-any-return]

    def start(self, memory: Memory) -> Any:
        return 0, *self.sight(memory)

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        written, rows, mask = state
        c, a = self.attention(self.places(x[:, None], written), rows, mask, weights=True)
        return c[:, 0], (written + 1, rows, mask), [a] if weights else ()

    def draft(self) -> Draft:
        return attention_with(self.sight.view)

    def symbols(self) -> Symbols:
        sight = self.sight.symbols()
        return {**({"sight": sight} if sight else {}), **self.attention.symbols(), "D": self.output_size}

    def begin(self, memory: Memory) -> dict[str, Tensor]:
        return {"H": self.sight.rows(memory)}


def only_with_attention(config: Seq2SeqConfig) -> None:
    even_embedding(config)
    if config.bridge != "attention":
        what = "the attention layer alone has nothing but what it attends to"
        raise problem("bridge", what, remedy="use attention, or another decoder")


@architecture("attention", "the attention layer alone", kind="decoder", check=only_with_attention)
def attention(config: Seq2SeqConfig, memory_width: int) -> Decoder:
    return AttentionDecoder(config, memory_width)
