"""A decoder block that looks back with a recurrence instead of attention: the shape of fast CPU translators."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from seqloom.equations import as_row, equations, flatten, full_mask
from seqloom.layers.base import Symbols, layer
from seqloom.layers.block_parts import WithoutResidual
from seqloom.layers.decoder_block import DecoderBlockPreNorm
from seqloom.layers.feed_forward import feed_forward
from seqloom.layers.multi_head import multi_head
from seqloom.layers.norms import layer_norm
from seqloom.layers.ssru import SSRU, SSRUState, ssru


@equations
def ssru_block(
    x,
    c,
    H,
    *,
    norm_1=layer_norm,
    recurrence=ssru,
    norm_2=layer_norm,
    cross_attention=multi_head,
    norm_3=layer_norm,
    network=feed_forward,
):
    """Decoder block with a recurrence in place of self-attention, the norm first.

    Paper: Y. Kim et al., From research to production and back: ludicrously fast neural machine
    translation, WNGT 2019.

    x  (D)     the vector of the last token
    c  (D)     the cell state of the recurrence
    H  (S, D)  the hidden states of the encoder, one for each source position
    """
    b, c = recurrence(norm_1(x), c)  # the target so far, summed up without attention
    y = x + b  # residual connection
    Q = as_row(norm_2(y))  # the query: a matrix of one row
    z = y + flatten(cross_attention(Q, H, full_mask(Q, H)))  # attention to the source
    o = z + network(norm_3(z))  # the feed-forward network
    return o, c


@equations
def ssru_block_no_residual(
    x,
    c,
    H,
    *,
    norm_1=layer_norm,
    recurrence=ssru,
    norm_2=layer_norm,
    cross_attention=multi_head,
    norm_3=layer_norm,
    network=feed_forward,
):
    """Decoder block with a recurrence in place of self-attention, without residual connections.

    Paper: Y. Kim et al., From research to production and back: ludicrously fast neural machine
    translation, WNGT 2019, without K. He et al., Deep residual learning for image recognition, CVPR 2016.

    x  (D)     the vector of the last token
    c  (D)     the cell state of the recurrence
    H  (S, D)  the hidden states of the encoder, one for each source position
    """
    y, c = recurrence(norm_1(x), c)  # the target so far, summed up without attention
    Q = as_row(norm_2(y))  # the query: a matrix of one row
    z = flatten(cross_attention(Q, H, full_mask(Q, H)))  # attention to the source
    o = network(norm_3(z))  # the feed-forward network
    return o, c


class SSRUInPlaceOfAttention(SSRU):
    """SSRU where a decoder block has self-attention: all positions at once, or the next ones."""

    def forward(self, x: Tensor, *unused: Any, **options: Any) -> Any:
        y, _ = super().forward(x)
        return y

    def step(self, x: Tensor, state: SSRUState | None = None) -> tuple[Tensor, SSRUState]:
        """The next tokens x (B, T, D) after a state."""
        return super().forward(x, state)


@layer(ssru_block)
class SSRUBlock(DecoderBlockPreNorm):
    """The decoder block with the norm first, with SSRU for what was written and attention for the source."""

    def make_self_attention(self, width: int, heads: int, dropout: float, scaled: bool) -> Any:
        return SSRUInPlaceOfAttention(width, width)

    def symbols(self) -> Symbols:
        return {"recurrence" if name == "self_attention" else name: part for name, part in super().symbols().items()}


@layer(ssru_block_no_residual)
class SSRUBlockNoResidual(WithoutResidual, SSRUBlock):
    """The same without residual connections."""
