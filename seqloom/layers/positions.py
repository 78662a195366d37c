"""Positional encodings, added to token embeddings: sinusoidal, or learned."""

from typing import Literal

import torch
from torch import Tensor, nn

from seqloom.equations import Part, arange, cos, equations, interleave, sin, sqrt, stack
from seqloom.errors import ShapeError
from seqloom.layers.base import Layer, Symbols, layer

PositionKind = Literal["learned", "sinusoidal", "none"]


@equations
def sinusoidal(p, *, D):
    """Sinusoidal positional encoding.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    p  ()   the position, counted from 0
    D  int  the width of the model, even
    """
    i = arange(D // 2)  # the frequencies: one for every two components
    theta = p / 10000 ** (2 * i / D)  # the angle at this position: later frequencies turn slower
    P = interleave(sin(theta), cos(theta))  # sines in the even components, cosines in the odd ones
    return P


@equations
def learned_positions(p, *, P):
    """Learned positional embedding.

    Paper: J. Gehring et al., Convolutional sequence to sequence learning, ICML 2017.

    p  ()      index, the position, counted from 0
    P  (T, D)  an embedding for each position up to the longest
    """
    r = P[p]  # the embedding of this position, added to that of the token
    return r


@equations
def add_sinusoidal(x, p, *, D):
    """An embedding with its sinusoidal position added.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    x  (D)  the embedding of the token
    p  ()   index, its position, counted from 0
    D  int  the width of the model, even
    """
    r = sqrt(D) * x + sinusoidal(p, D=D)  # the embedding, scaled up, plus its position
    return r


@equations
def add_learned(x, p, *, P):
    """An embedding with its learned position added.

    Paper: J. Gehring et al., Convolutional sequence to sequence learning, ICML 2017.

    x  (D)          the embedding of the token
    p  ()           index, its position, counted from 0
    P  (places, D)  a vector for each position up to the longest
    """
    r = x + P[p]  # the embedding plus the vector of its position
    return r


@equations
def no_position(x, p):
    """An embedding without its position: attention alone sees a bag of tokens.

    Paper: A. Haviv et al., Transformer language models without positional encodings still learn positional
    information, Findings of EMNLP 2022.

    x  (D)  the embedding of the token
    p  ()   index, its position, counted from 0
    """
    r = x + 0 * p  # the embedding as it is: the position has no weight
    return r


@equations
def positioned(X, *, position=add_sinusoidal):
    """A sequence of embeddings, each with its position added.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    X  (T, D)  the embeddings, one for each position
    """
    R = stack(position(x_p, n_p) for x_p, n_p in zip(X, arange(len(X))))  # each embedding plus its position
    return R


@layer(sinusoidal)
class Sinusoidal(Layer):
    """Sinusoidal positional encodings; the table grows when a longer sequence comes."""

    P: Tensor  # (positions so far, D)

    def __init__(self, width: int) -> None:
        super().__init__()
        if width % 2:
            raise ShapeError(
                f"sines and cosines in pairs do not fill a width of {width}", remedy="choose an even width"
            )
        self.width = width
        self.register_buffer("P", torch.empty(0, width), persistent=False)

    def forward(self, length: int, start: int = 0) -> Tensor:
        """The encodings of `length` positions from `start` on: -> (T, D), to be added to token embeddings."""
        end = start + length
        if end > len(self.P):
            self.P = self.table(max(end, 2 * len(self.P))).to(self.P)  # doubled, so that it seldom grows while decoding
        return self.P[start:end]

    def table(self, length: int) -> Tensor:
        """All encodings at once -> (T, D) in float64: in float32 the angle of a late position is coarse."""
        i = torch.arange(self.width // 2, dtype=torch.float64)
        p = torch.arange(length, dtype=torch.float64)
        theta = p[:, None] / 10000 ** (2 * i / self.width)
        return torch.stack([theta.sin(), theta.cos()], dim=-1).flatten(1)

    def symbols(self) -> Symbols:
        return {"D": self.width}


@layer(learned_positions)
class LearnedPositions(Layer):
    """Positional embeddings, learned like those of tokens."""

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.P = nn.Parameter(torch.randn(length, width) * width**-0.5)

    def forward(self, length: int, start: int = 0) -> Tensor:
        """The encodings of `length` positions from `start` on: -> (T, D), to be added to token embeddings."""
        end = start + length
        if end > len(self.P):
            raise ShapeError(
                f"position {end - 1} has no embedding: they were learned for the first {len(self.P)}",
                remedy=f"shorten the text to {len(self.P)}, train with more positions, or use sinusoidal ones",
            )
        return self.P[start:end]

    def symbols(self) -> Symbols:
        return {"P": self.P}


class PositionAdded(Layer):
    """Embeddings with their positions added."""

    limit: int | None = None
    """How many positions there are; None for any number."""

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """x (B, T, D), the first at position `start` -> (B, T, D)."""
        raise NotImplementedError

    def sequence_part(self) -> Part:
        """What it computes for a whole sequence, with its weights."""
        return Part(positioned, {"position": self.part()})


@layer(add_sinusoidal)
class AddSinusoidal(PositionAdded):
    """Embeddings, scaled up to the sines and cosines that are added."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.waves, self.scale = Sinusoidal(width), width**0.5

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        added: Tensor = x * self.scale + self.waves(x.shape[1], start)
        return added

    def symbols(self) -> Symbols:
        return self.waves.symbols()


@layer(add_learned)
class AddLearned(PositionAdded):
    """Embeddings plus learned vectors of their positions."""

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.positions, self.limit = LearnedPositions(length, width), length

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        added: Tensor = x + self.positions(x.shape[1], start)
        return added

    def symbols(self) -> Symbols:
        return self.positions.symbols()


@layer(no_position)
class NoPosition(PositionAdded):
    """Embeddings as they are."""

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        return x


def positions_called(kind: PositionKind, length: int, width: int) -> PositionAdded:
    """What adds the positions that a setting names; learned ones up to a length."""
    match kind:
        case "learned":
            return AddLearned(length, width)
        case "sinusoidal":
            return AddSinusoidal(width)
        case "none":
            return NoPosition()
