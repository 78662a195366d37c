"""The learning rate by step: a climb from zero, then one of four ways down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from seqloom.training.settings import TrainConfig


@dataclass
class Schedule:
    """The rate at each step; `plateau_factor` is what a plateau has taken so far, and part of a checkpoint."""

    config: TrainConfig
    plateau_factor: float = 1.0
    revisions: Sequence[tuple[int, int]] = ()
    """Where the number of steps was changed while training: from which step on there are how many in total."""

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
        return config.learning_rate * self.decay(step, max(warmup, 1))

    def decay(self, step: int, warmup: int) -> float:
        """What the rate after the warmup is multiplied by."""
        config = self.config
        match config.schedule:
            case "inverse-sqrt":
                return math.sqrt(warmup / step)
            case "cosine":
                return 0.5 * (1 + math.cos(math.pi * self.decay_progress(step, warmup)))
            case "plateau":
                return self.plateau_factor
        return 1.0

    def decay_progress(self, step: int, warmup: int) -> float:
        """How much of the way down is behind: from 0 to 1, without a jump where the number of steps was changed.

        >>> plan = Schedule(TrainConfig(steps=100, warmup_steps=0), revisions=[(50, 60)])
        >>> [plan.decay_progress(step, 0) for step in (25, 50, 55, 60)]
        [0.25, 0.5, 0.75, 1.0]
        """
        behind, start, end = 0.0, warmup, self.config.steps
        for at, total in self.revisions:
            if start < at < step:
                behind += (1 - behind) * (at - start) / max(end - start, 1)
                start, end = at, total
        return min(behind + (1 - behind) * (step - start) / max(end - start, 1), 1.0)

    def on_plateau(self) -> None:
        """An evaluation that was no better than the best so far: on a plateau the rate is halved."""
        self.plateau_factor *= 0.5
