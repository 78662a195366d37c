"""A decoder block that looks back with a recurrence instead of attention: the shape of fast CPU translators."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from seqloom.equations import concat, dim, equations, sqrt, stack
from seqloom.layers.attention import key_value_attention
from seqloom.layers.base import layer
from seqloom.layers.decoder_block import DecoderBlockPreNorm
from seqloom.layers.feed_forward import feed_forward
from seqloom.layers.norms import layer_norm
from seqloom.layers.ssru import SSRU, SSRUState, ssru


@equations
def multi_head_query(x, H, *, W_Q, W_K, W_V, W_O, N):
    """Multi-head attention of a single word.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    x    (D)        the word that asks
    H    (S, D)     the words that answer, one a row
    W_Q  (N, D, K)  for each head, what the word asks for
    W_K  (N, D, K)  for each head, what a word is found by
    W_V  (N, D, K)  for each head, what a word hands out
    W_O  (N*K, D)   from all heads back to the width of the model
    N    int        how many heads
    """
    # each head looks in a space of its own
    head = stack(key_value_attention(x @ W_Q[n] / sqrt(dim(W_K)), H @ W_K[n], H @ W_V[n]) for n in range(N))
    y = concat(*head) @ W_O  # what they saw, put together
    return y


@equations
def ssru_block(x, c, H, *, norm_1, itself, norm_2, source, norm_3, network):
    """Decoder block with a recurrence for what was written, the norm first.

    Paper: Y. Kim et al., From research to production and back: ludicrously fast neural machine
    translation, WNGT 2019.

    x  (D)     the last word
    c  (D)     what the block remembers of the words before
    H  (S, D)  what the encoder made of the source, one word a row
    """
    b, c = ssru(layer_norm(x, **norm_1), c, **itself)  # what was written, without looking back at it
    y = x + b  # is added to what was there
    z = y + multi_head_query(layer_norm(y, **norm_2), H, **source)  # and what is seen of the source
    o = z + feed_forward(layer_norm(z, **norm_3), **network)  # the word thinks by itself
    return o, c


class LookBack(SSRU):
    """SSRU where a decoder block has self-attention: all words at once, or the next ones."""

    def forward(self, x: Tensor, *unused: Any, **options: Any) -> Any:
        y, _ = super().forward(x)
        return y

    def step(self, x: Tensor, state: SSRUState | None = None) -> tuple[Tensor, SSRUState]:
        """The next words x (B, T, D) after a state."""
        return super().forward(x, state)


@layer(ssru_block)
class SSRUBlock(DecoderBlockPreNorm):
    """The decoder block with the norm first, with SSRU for what was written and attention for the source."""

    def look_back(self, width: int, heads: int, dropout: float) -> Any:
        return LookBack(width, width)
