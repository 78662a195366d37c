"""What a search varies: settings by name, each with its choices or its range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seqloom.config import describe, read_value, split_change
from seqloom.errors import ConfigError, suggestion
from seqloom.training.run_config import RunConfig

if TYPE_CHECKING:
    from optuna.trial import Trial

RANGE = re.compile(r"\s*(\S+?)\s*\.\.\s*(\S+?)\s*")
NUMBER = "[-+]?[0-9.]+(e[-+]?[0-9]+)?"
WIDE = 10
"""A range whose ends differ by more than this factor is drawn evenly by orders of magnitude."""


@dataclass(frozen=True)
class OneOf:
    """One of a few values."""

    values: tuple[Any, ...]

    def draw(self, trial: Trial, name: str) -> Any:
        return trial.suggest_categorical(name, self.values)

    def holds(self, value: Any) -> bool:
        return value in self.values

    def __str__(self) -> str:
        return ",".join(map(str, self.values))


@dataclass(frozen=True)
class Range:
    """A number between two."""

    low: float
    high: float

    def draw(self, trial: Trial, name: str) -> Any:
        log = self.low > 0 and self.high / self.low > WIDE
        if isinstance(self.low, int) and isinstance(self.high, int):
            return trial.suggest_int(name, self.low, self.high, log=log)
        return trial.suggest_float(name, self.low, self.high, log=log)

    def holds(self, value: Any) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


def default_space(config: RunConfig) -> dict[str, OneOf | Range]:
    """What is worth trying for any model: rate, batch, dropout, and label smoothing, around what it would be."""
    rate, batch = config.train.learning_rate, config.train.batch_tokens
    space: dict[str, OneOf | Range] = {
        "train.learning_rate": Range(rate / 4, rate * 4),
        "train.batch_tokens": OneOf((max(batch // 2, 1), batch, batch * 2)),
        "train.label_smoothing": OneOf((0.0, 0.1)),
    }
    if hasattr(getattr(config, "model", None), "dropout"):
        space["model.dropout"] = Range(0.0, 0.5)
    return space


def parse_space(vary: Sequence[str], config: RunConfig) -> dict[str, OneOf | Range]:
    """What a user wants to vary: model.name=lstm,cnn or train.learning_rate=0.0003..0.01.

    >>> parse_space(["train.seed=1,2", "model.name=lstm,cnn"], RunConfig(task="classify"))
    Traceback (most recent call last):
    seqloom.errors.ConfigError: --vary: 1 setting cannot be used
      model.name: no such setting
          -> `seqloom settings` lists them
    """
    known = [name for name, _, _ in describe(type(config))]
    found: dict[str, OneOf | Range] = {}
    mistakes = []
    for change in vary:
        path, text = split_change(change)
        name = ".".join(path)
        values = tuple(read_value(part.strip()) for part in text.split(",") if part.strip())
        ends = RANGE.fullmatch(text)
        if name not in known:
            hint = suggestion(name, known).strip() or "`seqloom settings` lists them"
            mistakes.append((name, "no such setting", hint))
        elif ends and all(re.fullmatch(NUMBER, end) for end in ends.groups()):
            low, high = (read_value(end) for end in ends.groups())
            if not low < high:
                mistakes.append((name, f"{text}: its end is not above its beginning", "write it like 0.1..0.5"))
            found[name] = Range(low, high)
        elif len(values) > 1:
            found[name] = OneOf(values)
        else:
            mistakes.append((name, f"{text!r} leaves nothing to try", "write it like lstm,cnn or 0.1..0.5"))
    if mistakes:
        raise ConfigError("--vary", mistakes)
    return found
