"""The learning rate by step: a climb from zero, then one of four ways down."""

from __future__ import annotations

import math
from dataclasses import dataclass

from seqloom.training.settings import TrainConfig


@dataclass
class Schedule:
    """The rate at each step; `lowered` is what a plateau has taken so far, and part of a checkpoint."""

    config: TrainConfig
    lowered: float = 1.0

    def rate(self, step: int) -> float:
        """The learning rate of a step, counted from 1.

        >>> warm = Schedule(TrainConfig(steps=1000, warmup_steps=100, learning_rate=1.0))
        >>> warm.rate(50), warm.rate(100), warm.rate(400)
        (0.5, 1.0, 0.5)
        """
        config = self.config
        warmup = config.warmup_steps
        if step < warmup:
            return config.learning_rate * step / warmup
        return config.learning_rate * self.falling(step, max(warmup, 1))

    def falling(self, step: int, warmup: int) -> float:
        config = self.config
        match config.schedule:
            case "inverse-sqrt":
                return math.sqrt(warmup / step)
            case "cosine":
                done = (step - warmup) / max(config.steps - warmup, 1)
                return 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
            case "plateau":
                return self.lowered
        return 1.0

    def no_better(self) -> None:
        """An evaluation that was no better than the best so far: on a plateau the rate is halved."""
        self.lowered *= 0.5
