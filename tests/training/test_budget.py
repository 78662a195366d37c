"""A budget of time becomes a number of steps, once."""

import json
import time

import pytest
import torch

from seqloom.errors import ConfigError, SeqloomError, TrainingError
from seqloom.training import budget, checkpoint
from seqloom.training.budget import Costs, make_plan, measure
from seqloom.training.durations import parse_duration
from seqloom.training.loop import Trainer
from seqloom.training.metrics import read_metrics
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from seqloom.training.settings import TrainConfig
from tests.training import toy
from tests.training.reviews import write_reviews


@pytest.mark.parametrize("text", ["45", "1x", "h", "0s", "1h 5x", "-3m", "10m1h"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match=text):
        parse_duration(text)


def test_a_bad_budget_is_told_with_the_way_to_write_it():
    with pytest.raises(ConfigError, match=r"train\.budget: 'an hour' is not a duration\n.*45m, 1h30m or 3600s"):
        load_run(None, ["train.budget=an hour"], task="classify")


def by_hand(steps: int, costs: Costs, config: TrainConfig) -> float:
    """What `make_plan` foresees, counted step by step."""
    total = costs.checkpoint  # the model at the end
    for step in range(1, steps + 1):
        looks = step % config.evaluate_every == 0 or step == steps
        total += costs.step + looks * costs.evaluation
        total += (looks or step % config.checkpoint_every == 0) * costs.checkpoint
    return total


@pytest.mark.parametrize("every, save_every", [(7, 5), (6, 4), (10, 1000), (1000, 3)])
def test_the_plan_is_the_most_steps_that_fit(every, save_every):
    config = TrainConfig(budget="60s", evaluate_every=every, checkpoint_every=save_every, warmup_steps=3)
    costs = Costs(step=0.31, evaluation=1.7, checkpoint=0.23)
    plan = make_plan(config, costs, used=11)
    assert by_hand(plan.steps, costs, config) <= 49
    assert by_hand(plan.steps + 2, costs, config) > 49  # one more may be the one that was evaluated anyway
    assert plan.warmup_steps == 3


def test_a_warm_up_that_is_too_long_becomes_a_tenth():
    config = TrainConfig(budget="10s", evaluate_every=1000, warmup_steps=5000)
    assert make_plan(config, Costs(0.1, 0.0, 0.0), used=0).warmup_steps == 10


def test_a_budget_for_nothing_is_told():
    with pytest.raises(TrainingError, match=r"train.budget=5s is too short: 0:03 went by .* a step takes 1.5 s"):
        make_plan(TrainConfig(budget="5s"), Costs(1.5, 1.0, 0.0), used=3)


def test_trial_steps_leave_no_trace(tmp_path):
    trainer = toy.make(tmp_path / "trial", budget="1s")
    twin = toy.make(tmp_path / "twin")
    costs = measure(trainer)
    assert min(costs.step, costs.evaluation, costs.checkpoint) > 0
    assert trainer.trainable.stream.position() == twin.trainable.stream.position()


QUICK = [
    "model.embedding=8", "model.widths=[6]", "train.batch_tokens=200", "train.warmup_steps=500", "train.log_every=1",
    "train.evaluate_every=10", "train.checkpoint_every=4",
]  # fmt: skip


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setattr(budget, "measure", lambda trial: told(measure(trial)))
    data = str(write_reviews(tmp_path / "reviews.tsv", count=80))
    return load_run(None, [*QUICK, "train.schedule=cosine"], task="classify", data__train=data, train__budget="1000s")


def told(costs: Costs) -> Costs:
    """As if a step took half a minute: the trial has run, its clock is not asked."""
    assert costs.step > 0
    return Costs(30.0, 1.0, 0.1)


class Killed(Exception):
    pass


def test_a_run_goes_on_with_the_plan_it_was_begun_with(config, tmp_path, monkeypatch):
    monkeypatch.setattr(budget, "LONGEST", 0.1)
    done = train(config, tmp_path / "whole", quiet=True)
    assert 30 <= done.step <= 33, "1,000 seconds at 30 a step, less the start"
    plan = json.loads((tmp_path / "whole" / "plan.json").read_text())
    assert (plan["steps"], plan["warmup_steps"], plan["budget"]) == (done.step, 3, "1000s")
    seed_step = Trainer.seed_step

    def killed(trainer: Trainer[object]) -> None:
        if trainer.progress.step == 18 and trainer.run == tmp_path / "killed":
            raise Killed
        seed_step(trainer)

    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "plan.json").write_text(json.dumps(plan))  # the clock might have said one step more
    monkeypatch.setattr(Trainer, "seed_step", killed)
    with pytest.raises(Killed):
        train(config, tmp_path / "killed", resume=True, quiet=True)
    monkeypatch.setattr(Trainer, "seed_step", seed_step)
    monkeypatch.setattr(budget, "measure", None)  # it is not planned again
    train(config, tmp_path / "killed", resume=True, quiet=True)
    assert read_metrics(tmp_path / "whole") == read_metrics(tmp_path / "killed")
    files = [tmp_path / name / "model.safetensors" for name in ("whole", "killed")]
    assert files[0].read_bytes() == files[1].read_bytes()
    other = config.model_copy(update={"train": config.train.model_copy(update={"budget": "2h"})})
    with pytest.raises(ConfigError, match=r"the run is planned for 1000s\n.*go on with budget 1000s"):
        train(other, tmp_path / "killed", resume=True, quiet=True)


def test_the_trial_does_not_change_the_run(config, tmp_path, monkeypatch):
    monkeypatch.setattr(budget, "LONGEST", 0.1)
    done = train(config, tmp_path / "planned", quiet=True)
    same = {"budget": "", "steps": done.step, "warmup_steps": 3}
    plain = config.model_copy(update={"train": config.train.model_copy(update=same)})
    train(plain, tmp_path / "plain", quiet=True)
    assert read_metrics(tmp_path / "planned") == read_metrics(tmp_path / "plain")


def test_a_run_that_has_become_slow_stops_with_a_checkpoint_and_can_go_on(tmp_path):
    toy.go(tmp_path / "whole")
    (tmp_path / "late").mkdir()
    trainer = toy.make(tmp_path / "late")
    progress = trainer.train(quiet=True, until=time.monotonic() - 1)
    assert progress.finished == "out of time after 3 of 40 steps", "it looks at the clock in steps that are logged"
    assert [folder.name for folder in checkpoint.folders(tmp_path / "late")] == ["step-00000003"]
    toy.go(tmp_path / "late")
    assert read_metrics(tmp_path / "whole") == read_metrics(tmp_path / "late")
    weights = [toy.go(tmp_path / name).model.state_dict() for name in ("whole", "late")]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_steps_and_budget_are_not_both_given(tmp_path):
    from seqloom.cli.train import train as command

    with pytest.raises(SeqloomError, match="--steps and --budget cannot be combined"):
        command(steps=3, budget="1h", out=tmp_path)
