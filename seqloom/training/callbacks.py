"""Callbacks: a user's own code while a model trains, as `seqloom.train(..., callbacks=[...])`.

    class StopWhenGood(Callback):
        def on_validation(self, state):
            if state.metrics["accuracy"] > 0.95:
                state.stop("good enough")

They look on and may stop the run; nothing that they do decides what is computed, so a run that is resumed, with
callbacks or without, gives the same weights to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import nn

from seqloom.errors import ConfigError, quoted


@dataclass
class TrainingState:
    """What a callback is shown: where the run is. `stop` ends it after this step, with a checkpoint."""

    step: int
    """Optimizer steps done."""
    steps: int
    """Optimizer steps in total."""
    epoch: float
    """Passes over the training data, with fractions."""
    model: nn.Module
    """The module that is trained; to be looked at, not changed."""
    run: Path
    """The folder of the run."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """On validation data: those of this step, in `on_end` the last ones."""
    best: bool = False
    """Whether these are the best so far."""
    score: float = math.nan
    """What the best is chosen by, of the last validation; higher is better."""
    reason: str = ""
    """Why the run ends, in `on_end`."""

    def stop(self, reason: str = "a callback stopped it") -> None:
        """End the run after this step; it can go on later with `resume`."""
        self.reason = reason or "a callback stopped it"


class Callback:
    """Base class of callbacks: override the hooks you need."""

    def on_step(self, state: TrainingState) -> None:
        """Called after every step of the optimizer."""

    def on_validation(self, state: TrainingState) -> None:
        """Called after every evaluation on validation data."""

    def on_end(self, state: TrainingState) -> None:
        """Called once when training ends, unless it ends with an error."""


HOOKS = ("on_step", "on_validation", "on_end")


class CallbackList:
    """Calls each in turn; numbers drawn by a callback are not missed by the run."""

    def __init__(self, callbacks: Sequence[Callback]) -> None:
        if not isinstance(callbacks, Sequence):
            raise ConfigError("settings", [("callbacks", f"{quoted(callbacks)} is not a list", "put it into one")])
        for callback in callbacks:
            if isinstance(callback, type) or not any(hasattr(callback, hook) for hook in HOOKS):
                remedy = "give objects with on_step, on_validation or on_end, as of a subclass of seqloom.Callback"
                raise ConfigError("settings", [("callbacks", f"{quoted(callback)} is not a callback", remedy)])
        self.callbacks = list(callbacks)

    def __bool__(self) -> bool:
        return bool(self.callbacks)

    def call(self, hook: str, state: TrainingState) -> str:
        """Call a hook of all of them; returns why the run is to stop, if one asked for it."""
        random, training = torch.get_rng_state(), state.model.training
        try:
            for callback in self.callbacks:
                if hasattr(callback, hook):
                    getattr(callback, hook)(state)
        finally:
            torch.set_rng_state(random)
            state.model.train(training)
        return state.reason
