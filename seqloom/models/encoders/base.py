"""What an encoder is: words in, as many rows out; and the table of encoders by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from torch import Tensor, nn

from seqloom.errors import ConfigError, UnknownName
from seqloom.layers.recurrent import last
from seqloom.models.part import Part
from seqloom.models.settings import ModelConfig


class Encoder(nn.Module):
    """Reads a sequence. A causal one sees only what came before, and can go on word by word with `step`."""

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

    def parts(self, x: Tensor) -> list[Part]:
        """What it computes as equations, with its weights, when the words of one sentence are x (1, T, D).

        The last part makes the rows that `forward` gives, lower layers first.
        """
        return []


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
