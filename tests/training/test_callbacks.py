"""Callbacks see a run and may stop it; they never change what it computes."""

from pathlib import Path

import pytest
import torch

import seqloom
from seqloom.errors import ConfigError
from seqloom.training.callbacks import Callback, TrainingState
from seqloom.training.run import train
from tests.training.reviews import settings


class Recorder(Callback):
    """Notes every call, and draws numbers as a careless user would."""

    def __init__(self, stop_at: int = 0) -> None:
        self.calls: list[tuple[str, int]] = []
        self.metrics: list[dict[str, float]] = []
        self.stop_at, self.reason = stop_at, ""

    def on_step(self, state: TrainingState) -> None:
        self.calls.append(("step", state.step))
        torch.rand(3)
        state.model.eval()
        if state.step == self.stop_at:
            state.stop("seen enough")

    def on_validation(self, state: TrainingState) -> None:
        self.calls.append(("validation", state.step))
        self.metrics.append(dict(state.metrics))

    def on_end(self, state: TrainingState) -> None:
        self.calls.append(("end", state.step))
        self.reason = state.reason


def weights(run: Path) -> bytes:
    return (run / "model.safetensors").read_bytes()


def test_callbacks_see_every_step_and_change_nothing(reviews, tmp_path):
    config, seen = settings(reviews, model__name="gru"), Recorder()
    train(config, tmp_path / "plain", quiet=True)
    train(config, tmp_path / "watched", quiet=True, callbacks=[seen])
    assert weights(tmp_path / "plain") == weights(tmp_path / "watched")
    assert [step for name, step in seen.calls if name == "validation"] == [20, 40, 60]
    assert seen.calls[-1] == ("end", 60) and seen.reason == "all 60 steps are done"
    assert "accuracy" in seen.metrics[0]


def test_a_callback_stops_a_run_that_goes_on_exactly(reviews, tmp_path):
    config = settings(reviews, model__name="gru")
    train(config, tmp_path / "whole", quiet=True)
    result = train(config, tmp_path / "run", quiet=True, callbacks=[Recorder(stop_at=33)])
    assert (result.step, result.finished) == (33, "seen enough after 33 steps")
    assert seqloom.load(tmp_path / "run")("a lovely film").label in {"pos", "neg"}
    assert train(config, tmp_path / "run", quiet=True, resume=True).step == 60
    assert weights(tmp_path / "run") == weights(tmp_path / "whole")


def test_a_score_that_is_good_enough_ends_training(reviews, tmp_path):
    class GoodEnough:
        def on_validation(self, state: TrainingState) -> None:
            state.stop("good enough")

    config = settings(reviews, model__name="cnn")
    result = train(config, tmp_path / "run", quiet=True, callbacks=[GoodEnough()])  # type: ignore[list-item]
    assert (result.step, result.finished) == (20, "good enough after 20 steps")


@pytest.mark.parametrize("wrong", [Recorder, print, "on_step"])
def test_what_is_no_callback_is_refused(reviews, tmp_path, wrong):
    with pytest.raises(ConfigError, match="is not a callback"):
        train(settings(reviews), tmp_path / "run", quiet=True, callbacks=[wrong])
    assert not (tmp_path / "run").exists()
