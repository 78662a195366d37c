"""A decoder: one step from the last token to the distribution over the next, and a module that computes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.equations import concat, equations, sigmoid, softmax, tanh
from seqloom.layers.attention import SoftAttention, soft_attention
from seqloom.layers.base import Symbols
from seqloom.layers.embedding import embedding
from seqloom.layers.linear import Linear
from seqloom.layers.output_layers import readout
from seqloom.layers.scores import score_called
from seqloom.models.seq2seq.decoders.base import Decoder
from seqloom.models.seq2seq.source_encoder import Memory


@equations
def leaky_decoder(y, s, H, *, embedding=embedding, d, attention=soft_attention, W_o, b_o, readout=readout):
    """A decoder whose state leaks: one step.

    y    ()        index, the last token; <bos> at first
    s    (D)       the state: a sum of the tokens so far in which older ones fade
    H    (S, K)    the hidden states of the encoder
    d    (D)       how slowly each feature of the state fades
    W_o  (D+K, D)  from state and context to the output vector
    b_o  (D)       its bias
    """
    x = embedding(y)  # the embedding of the last token
    s = sigmoid(d) * s + x  # the new state: the old one fades, the token is added
    c = attention(s, H)  # the context vector: what the state attends to
    o = tanh(concat(s, c) @ W_o + b_o)  # the output vector
    z = readout(o)  # the logits of the next token
    p = softmax(z)  # the distribution over the next token
    return s, p


class LeakyDecoder(Decoder):
    """Reads `model.score`, and `model.embedding` for its width."""

    definition = leaky_decoder

    def __init__(self, embedding: int, score: str, memory_width: int) -> None:
        super().__init__()
        self.d = nn.Parameter(torch.zeros(embedding))
        self.attention = SoftAttention(score_called(score, embedding, memory_width, embedding))
        self.combine = Linear(embedding + memory_width, embedding)
        self.output_size = embedding

    def start(self, memory: Memory) -> Any:
        return self.d.new_zeros(len(memory.hidden), len(self.d)), memory.hidden, memory.mask

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        state, hidden, mask = self.start(memory)
        states = []
        for token in x.unbind(1):
            state = self.d.sigmoid() * state + token
            states.append(state)
        return self.output(torch.stack(states, 1), hidden, mask)[0]

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        s, hidden, mask = state
        s = self.d.sigmoid() * s + x
        y, a = self.output(s[:, None], hidden, mask)
        return y[:, 0], (s, hidden, mask), [a] if weights else ()

    def output(self, s: Tensor, hidden: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States s (B, T, D) -> output vectors (B, T, D) and the attention of each (B, T, S)."""
        c, a = self.attention(s, hidden, mask)
        return torch.tanh(self.combine(torch.cat([s, c], -1))), a

    def symbols(self) -> Symbols:
        return {"d": self.d, "attention": self.attention.part(), "W_o": self.combine.W, "b_o": self.combine.b}

    def given(self, memory: Memory) -> dict[str, Any]:
        return {"s": self.start(memory)[0][0], "H": memory.hidden[0]}
