"""What an encoder is: vectors in, as many hidden states out."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from seqloom.equations import Equations, Part, equations
from seqloom.errors import SeqloomError
from seqloom.layers.base import Symbols
from seqloom.layers.bidirectional import recurrent_layer
from seqloom.layers.recurrent import last


@equations
def stacked_layers(X, *, layers=(recurrent_layer, recurrent_layer)):
    """Layers on top of each other, each over the whole sequence.

    Paper: A. Graves, A. Mohamed, G. Hinton, Speech recognition with deep recurrent neural networks,
    ICASSP 2013.

    X  (T, D)  the embeddings, one for each position
    """
    for layer in layers:
        X = layer(X)  # each layer reads the hidden states of the one below
    H = X  # the hidden states of the top layer
    return H


class Encoder(nn.Module):
    """Reads a sequence. A causal one sees only what came before, and can go on token by token with `step`."""

    definition: Equations[..., Any]
    output_size: int
    limit: int | None = None
    """The longest sequence that it can read; None for any."""

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """x (B, T, D), lengths (B) -> (B, T, H), zeros at padding."""
        raise NotImplementedError

    def read(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Any]:
        """As `forward`, and what it ends with: the last hidden state (B, H), and the states of its layers if any."""
        y = self(x, lengths)
        return y, last(y, lengths), None

    def step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        """The next tokens x (B, T, D) after a state, None at the start -> hidden states (B, T, H), new state."""
        words = x if state is None else torch.cat([state, x], dim=1)  # all again; most know a quicker way
        lengths = torch.full((words.shape[0],), words.shape[1], device=x.device)
        return self(words, lengths)[:, -x.shape[1] :], words

    def symbols(self, length: int) -> Symbols:
        """The trained weights under the letters of the definition, for sequences of so many positions."""
        return {}

    def part(self, length: int) -> Part:
        """What it computes for sequences of so many positions, with its weights."""
        if not hasattr(self, "definition"):
            what = f"{type(self).__name__} has no equations to show"
            raise SeqloomError(
                what, remedy="write an @equations function of what it computes: `definition` and `symbols`"
            )
        return Part(self.definition, self.symbols(length))
