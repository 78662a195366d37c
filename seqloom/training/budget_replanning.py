"""Keeping to a budget on a machine that becomes busy, or free: the number of steps is planned again while a run trains.

A clock decides, so each decision is written into the plan before it counts: a run that was stopped finds it there at
the same step, and computes the same numbers. Only steps after the last decision are decided anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from seqloom.storage import replace_file
from seqloom.training.budget import FILE, TimePlan
from seqloom.training.durations import parse_duration

LOOKS = 20
"""Times that the clock is looked at in a budget."""
WORTH = 0.05
"""Share of the steps that are left by which a new number must differ to be worth it."""


class BudgetReplanner:
    """The plan of a run with a budget, and what the clock says of it."""

    def __init__(self, run: Path, plan: TimePlan, clock: Callable[[], float] = time.monotonic) -> None:
        self.run, self.plan, self.clock = run, plan, clock
        self.budget = parse_duration(plan.budget)
        self.step, self.looked = 0, clock()

    def begin(self, step: int) -> None:
        """Training begins, or goes on, at a step."""
        self.step, self.looked = step, self.clock()

    def steps_at(self, step: int) -> int:
        """The steps in total, as decided up to a step."""
        return next((total for at, total in reversed(self.plan.revisions) if at <= step), self.plan.steps)

    def is_due(self, step: int) -> bool:
        """Whether it is time to look: after a part of the budget, and never where it was decided before."""
        decided = self.plan.revisions[-1][0] if self.plan.revisions else 0
        return step > decided and self.clock() - self.looked >= self.budget / LOOKS

    def decide(self, step: int, elapsed: float) -> None:
        """Plan anew after a step, `elapsed` seconds after the start, by the speed since the last look."""
        steps = self.steps_at(step)
        each = (self.clock() - self.looked) / max(step - self.step, 1)  # evaluations and checkpoints are in it
        fitting = step + max(int((self.budget - elapsed) / max(each, 1e-9)), 1)
        self.begin(step)
        if abs(fitting - steps) > WORTH * (steps - step):
            self.revise(step, fitting)

    def revise(self, step: int, steps: int) -> None:
        """Write down that from this step on there are so many in total."""
        self.plan.revisions.append((step, steps))
        replace_file(self.run / FILE, json.dumps(asdict(self.plan), indent=1).encode())
