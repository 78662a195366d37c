"""Two recurrent layers that read from both ends."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor

from seqloom.equations import Part, concat, equations, scan, scan_back
from seqloom.errors import ShapeError
from seqloom.layers.base import Symbols, layer
from seqloom.layers.recurrent import Recurrent, token_mask
from seqloom.layers.simple_rnn import simple_rnn


@equations
def recurrent_layer(X, *, cell=simple_rnn):
    """A recurrent layer: one cell reads the sequence from left to right.

    Paper: J. Elman, Finding structure in time, Cognitive Science 14, 1990.

    X  (T, D)  the sequence, one vector for each position
    """
    H = scan(cell, X)  # the hidden state at each position
    return H


@equations
def bidirectional(X, *, fwd=simple_rnn, bwd=simple_rnn):
    """Bidirectional recurrent layer: two independent cells, one from each end.

    Paper: M. Schuster, K. Paliwal, Bidirectional recurrent neural networks, IEEE Transactions on
    Signal Processing 45, 1997.

    X  (T, D)  the sequence, one vector for each position
    """
    H_fwd = scan(fwd, X)  # the hidden states of the cell that reads from the left
    H_bwd = scan_back(bwd, X)  # the hidden states of the cell that reads from the right
    Y = concat(H_fwd, H_bwd)  # both side by side: each position knows its whole context
    return Y


class BidirectionalState(NamedTuple):
    """The states of both readers: from the left after the last token, from the right after the first."""

    forward: Any
    backward: Any


@layer(bidirectional)
class Bidirectional(Recurrent[BidirectionalState]):
    """Two independent recurrent layers of any kind; the one from the right starts at the last real token.

    y (B, T, H) is as wide as both together.
    """

    def __init__(self, fwd: Recurrent[Any], bwd: Recurrent[Any]) -> None:
        super().__init__()
        if fwd is bwd:
            raise ValueError("both readers are the same layer: give two, or use Bidirectional.of")
        if fwd.input_size != bwd.input_size:
            raise ShapeError(
                f"the readers take vectors {fwd.input_size} and {bwd.input_size} wide",
                remedy="let both read the same vectors",
            )
        self.fwd, self.bwd = fwd, bwd
        self.input_size = fwd.input_size
        self.output_size = fwd.output_size + bwd.output_size

    @classmethod
    def of(cls, make: Callable[[], Recurrent[Any]]) -> Self:
        """Two layers of one kind.

        >>> from seqloom.layers.lstm import LSTM
        >>> Bidirectional.of(lambda: LSTM(3, 5)).output_size
        10
        """
        return cls(make(), make())

    def forward(
        self, x: Tensor, state: BidirectionalState | None = None, lengths: Tensor | None = None
    ) -> tuple[Tensor, BidirectionalState]:
        self.check(x, lengths)
        from_left, from_right = (None, None) if state is None else state
        y_fwd, end_fwd = self.fwd(x, from_left, lengths)
        y_bwd, end_bwd = self.bwd(turn(x, lengths), from_right, lengths)
        return torch.cat([y_fwd, turn(y_bwd, lengths)], -1), BidirectionalState(end_fwd, end_bwd)

    def symbols(self) -> Symbols:
        return {"fwd": self.fwd.part(), "bwd": self.bwd.part()}


def sequence_part(layer: Recurrent[Any]) -> Part:
    """What a recurrent layer computes for a whole sequence, with its weights."""
    return layer.part() if isinstance(layer, Bidirectional) else Part(recurrent_layer, {"cell": layer.part()})


def turn(x: Tensor, lengths: Tensor | None) -> Tensor:
    """The tokens of each sequence from the last to the first; padding stays behind.

    x        (B, T, D)
    lengths  (B)        int, how many tokens of each sequence are real; None for all T

    >>> turn(torch.tensor([[[1], [2], [3]]]), torch.tensor([2]))[0, :, 0].tolist()
    [2, 1, 3]
    """
    if lengths is None:
        return x.flip(1)
    places = torch.arange(x.shape[1], device=x.device)[:, None]
    mirrored = lengths.to(x.device)[:, None, None] - 1 - places
    order = torch.where(token_mask(lengths, x), mirrored, places)  # (B, T, 1)
    return x.gather(1, order.expand(-1, -1, x.shape[2]))
