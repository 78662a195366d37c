"""The Transformer's decoder block, with the norm after each part (2017) and before it, and without residuals."""

from __future__ import annotations

from typing import Any, NamedTuple

from torch import Tensor

from seqloom.equations import equations
from seqloom.layers.base import Symbols, layer
from seqloom.layers.block_parts import BlockParts, WithoutResidual
from seqloom.layers.feed_forward import feed_forward
from seqloom.layers.masks import per_head, zero_masked_nans
from seqloom.layers.multi_head import KeyValue, MultiHead, multi_head
from seqloom.layers.norms import NormKind, layer_norm, norm_called


@equations
def decoder_block(
    X,
    H,
    causal,
    mask,
    *,
    self_attention=multi_head,
    norm_1=layer_norm,
    cross_attention=multi_head,
    norm_2=layer_norm,
    network=feed_forward,
    norm_3=layer_norm,
):
    """Transformer decoder block.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    X       (T, D)  the target so far, one vector for each position
    H       (S, D)  the hidden states of the encoder
    causal  (T, T)  bool, True where a position may attend to one before it
    mask    (T, S)  bool, True where a position may attend to the source
    """
    A = self_attention(X, X, causal)  # each position attends to itself and those before it
    Y = norm_1(X + A)  # residual connection, then normalised
    C = cross_attention(Y, H, mask)  # then to the source
    Z = norm_2(Y + C)  # residual connection, then normalised
    F = network(Z)  # the feed-forward network, applied at each position
    O = norm_3(Z + F)  # residual connection, then normalised
    return O


@equations
def decoder_block_pre_norm(
    X,
    H,
    causal,
    mask,
    *,
    norm_1=layer_norm,
    self_attention=multi_head,
    norm_2=layer_norm,
    cross_attention=multi_head,
    norm_3=layer_norm,
    network=feed_forward,
):
    """Transformer decoder block, the norm first: trains without a warm-up.

    Paper: R. Xiong et al., On layer normalization in the Transformer architecture, ICML 2020.

    X       (T, D)  the target so far, one vector for each position
    H       (S, D)  the hidden states of the encoder
    causal  (T, T)  bool, True where a position may attend to one before it
    mask    (T, S)  bool, True where a position may attend to the source
    """
    U = norm_1(X)  # the input of the self-attention, normalised
    Y = X + self_attention(U, U, causal)  # each position attends to itself and those before it
    Z = Y + cross_attention(norm_2(Y), H, mask)  # then to the source
    O = Z + network(norm_3(Z))  # the feed-forward network, applied at each position
    return O


@equations
def decoder_block_no_residual(
    X,
    H,
    causal,
    mask,
    *,
    self_attention=multi_head,
    norm_1=layer_norm,
    cross_attention=multi_head,
    norm_2=layer_norm,
    network=feed_forward,
    norm_3=layer_norm,
):
    """Transformer decoder block without residual connections: what a part drops is lost.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017, without K. He et al., Deep residual learning
    for image recognition, CVPR 2016.

    X       (T, D)  the target so far, one vector for each position
    H       (S, D)  the hidden states of the encoder
    causal  (T, T)  bool, True where a position may attend to one before it
    mask    (T, S)  bool, True where a position may attend to the source
    """
    Y = norm_1(self_attention(X, X, causal))  # each position attends to itself and those before it
    Z = norm_2(cross_attention(Y, H, mask))  # then to the source
    O = norm_3(network(Z))  # the feed-forward network, applied at each position
    return O


@equations
def decoder_block_pre_norm_no_residual(
    X,
    H,
    causal,
    mask,
    *,
    norm_1=layer_norm,
    self_attention=multi_head,
    norm_2=layer_norm,
    cross_attention=multi_head,
    norm_3=layer_norm,
    network=feed_forward,
):
    """Transformer decoder block, the norm first, without residual connections: what a part drops is lost.

    Paper: R. Xiong et al., On layer normalization in the Transformer architecture, ICML 2020, without K. He et al.,
    Deep residual learning for image recognition, CVPR 2016.

    X       (T, D)  the target so far, one vector for each position
    H       (S, D)  the hidden states of the encoder
    causal  (T, T)  bool, True where a position may attend to one before it
    mask    (T, S)  bool, True where a position may attend to the source
    """
    U = norm_1(X)  # the input of the self-attention, normalised
    Y = self_attention(U, U, causal)  # each position attends to itself and those before it
    Z = cross_attention(norm_2(Y), H, mask)  # then to the source
    O = network(norm_3(Z))  # the feed-forward network, applied at each position
    return O


class DecoderCache(NamedTuple):
    """What a decoder block attends to: the source, computed once, and the tokens written so far."""

    source: KeyValue  # (B, N, S, K)
    written: Any  # KVCache, or the state of what stands in its place; None before the first token


