"""A budget holds on a machine that becomes slower or faster, and a run that was stopped finds what was decided."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from seqloom.training import checkpoint
from seqloom.training.budget import TimePlan
from seqloom.training.budget_replanning import BudgetReplanner
from seqloom.training.loop import Trainer
from seqloom.training.metrics import read_metrics
from tests.training import toy


class Clock:
    """Each look at it takes no time; steps do."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def paced(clock: Clock, folder: Path, seconds_of_step: Callable[[int], float]) -> int:
    """How many steps are trained, if each takes as long as is said."""
    replanner = BudgetReplanner(folder, TimePlan("100s", 100, 0, 1.0), clock)
    step = 0
    while step < replanner.steps_at(step):
        step += 1
        clock.now += seconds_of_step(step)
        if step < replanner.steps_at(step) and replanner.is_due(step):
            replanner.decide(step, clock.now)
    return step


@pytest.mark.parametrize(
    "seconds_of_step",
    [
        lambda step: 1.0,
        lambda step: 4.0,
        lambda step: 0.3,
        lambda step: 1.0 if step < 30 else 3.0,
        lambda step: 3.0 if step < 10 else 0.5,
    ],
    ids=["as planned", "slower", "faster", "becomes slow", "becomes free"],
)
def test_the_budget_holds(tmp_path, seconds_of_step):
    clock = Clock()
    paced(clock, tmp_path, seconds_of_step)
    assert 93 <= clock.now <= 106


def test_as_planned_nothing_is_decided(tmp_path):
    assert paced(Clock(), tmp_path, lambda step: 1.0) == 100
    assert not (tmp_path / "plan.json").exists()


def test_what_was_decided_is_found_again_and_not_decided_twice(tmp_path):
    clock = Clock()
    steps = paced(clock, tmp_path, lambda step: 4.0)
    plan = TimePlan(**json.loads((tmp_path / "plan.json").read_text()))
    replanner = BudgetReplanner(tmp_path, plan, clock)
    clock.now += 1e6
    assert not replanner.is_due(1)
    assert replanner.steps_at(10**6) == steps
    assert replanner.steps_at(0) == 100


def go(folder: Path, revisions: list[tuple[int, int]], stop: int | None = None) -> Trainer[Any]:
    """A toy run whose plan was changed as said; it may be stopped, and goes on."""
    folder.mkdir(exist_ok=True)
    trainer = toy.make(folder, schedule="cosine", steps=40)
    trainer.follow(BudgetReplanner(folder, TimePlan("10h", 40, 0, 1.0, list(revisions))))
    saved, _ = checkpoint.newest(folder)
    if saved is not None:
        trainer.restore(saved)
    if stop is not None:
        original = trainer.after_step

        def after_step(metrics: Any, display: Any) -> None:
            original(metrics, display)
            if trainer.progress.step == stop:
                raise KeyError("killed")

        trainer.after_step = after_step  # type: ignore[method-assign]
    trainer.train(quiet=True)
    return trainer


def test_a_run_that_was_killed_ends_with_the_same_bits(tmp_path):
    revisions = [(6, 30), (14, 22)]
    whole = go(tmp_path / "whole", revisions)
    assert whole.progress.step == 22 and whole.progress.settings["steps"] == 22
    for stop in (5, 6, 7, 15):
        with pytest.raises(KeyError):
            go(tmp_path / f"killed-{stop}", revisions, stop)
        killed = go(tmp_path / f"killed-{stop}", revisions)
        assert read_metrics(tmp_path / "whole") == read_metrics(tmp_path / f"killed-{stop}")
        for name, weight in whole.model.state_dict().items():
            assert torch.equal(weight, killed.model.state_dict()[name])
    again = go(tmp_path / "whole", revisions)
    assert again.progress.step == 22, "it is finished, and stays so"
    rates = [line["rate"] for line in read_metrics(tmp_path / "whole")]
    assert rates[-1] < 0.02 * max(rates), "the schedule ends where training does"
