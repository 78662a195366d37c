"""What an encoder is: vectors in, as many hidden states out; and the table of encoders by name."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from torch import Tensor, nn

from seqloom.equations import Equations, Part, equations
from seqloom.errors import ConfigError, UnknownName
from seqloom.layers.base import Symbols
from seqloom.layers.bidirectional import recurrent_layer
from seqloom.layers.recurrent import last
from seqloom.models.settings import ModelConfig


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

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """x (B, T, D), lengths (B) -> (B, T, H), zeros at padding."""
        raise NotImplementedError

    def read(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Any]:
        """As `forward`, and what it ends with: the last row (B, H), and the states of its layers if it has any."""
        y = self(x, lengths)
        return y, last(y, lengths), None

    def step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        """The next words x (B, T, D) after a state, None at the start -> their rows (B, T, H) and the new state."""
        raise NotImplementedError

    def symbols(self, length: int) -> Symbols:
        """The trained weights under the letters of the definition, for sequences of so many positions."""
        return {}

    def part(self, length: int) -> Part:
        """What it computes for sequences of so many positions, with its weights."""
        return Part(self.definition, self.symbols(length))


Maker: TypeAlias = Callable[[ModelConfig, int, bool], Encoder]
"""Settings, width of a word, whether it must be causal -> an encoder."""

ENCODERS: dict[str, Maker] = {}


def architecture(name: str) -> Callable[[Maker], Maker]:
    """Put an encoder into the table; a user's own, in their own package, in the same way."""

    def register(make: Maker) -> Maker:
        ENCODERS[name] = make
        return make

    return register


def make_encoder(config: ModelConfig, width: int, *, causal: bool = False) -> Encoder:
    """The encoder that the settings name."""
    if config.name not in ENCODERS:
        raise UnknownName("architecture", config.name, ENCODERS, remedy=f"there are: {', '.join(ENCODERS)}")
    return ENCODERS[config.name](config, width, causal)


def cannot_be_causal(name: str) -> ConfigError:
    what = f"{name} sees the words to come, so it cannot write them"
    return ConfigError("settings", [("model.name", what, "use rnn, gru, lstm, cnn or transformer")])
