"""The Transformer's encoder block, with the norm after each part (2017) and before it."""

from __future__ import annotations

from torch import Tensor

from seqloom.equations import equations
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.dropout import Dropout
from seqloom.layers.feed_forward import FeedForward, feed_forward
from seqloom.layers.masks import per_head, quiet
from seqloom.layers.multi_head import MultiHead, multi_head
from seqloom.layers.norms import LayerNorm, layer_norm
from seqloom.layers.written_cache import WrittenCache


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


class EncoderParts(Layer):
    """What both encoder blocks are made of; they differ in the order.

    With a causal mask they are the blocks of a language model, and `step` takes its tokens one by one.
    """

    def __init__(self, width: int, heads: int, hidden: int, dropout: float = 0.0, inner_dropout: float = 0.0) -> None:
        super().__init__()
        self.attention = MultiHead(width, heads, inner_dropout)
        self.norm_1 = LayerNorm(width)
        self.network = FeedForward(width, hidden, inner_dropout)
        self.norm_2 = LayerNorm(width)
        self.dropout = Dropout(dropout)  # after each part, before the sum

    def forward(self, x: Tensor, mask: Tensor | None = None, *, causal: bool = False) -> Tensor:
        """Every token attends to the others, then goes through the feed-forward network.

        x       (B, T, D)     the tokens
        mask    (B, N, T, T)  bool, True where a token may attend; any of the first three axes may be 1
        causal  bool          no token may attend to those after it either
        ->      (B, T, D)     the tokens, knowing of each other
        """
        x = quiet(x, per_head(mask))
        u = self.before(x)
        return self.behind(x, self.attention(u, u, mask, causal=causal))

    def step(
        self, x: Tensor, cache: WrittenCache | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, WrittenCache]:
        """The causal block for the tokens that come next.

        x      (B, T, D)     the next tokens; usually one
        cache                of the S - T tokens before; None at the start
        mask   (B, N, T, S)  bool, True where a token may attend; any of the first three axes may be 1
        ->     (B, T, D)     the new tokens
               cache         with the new tokens in it
        """
        seen, cache = self.attention.step(self.before(x), cache, mask)
        return self.behind(x, seen), cache

    def before(self, x: Tensor) -> Tensor:
        """What the attention gets: x (B, T, D) -> (B, T, D)."""
        raise NotImplementedError

    def behind(self, x: Tensor, seen: Tensor) -> Tensor:
        """Everything behind the attention: x, seen (B, T, D) -> (B, T, D)."""
        raise NotImplementedError

    def symbols(self) -> Symbols:
        return {name: getattr(self, name).part() for name in ("attention", "norm_1", "network", "norm_2")}


@layer(encoder_block)
class EncoderBlock(EncoderParts):
    """The encoder block of 2017: the norm after each part."""

    def before(self, x: Tensor) -> Tensor:
        return x

    def behind(self, x: Tensor, seen: Tensor) -> Tensor:
        y: Tensor = self.norm_1(x + self.dropout(seen))
        z: Tensor = self.norm_2(y + self.dropout(self.network(y)))
        return z


@layer(encoder_block_pre_norm)
class EncoderBlockPreNorm(EncoderParts):
    """The encoder block with the norm before each part; a stack of them wants one more at the end."""

    def before(self, x: Tensor) -> Tensor:
        u: Tensor = self.norm_1(x)
        return u

    def behind(self, x: Tensor, seen: Tensor) -> Tensor:
        y = x + self.dropout(seen)
        z: Tensor = y + self.dropout(self.network(self.norm_2(y)))
        return z