class DecoderParts(BlockParts):
    """What all decoder blocks are made of; they differ in the order, and in what is added."""

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
        self.self_attention = self.make_self_attention(width, heads, inner_dropout, scaled)
        self.norm_1 = norm_called(norm, width)
        self.cross_attention = MultiHead(width, heads, inner_dropout, scaled=scaled)
        self.norm_2 = norm_called(norm, width)
        self.network, self.norm_3 = self.make_network(width, hidden, inner_dropout, norm)

    def forward(
        self,
        x: Tensor,
        h: Tensor,
        mask: Tensor | None = None,
        written: Tensor | None = None,
        *,
        real: Tensor | None = None,
    ) -> Tensor:
        """Every token attends to those before it, then to the source, then goes through the feed-forward network.

        x        (B, T, D)     the tokens written
        h        (B, S, D)     the source
        mask     (B, N, T, S)  bool, True where a token may attend to the source
        written  (B, N, T, T)  bool, True where a token may attend to the tokens up to itself, if not at all
        real     (B, T)        bool, the padding mask of x for norms that are taken over the batch
        ->       (B, T, D)     the tokens, knowing of those before and of the source
        """
        x = zero_masked_nans(x, per_head(written))
        u = self.before(x, real)
        back = self.self_attention(u, u, written, causal=True)
        o, _ = self.behind(x, back, self.cross_attention.project_keys_values(h, mask), mask, real, weights=False)
        return o

    def start(self, h: Tensor, mask: Tensor | None = None) -> DecoderCache:
        """The cache before the first token: h (B, S, D), mask as for `forward`."""
        return DecoderCache(self.cross_attention.project_keys_values(h, mask), None)

    def step(
        self, x: Tensor, cache: DecoderCache, mask: Tensor | None = None, *, weights: bool = False
    ) -> tuple[Tensor, DecoderCache, Tensor | None]:
        """The block for the tokens that come next.

        x        (B, T, D)     the next tokens; usually one
        cache                  from `start`, or from the step before
        mask     (B, N, T, S)  bool, True where a token may attend to the source
        weights  bool          whether to hand out a
        ->       (B, T, D)     the new tokens
                 cache         with the new tokens in it
              a  (B, N, T, S)  the weights of each head on the source; None unless asked for
        """
        back, written = self.self_attention.step(self.before(x, None), cache.written)
        o, a = self.behind(x, back, cache.source, mask, None, weights=weights)
        return o, DecoderCache(cache.source, written), a

    def attend_to_source(
        self, x: Tensor, source: KeyValue, mask: Tensor | None, *, weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        """x (B, T, D) -> what it saw (B, T, D), and the weights if asked for.

        In a step there may be W rows for each source, x (B*W, 1, D): its hypotheses, which attend to it together.
        """
        sources = source.k.shape[0]
        together = x if x.shape[0] == sources else x.view(sources, -1, x.shape[2])
        seen = self.cross_attention.attend_to(together, source, mask, weights=weights)
        y, a = seen if isinstance(seen, tuple) else (seen, None)
        if a is not None and together is not x:
            a = a.transpose(1, 2).flatten(0, 1)[:, :, None]
        return y.view_as(x), a

    def make_self_attention(self, width: int, heads: int, dropout: float, scaled: bool) -> Any:
        """What attends to the tokens written so far."""
        return MultiHead(width, heads, dropout, scaled=scaled)

    def before(self, x: Tensor, real: Tensor | None) -> Tensor:
        """What the self-attention gets: x (B, T, D) -> (B, T, D)."""
        raise NotImplementedError

    def behind(
        self, x: Tensor, back: Tensor, source: KeyValue, mask: Tensor | None, real: Tensor | None, *, weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        """Everything behind the self-attention: x, back (B, T, D) -> (B, T, D), and the weights if asked for."""
        raise NotImplementedError

    def symbols(self) -> Symbols:
        parts = ("self_attention", "norm_1", "cross_attention", "norm_2", "network", "norm_3")
        return {name: getattr(self, name).part() for name in parts}


@layer(decoder_block)
class DecoderBlock(DecoderParts):
    """The decoder block of 2017: the norm after each part."""

    def before(self, x: Tensor, real: Tensor | None) -> Tensor:
        return x

    def behind(
        self, x: Tensor, back: Tensor, source: KeyValue, mask: Tensor | None, real: Tensor | None, *, weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        y: Tensor = self.norm_1(self.add(x, back), real)
        seen, a = self.attend_to_source(y, source, mask, weights=weights)
        z: Tensor = self.norm_2(self.add(y, seen), real)
        o: Tensor = self.norm_3(self.add(z, self.network(z)), real)
        return o, a


@layer(decoder_block_pre_norm)
class DecoderBlockPreNorm(DecoderParts):
    """The decoder block with the norm before each part; a stack of them wants one more at the end."""

    def before(self, x: Tensor, real: Tensor | None) -> Tensor:
        u: Tensor = self.norm_1(x, real)
        return u

    def behind(
        self, x: Tensor, back: Tensor, source: KeyValue, mask: Tensor | None, real: Tensor | None, *, weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        y = self.add(x, back)
        seen, a = self.attend_to_source(self.norm_2(y, real), source, mask, weights=weights)
        z = self.add(y, seen)
        return self.add(z, self.network(self.norm_3(z, real))), a


@layer(decoder_block_no_residual)
class DecoderBlockNoResidual(WithoutResidual, DecoderBlock):
    """The decoder block of 2017 without residual connections."""


@layer(decoder_block_pre_norm_no_residual)
class DecoderBlockPreNormNoResidual(WithoutResidual, DecoderBlockPreNorm):
    """The decoder block with the norm before each part, without residual connections."""
