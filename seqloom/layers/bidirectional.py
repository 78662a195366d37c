"""Two recurrent layers that read from both ends."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor

from seqloom.equations import concat, equations
from seqloom.errors import ShapeError
from seqloom.layers.base import Symbols, layer
from seqloom.layers.recurrent import Recurrent, words
from seqloom.layers.simple_rnn import simple_rnn


@equations
def bidirectional(x, h_fwd, h_bwd, *, forward, backward):
    """Two independent recurrent layers, one from the left and one from the right.

    Paper: M. Schuster, K. Paliwal, Bidirectional recurrent neural networks, IEEE Transactions on
    Signal Processing 45, 1997.

    x      (D)  the word at this place
    h_fwd  (H)  the state of the reader that comes from the left
    h_bwd  (H)  the state of the reader that comes from the right
    """
    h_fwd = simple_rnn(x, h_fwd, **forward)  # knows the words before
    h_bwd = simple_rnn(x, h_bwd, **backward)  # knows the words after
    y = concat(h_fwd, h_bwd)  # knows both
    return y, h_fwd, h_bwd


class BidirectionalState(NamedTuple):
    """The states of both readers: from the left after the last word, from the right after the first."""

    forward: Any
    backward: Any


@layer(bidirectional)
class Bidirectional(Recurrent[BidirectionalState]):
    """Two independent recurrent layers of any kind; the one from the right starts at the last real word.

    y (B, T, H) is as wide as both together. The definition has two simple layers, here may be any.
    """

    def __init__(self, fwd: Recurrent[Any], bwd: Recurrent[Any]) -> None:
        super().__init__()
        if fwd is bwd:
            raise ValueError("both readers are the same layer: give two, or use Bidirectional.of")
        if fwd.input_size != bwd.input_size:
            raise ShapeError(
                f"the readers take words {fwd.input_size} and {bwd.input_size} wide",
                remedy="let both read the same words",
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

    def symbols(self) -> dict[str, Symbols]:
        return {"forward": self.fwd.symbols(), "backward": self.bwd.symbols()}


def turn(x: Tensor, lengths: Tensor | None) -> Tensor:
    """The words of each row from the last to the first; padding stays behind.

    x        (B, T, D)
    lengths  (B)        int, how many words of each row are real; None for all T

    >>> turn(torch.tensor([[[1], [2], [3]]]), torch.tensor([2]))[0, :, 0].tolist()
    [2, 1, 3]
    """
    if lengths is None:
        return x.flip(1)
    places = torch.arange(x.shape[1], device=x.device)[:, None]
    mirrored = lengths.to(x.device)[:, None, None] - 1 - places
    return x.take_along_dim(torch.where(words(lengths, x), mirrored, places), 1)
