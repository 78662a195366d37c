"""Training for a time instead of a number of steps: the number is planned from the throughput measured here.

A run must compute the same numbers however often it was stopped, so what a clock decides is written down. A few trial
steps of a model of their own, one evaluation and one checkpoint are timed before the first step; the plan is written
into the run, and whoever goes on with it finds the same number of steps and so the same learning rates.
`budget_replanning.py` plans anew where the machine becomes slower or faster.
"""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from seqloom.errors import ConfigError, TrainingError
from seqloom.storage import read_json, replace_file
from seqloom.training.durations import format_duration, parse_duration
from seqloom.training.loop import Trainer
from seqloom.training.settings import TrainConfig

FILE = "plan.json"
UNTIMED, LEAST = 2, 4
"""Trial steps before the clock runs (the first ones are slow), and timed ones at least."""
SHARE, LONGEST = 0.02, 60.0
"""Trial steps go on for this share of the budget, and no longer than so many seconds."""
WARMUP = 10
"""The warm-up is one part of so many of the steps at most."""
LATEST = 1.25
"""A run that has become slow stops after so many times its budget."""


@dataclass(frozen=True)
class TimePlan:
    """How many steps fit into a budget, with the evaluations and checkpoints between them."""

    budget: str
    steps: int
    warmup_steps: int
    steps_per_second: float
    revisions: list[tuple[int, int]] = field(default_factory=list)
    """What was decided later: from which step on there are how many in total."""

    def __str__(self) -> str:
        return f"{self.budget}: {self.steps:,} steps at {self.steps_per_second:.2g} steps/s, evaluations included"

    def settings(self, config: TrainConfig) -> TrainConfig:
        """With so many steps, or the fewer ones that the epochs of the settings are."""
        return config.with_steps(min(self.steps, config.steps) if config.epochs else self.steps)


@dataclass(frozen=True)
class Costs:
    """Seconds that a step, an evaluation and a checkpoint take."""

    step: float
    evaluation: float
    checkpoint: float

    def of(self, steps: int, config: TrainConfig) -> float:
        """Seconds of so many steps, if every evaluation is the best so far and so writes a checkpoint."""
        every, save_every, before = config.evaluate_every, config.checkpoint_every, steps - 1
        evaluations = before // every + 1
        saves = evaluations + before // save_every - before // math.lcm(every, save_every)
        return (
            steps * self.step + evaluations * self.evaluation + (saves + 1) * self.checkpoint
        )  # and the model at the end


def make_plan(config: TrainConfig, costs: Costs, used: float) -> TimePlan:
    """The most steps that fit into what is left of the budget after `used` seconds."""
    left = parse_duration(config.budget) - used
    if costs.of(1, config) > left:
        raise TrainingError(
            f"train.budget={config.budget} is too short: {format_duration(used)} went by before the first step, "
            f"a step takes {costs.step:.2g} s, an evaluation {costs.evaluation:.2g} s",
            remedy="give it more time, or make the model or the validation data smaller",
        )
    steps, above = 1, 2
    while costs.of(above, config) <= left:
        steps, above = above, above * 2
    while above - steps > 1:
        middle = (steps + above) // 2
        steps, above = (middle, above) if costs.of(middle, config) <= left else (steps, middle)
    return TimePlan(config.budget, steps, min(config.warmup_steps, steps // WARMUP), steps / left)


def measure(trial: Trainer[Any], clock: Callable[[], float] = time.monotonic) -> Costs:
    """Time steps, an evaluation and a checkpoint of a trainer that is thrown away; the data is left where it was."""
    stream, group = trial.trainable.stream, trial.group
    position = stream.position()
    trained, batches = trial.wrapped(), iter(stream)
    for _ in range(UNTIMED):
        trial.step(trained, next(batches))
    longest = min(parse_duration(trial.config.budget) * SHARE, LONGEST)
    began, steps = clock(), 0
    while not group.broadcast(steps >= LEAST and clock() - began >= longest):
        trial.step(trained, next(batches))
        steps += 1
    stepped = clock()
    trial.evaluate()
    evaluated = clock()
    trial.write_checkpoint()
    saved = clock()
    stream.seek(position)
    return Costs((stepped - began) / steps, evaluated - stepped, saved - evaluated)


def planned(run: Path, config: TrainConfig, make: Callable[[Path], Trainer[Any]], began: float) -> TimePlan | None:
    """The plan of a run: as it was made, else made now; None without a budget.

    make   a trainer to time, for the folder given
    began  when the command did (time.monotonic): what it took so far is a part of the budget
    """
    file = run / FILE
    if not file.exists():
        if not config.budget:
            return None
        aside = run / ".trial"
        shutil.rmtree(aside, ignore_errors=True)
        trial = make(aside)
        costs = measure(trial)
        if trial.group.is_main:
            shutil.rmtree(aside, ignore_errors=True)
            plan = make_plan(config, costs, time.monotonic() - began)
            replace_file(file, json.dumps(asdict(plan), indent=1).encode())
        trial.group.barrier()
    plan = TimePlan(**read_json(file))
    if plan.budget != config.budget:
        raise ConfigError(
            str(run), [("train.budget", f"the run is planned for {plan.budget}", f"go on with budget {plan.budget}")]
        )
    return plan
