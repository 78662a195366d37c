"""The Transformer's encoder block, with the norm after each part (2017) and before it, and without residuals."""

from __future__ import annotations

from torch import Tensor

from seqloom.equations import equations
from seqloom.layers.base import Symbols, layer
from seqloom.layers.block_parts import BlockParts, WithoutResidual
from seqloom.layers.feed_forward import feed_forward
from seqloom.layers.kv_cache import KVCache
from seqloom.layers.masks import per_head, zero_masked_nans
from seqloom.layers.multi_head import MultiHead, multi_head
from seqloom.layers.norms import NormKind, layer_norm, norm_called


@equations
def encoder_block(X, mask, *, attention=multi_head, norm_1=layer_norm, network=feed_forward, norm_2=layer_norm):
    """Transformer encoder block.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    X     (T, D)  the sequence, one vector for each position
    mask  (T, T)  bool, True where a position may attend
    """
    A = attention(X, X, mask)  # self-attention: each position attends to all others
    Y = norm_1(X + A)  # residual connection, then normalised
    F = network(Y)  # the feed-forward network, applied at each position
    Z = norm_2(Y + F)  # residual connection, then normalised
    return Z


@equations
def encoder_block_pre_norm(
    X, mask, *, norm_1=layer_norm, attention=multi_head, norm_2=layer_norm, network=feed_forward
):
    """Transformer encoder block, the norm first: trains without a warm-up.

    Paper: R. Xiong et al., On layer normalization in the Transformer architecture, ICML 2020.

    X     (T, D)  the sequence, one vector for each position
    mask  (T, T)  bool, True where a position may attend
    """
    U = norm_1(X)  # the input of the attention, normalised
    Y = X + attention(U, U, mask)  # self-attention: each position attends to all others
    Z = Y + network(norm_2(Y))  # the feed-forward network, applied at each position
    return Z


@equations
def encoder_block_no_residual(
    X, mask, *, attention=multi_head, norm_1=layer_norm, network=feed_forward, norm_2=layer_norm
):
    """Transformer encoder block without residual connections: what a part drops is lost.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017, without K. He et al., Deep residual learning
    for image recognition, CVPR 2016.

    X     (T, D)  the sequence, one vector for each position
    mask  (T, T)  bool, True where a position may attend
    """
    Y = norm_1(attention(X, X, mask))  # self-attention, normalised
    Z = norm_2(network(Y))  # the feed-forward network, applied at each position, normalised
    return Z


@equations
def encoder_block_pre_norm_no_residual(
    X, mask, *, norm_1=layer_norm, attention=multi_head, norm_2=layer_norm, network=feed_forward
):
    """Transformer encoder block, the norm first, without residual connections: what a part drops is lost.

    Paper: R. Xiong et al., On layer normalization in the Transformer architecture, ICML 2020, without K. He et al.,
    Deep residual learning for image recognition, CVPR 2016.

    X     (T, D)  the sequence, one vector for each position
    mask  (T, T)  bool, True where a position may attend
    """
    U = norm_1(X)  # the input of the attention, normalised
    Y = attention(U, U, mask)  # self-attention: each position attends to all others
    Z = network(norm_2(Y))  # the feed-forward network, applied at each position
    return Z


class EncoderParts(BlockParts):
    """What all encoder blocks are made of; they differ in the order, and in what is added.

    With a causal mask they are the blocks of a language model, and `step` takes its tokens one by one.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        hidden: int,
        dropout: float = 0.0,
        inner_dropout: float = 0.0,
        *,
        norm: NormKind = "layer",
        scaled: bool = True,
    ) -> None:
        super().__init__(dropout)
        self.attention = MultiHead(width, heads, inner_dropout, scaled=scaled)
        self.norm_1 = norm_called(norm, width)
        self.network, self.norm_2 = self.make_network(width, hidden, inner_dropout, norm)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, *, causal: bool = False, real: Tensor | None = None
    ) -> Tensor:
        """Every token attends to the others, then goes through the feed-forward network.

        x       (B, T, D)     the tokens
        mask    (B, N, T, T)  bool, True where a token may attend; any of the first three axes may be 1
        causal  bool          no token may attend to those after it either
        real    (B, T)        bool, the padding mask for norms that are taken over the batch; None without padding
        ->      (B, T, D)     the tokens, knowing of each other
        """
        x = zero_masked_nans(x, per_head(mask))
        u = self.before(x, real)
        return self.behind(x, self.attention(u, u, mask, causal=causal), real)

    def step(self, x: Tensor, cache: KVCache | None = None, mask: Tensor | None = None) -> tuple[Tensor, KVCache]:
        """The causal block for the tokens that come next.

        x      (B, T, D)     the next tokens; usually one
        cache                of the S - T tokens before; None at the start
        mask   (B, N, T, S)  bool, True where a token may attend; any of the first three axes may be 1
        ->     (B, T, D)     the new tokens
               cache         with the new tokens in it
        """
        seen, cache = self.attention.step(self.before(x, None), cache, mask)
        return self.behind(x, seen, None), cache

    def before(self, x: Tensor, real: Tensor | None) -> Tensor:
        """What the attention gets: x (B, T, D) -> (B, T, D)."""
        raise NotImplementedError

    def behind(self, x: Tensor, seen: Tensor, real: Tensor | None) -> Tensor:
        """Everything behind the attention: x, seen (B, T, D) -> (B, T, D)."""
        raise NotImplementedError

    def symbols(self) -> Symbols:
        return {name: getattr(self, name).part() for name in ("attention", "norm_1", "network", "norm_2")}


@layer(encoder_block)
class EncoderBlock(EncoderParts):
    """The encoder block of 2017: the norm after each part."""

    def before(self, x: Tensor, real: Tensor | None) -> Tensor:
        return x

    def behind(self, x: Tensor, seen: Tensor, real: Tensor | None) -> Tensor:
        y: Tensor = self.norm_1(self.add(x, seen), real)
        z: Tensor = self.norm_2(self.add(y, self.network(y)), real)
        return z


@layer(encoder_block_pre_norm)
class EncoderBlockPreNorm(EncoderParts):
    """The encoder block with the norm before each part; a stack of them wants one more at the end."""

    def before(self, x: Tensor, real: Tensor | None) -> Tensor:
        u: Tensor = self.norm_1(x, real)
        return u

    def behind(self, x: Tensor, seen: Tensor, real: Tensor | None) -> Tensor:
        y = self.add(x, seen)
        return self.add(y, self.network(self.norm_2(y, real)))


@layer(encoder_block_no_residual)
class EncoderBlockNoResidual(WithoutResidual, EncoderBlock):
    """The encoder block of 2017 without residual connections."""


@layer(encoder_block_pre_norm_no_residual)
class EncoderBlockPreNormNoResidual(WithoutResidual, EncoderBlockPreNorm):
    """The encoder block with the norm before each part, without residual connections."""
