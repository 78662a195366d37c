"""The attention layer alone as a decoder: the last token asks, the source answers, and that is all."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from seqloom.config import problem
from seqloom.decoding.stepper import PerInput
from seqloom.equations import equations, softmax
from seqloom.layers.attention import key_value_attention
from seqloom.layers.attention_layer import AttentionLayer
from seqloom.layers.base import Symbols
from seqloom.layers.embedding import embedding
from seqloom.layers.identity import identity
from seqloom.layers.output_layers import readout
from seqloom.layers.positions import add_sinusoidal, positions_called
from seqloom.models.encoders.transformer import even_if_sinusoidal
from seqloom.models.registry import architecture
from seqloom.models.seq2seq.decoders.base import Decoder
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.models.seq2seq.source_encoder import Memory, SourceView


@equations
def attention_alone(
    y, i, H, *, embedding=embedding, position=add_sinusoidal, source=identity, W_Q, W_K, W_V, readout=readout
):
    """The attention layer alone, without any recurrence: one step of the decoder.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017, with all else taken away.

    y    ()           index, the last token; <bos> at first
    i    ()           index, its position, counted from 0
    H    (S, memory)  the hidden states of the encoder
    W_Q  (D, D)       from the last token to the query
    W_K  (D, D)       from the source to the keys
    W_V  (D, D)       from the source to the values
    """
    r = position(embedding(y), i)  # the embedding of the last token, with its position
    M = source(H)  # the source in the width of the decoder
    q = r @ W_Q  # the query: what comes after this token, here?
    K = M @ W_K  # the keys of the source
    V = M @ W_V  # the values of the source
    c = key_value_attention(q, K, V)  # the context: a weighted mean of the values
    z = readout(c)  # the logits of the next token
    p = softmax(z)  # the distribution over the next token
    return p


class AttentionDecoder(Decoder):
    """No state but the position: a token depends on the one before it, on its position, and on the source."""

    definition = attention_alone

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        super().__init__()
        width = config.embedding
        self.positions = positions_called(config.positions, config.places, width)
        self.source = SourceView(config.bridge, memory_width, width)
        self.attention = AttentionLayer(width, width)
        self.output_size, self.limit = width, self.positions.limit

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        hidden, mask = self.source(memory)
        return self.attention(self.positions(x), hidden, mask)  # type: ignore[no-any-return]

    def start(self, memory: Memory) -> Any:
        return 0, PerInput(self.attention.project_keys_values(*self.source(memory)))

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        position, source = state
        q = self.positions(x[:, None], position).view(source.state.k.shape[0], -1, self.output_size)
        c, a = self.attention.attend_to(q, source.state, weights=True)
        return c.flatten(0, 1), (position + 1, source), [a.flatten(0, 1)[:, None]] if weights else ()

    def symbols(self) -> Symbols:
        return {"position": self.positions.part(), "source": self.source.part(), **self.attention.symbols()}

    def given(self, memory: Memory) -> dict[str, Any]:
        return {"H": self.source.hidden(memory)[0]}


def only_with_attention(config: Seq2SeqConfig) -> None:
    even_if_sinusoidal(config)
    if config.bridge != "attention":
        what = "an attention layer without recurrence needs attention"
        raise problem("bridge", what, remedy="use attention, or another decoder")


@architecture("attention", "the attention layer alone", kind="decoder", check=only_with_attention, reads=["positions"])
def attention(config: Seq2SeqConfig, memory_width: int) -> Decoder:
    return AttentionDecoder(config, memory_width)
