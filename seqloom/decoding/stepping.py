"""All that decoding knows of a model: it takes one token for each of several rows, and scores the next ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from torch import Tensor


@dataclass(frozen=True)
class Step:
    """What a model says after one more token in every row."""

    scores: Tensor  # (R, V) unnormalised
    state: Any  # all it needs to go on; see `select`
    attention: Sequence[Tensor] = ()  # for each layer (R, N, S), if the state was made to hand it out


class Stepper(Protocol):
    """A model in the middle of writing. Rows are independent: what one says never depends on its neighbours."""

    def step(self, tokens: Tensor, state: Any) -> Step:
        """tokens (R): the newest of each row."""
        ...

    def select(self, state: Any, rows: Tensor) -> Any:
        """The state of these rows (a row may come more than once, or not at all), in this order."""
        ...
