"""Recurrent layers on top of each other; their widths may differ."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from torch import Tensor, nn

from seqloom.equations import equations
from seqloom.errors import ShapeError
from seqloom.layers.base import Symbols, layer
from seqloom.layers.dropout import Dropout
from seqloom.layers.recurrent import Recurrent
from seqloom.layers.simple_rnn import simple_rnn


@equations
def stacked(x, s, *, cells=(simple_rnn, simple_rnn)):
    """Recurrent layers on top of each other: one step.

    Paper: A. Graves, A. Mohamed, G. Hinton, Speech recognition with deep recurrent neural networks,
    ICASSP 2013.

    x  (D)    the input of the lowest layer
    s  state  the state of each layer
    """
    for l, cell in enumerate(cells):
        s[l] = cell(x, s[l])  # each layer updates its own state
        x = s[l]  # and the layer above reads it
    y = x  # what the top layer shows
    return y, s


@layer(stacked)
class Stacked(Recurrent[tuple[Any, ...]]):
    """Recurrent layers of any kind, the lowest first, with dropout between them.

    The state is a tuple of theirs. y holds the outputs of the top layer at all tokens; `recurrent.last`
    takes the last of them.

    >>> from seqloom.layers.lstm import LSTM
    >>> sum(weight.numel() for weight in Stacked([LSTM(3, 5), LSTM(5, 2)]).parameters())
    244
    """

    def __init__(self, layers: Iterable[Recurrent[Any]], dropout: float = 0.0) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.dropout = Dropout(dropout)
        stack = self.stack()
        if not stack:
            raise ShapeError("a stack of no layers reads nothing", remedy="give it at least one")
        for number, (lower, upper) in enumerate(pairwise(stack), start=2):
            if lower.output_size != upper.input_size:
                raise ShapeError(
                    f"layer {number} reads width {upper.input_size}, the one below makes {lower.output_size}",
                    remedy="let each layer read what the one below it makes",
                )
        self.input_size, self.output_size = stack[0].input_size, stack[-1].output_size

    def stack(self) -> list[Recurrent[Any]]:
        return list(self.layers)  # type: ignore[arg-type]  # a ModuleList forgets of what

    def forward(
        self, x: Tensor, state: tuple[Any, ...] | None = None, lengths: Tensor | None = None
    ) -> tuple[Tensor, tuple[Any, ...]]:
        starts = (None,) * len(self.layers) if state is None else state
        if len(starts) != len(self.layers):
            raise ShapeError(
                f"{len(starts)} states for {len(self.layers)} layers",
                remedy="hand on the state of the same stack",
            )
        ends = []
        for number, (reader, start) in enumerate(zip(self.layers, starts)):
            x, end = reader(self.dropout(x) if number else x, start, lengths)
            ends.append(end)
        return x, tuple(ends)

    def symbols(self) -> Symbols:
        return {"cells": [layer.part() for layer in self.stack()]}
