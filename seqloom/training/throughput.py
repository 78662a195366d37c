"""The throughput of a run and the time left, by the clock of this process; for the display only."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

REMEMBERED = 50
"""Steps that the time of a step is a mean of."""


class Throughput:
    """The time of steps and the time of evaluations, measured apart."""

    def __init__(self, steps: int, evaluate_every: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.steps, self.evaluate_every, self.clock = steps, evaluate_every, clock
        self.began = self.ended = clock()
        self.done = 0
        self.step_time, self.evaluation_time = math.nan, 0.0
        self.evaluating = False
        self.lap_tokens, self.lap_time = 0, 0.0

    def begin(self) -> None:
        """A step begins: whatever was since the last one was no training."""
        self.began = self.clock()
        if self.evaluating:
            self.evaluation_time, self.evaluating = self.began - self.ended, False

    def end(self, tokens: int) -> None:
        """It ends, with so many tokens."""
        self.ended = self.clock()
        took = self.ended - self.began
        self.done += 1
        self.step_time = (
            took if self.done == 1 else self.step_time + (took - self.step_time) / min(self.done, REMEMBERED)
        )
        self.lap_tokens += tokens
        self.lap_time += took

    def evaluation(self) -> None:
        """An evaluation follows this step."""
        self.evaluating = True

    def lap(self) -> float:
        """Tokens a second, over the steps since this was asked last; without evaluations and checkpoints."""
        tokens, seconds = self.lap_tokens, self.lap_time
        self.lap_tokens, self.lap_time = 0, 0.0
        return tokens / max(seconds, 1e-9)

    def left(self, step: int) -> float:
        """Seconds to go: the steps and the evaluations that are still to come, each as long as the last ones."""
        evaluations = self.steps // self.evaluate_every - step // self.evaluate_every
        return self.step_time * (self.steps - step) + self.evaluation_time * evaluations
