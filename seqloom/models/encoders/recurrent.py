"""Recurrent encoders: any cell, stacked, each layer with its own width, in one direction or both."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from seqloom.errors import ConfigError
from seqloom.layers.base import Symbols
from seqloom.layers.bidirectional import Bidirectional, sequence_part
from seqloom.layers.gru import GRU, GRUResetAfter
from seqloom.layers.lstm import LSTM
from seqloom.layers.recurrent import Recurrent, last
from seqloom.layers.self_attentive_rnn import SelfAttentiveRNN
from seqloom.layers.simple_rnn import ConcatRNN, LinearRNN, SimpleRNN
from seqloom.layers.stacked import Stacked
from seqloom.models.encoders.base import Encoder, stacked_layers
from seqloom.models.registry import Architecture, architecture
from seqloom.models.settings import ModelConfig

Cell = Callable[[int, int], Recurrent[Any]]


class RecurrentEncoder(Encoder):
    """A stack of recurrent layers."""

    definition = stacked_layers

    def __init__(self, cell: Cell, width: int, widths: list[int], bidirectional: bool, dropout: float) -> None:
        super().__init__()
        layers: list[Recurrent[Any]] = []
        for size in widths:
            layers.append(reader(cell, width, size, bidirectional))
            width = layers[-1].output_size
        self.layers = Stacked(layers, dropout)
        self.output_size, self.both_ways = width, bidirectional

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        y, _ = self.layers(x, None, lengths)
        return y  # type: ignore[no-any-return]

    def read(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Any]:
        y, states = self.layers(x, None, lengths)
        end = last(y, lengths)
        if self.both_ways:  # the reader from the right has read all when it stands at the first token
            half = self.output_size // 2
            end = torch.cat([end[:, :half], y[:, 0, half:]], dim=-1)
        return y, end, states

    def step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        return self.layers(x, state)  # type: ignore[no-any-return]

    def symbols(self, length: int) -> Symbols:
        return {"layers": [sequence_part(layer) for layer in self.layers.stack()]}


def reader(cell: Cell, width: int, size: int, bidirectional: bool) -> Recurrent[Any]:
    return Bidirectional(cell(width, size), cell(width, size)) if bidirectional else cell(width, size)


def recurrent_encoder(cell: Architecture, config: ModelConfig, width: int, causal: bool) -> Encoder:
    """Layers of any cell that is registered."""
    if causal and config.bidirectional:
        raise ConfigError(
            "settings",
            [("model.bidirectional", "a bidirectional model sees the words it should predict", "set it to false")],
        )
    assert cell.make is not None
    rate = {"weight_dropout": config.inner_dropout} if "inner_dropout" in cell.reads else {}
    return RecurrentEncoder(partial(cell.make, **rate), width, config.widths, config.bidirectional, config.dropout)


DROPPED = ["inner_dropout"]
"""Of the weights between states."""

architecture("rnn", "a simple recurrent network", kind="cell", reads=DROPPED)(SimpleRNN)
architecture("gru", "gated recurrent units", kind="cell", reads=DROPPED)(GRUResetAfter)
architecture("gru-reset-before", "gated recurrent units, reset before the product", kind="cell", reads=DROPPED)(GRU)
architecture("lstm", "long short-term memory", kind="cell", reads=DROPPED)(LSTM)
architecture("concat-rnn", "a simple RNN with one matrix for state and input", kind="cell")(ConcatRNN)
architecture("linear-rnn", "a simple RNN without tanh: it vanishes or explodes", kind="cell", reads=DROPPED)(LinearRNN)
architecture("self-attentive-rnn", "an RNN that attends to its states", kind="cell", decodes=False)(SelfAttentiveRNN)
