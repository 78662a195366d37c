"""What the blocks of a Transformer have in common: networks, norms and residual connections that can be left out."""

from __future__ import annotations

from torch import Tensor

from seqloom.layers.base import Layer
from seqloom.layers.dropout import Dropout
from seqloom.layers.feed_forward import FeedForward
from seqloom.layers.identity import Identity, Nothing
from seqloom.layers.norms import NormKind, norm_called


class BlockParts(Layer):
    """A block of a Transformer: attention, a feed-forward network, norms, and what joins them."""

    left_out: type[Layer] = Nothing
    """What stands for a network that is left out: nothing is added."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)  # after each part, before the sum

    def make_network(self, width: int, hidden: int, dropout: float, norm: NormKind) -> tuple[Layer, Layer]:
        """The feed-forward network and its norm; a hidden layer of width 0 leaves out both."""
        if hidden:
            return FeedForward(width, hidden, dropout), norm_called(norm, width)
        return self.left_out(), Identity()

    def add(self, x: Tensor, f: Tensor) -> Tensor:
        """What goes on: the input of a part x and its output f (B, T, D) -> (B, T, D)."""
        added: Tensor = x + self.dropout(f)
        return added


class WithoutResidual(BlockParts):
    """A block without residual connections: what goes on is the output of each part alone."""

    left_out = Identity

    def add(self, x: Tensor, f: Tensor) -> Tensor:
        alone: Tensor = self.dropout(f)
        return alone
