"""A run while it trains: it says where it is, and stops when it is asked to; not a bit of what it computes changes."""

import json

import pytest

from seqloom.training import live
from seqloom.training.callbacks import Callback
from seqloom.training.checkpoint import kept_steps
from seqloom.training.loading import load
from seqloom.training.metrics import SAMPLES
from seqloom.training.run import train
from tests.training.reviews import settings


class AskToStop(Callback):
    """Somebody who presses a button while a step is computed."""

    def __init__(self, step: int) -> None:
        self.step = step
        self.seen: live.LiveRun | None = None

    def on_step(self, state):
        self.seen = live.read_live(state.run) or self.seen
        if state.step == self.step:
            live.ask_to_stop(state.run)


@pytest.fixture(autouse=True)
def at_every_step(monkeypatch):
    monkeypatch.setattr(live, "SECONDS", 0.0)


def test_a_run_that_is_asked_to_stop_saves_and_goes_on_to_the_same_bits(reviews, tmp_path):
    train(settings(reviews), tmp_path / "whole", quiet=True)
    asking = AskToStop(23)
    stopped = train(settings(reviews), tmp_path / "cut", quiet=True, callbacks=[asking])
    assert stopped.finished == f"{live.STOPPED} after 24 steps"  # the step under way was done
    assert asking.seen is not None and (asking.seen.step, asking.seen.steps) == (24, 60)
    assert load(tmp_path / "cut")("a warm film").label in ("pos", "neg")  # a model is there meanwhile
    assert not [file for file in (tmp_path / "cut").iterdir() if file.name in (live.FILE, live.STOP)]
    (tmp_path / "cut" / live.STOP).touch()  # a wish from before it goes on does not count
    train(settings(reviews), tmp_path / "cut", resume=True, quiet=True)
    for name in ("model.safetensors", "metrics.jsonl"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_samples_are_kept_and_cut_back_when_a_run_goes_on(digits):
    lines = [json.loads(line) for line in (digits / SAMPLES).read_text().splitlines()]
    assert lines and all("→" in line["sample"] for line in lines)
    assert [line["step"] for line in lines] == sorted({line["step"] for line in lines})


def test_a_run_is_loaded_as_it_was_at_a_step(reviews, tmp_path):
    train(settings(reviews, "train.keep=9"), tmp_path / "run", quiet=True)
    assert kept_steps(tmp_path / "run") == [10, 20, 30, 40, 50, 60]
    early, late = (load(tmp_path / "run", step=step)("a warm film").scores for step in (10, 60))
    assert early != late
    with pytest.raises(Exception, match=r"no checkpoint of step 7: there are steps 10, 20, 30, 40, 50, 60"):
        load(tmp_path / "run", step=7)
