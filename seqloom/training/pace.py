"""How fast a run goes, by the clock of this process; only the display wants to know."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

REMEMBERED = 50
"""Steps that the time of a step is a mean of."""


class Pace:
    """The time of steps, and the time of looks at validation data, apart from each other."""

    def __init__(self, steps: int, evaluate_every: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.steps, self.evaluate_every, self.clock = steps, evaluate_every, clock
        self.began = self.ended = clock()
        self.done = 0
        self.step_time, self.look_time = math.nan, 0.0
        self.looked = False
        self.lap_tokens, self.lap_time = 0, 0.0

    def begin(self) -> None:
        """A step begins: whatever was since the last one was no training."""
        self.began = self.clock()
        if self.looked:
            self.look_time, self.looked = self.began - self.ended, False

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

    def look(self) -> None:
        """After this step the run looks at validation data."""
        self.looked = True

    def lap(self) -> float:
        """Tokens a second, over the steps since this was asked last; without evaluations and checkpoints."""
        tokens, seconds = self.lap_tokens, self.lap_time
        self.lap_tokens, self.lap_time = 0, 0.0
        return tokens / max(seconds, 1e-9)

    def left(self, step: int) -> float:
        """Seconds to go: the steps and the looks that are still to come, each as long as the last ones."""
        looks = self.steps // self.evaluate_every - step // self.evaluate_every
        return self.step_time * (self.steps - step) + self.look_time * looks
