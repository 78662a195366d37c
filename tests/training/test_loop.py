"""The loop: nothing is lost, whatever happens."""

import json
import os
import signal
import subprocess
import sys

import pytest

from seqloom.errors import OutputError, TrainingError
from seqloom.training import checkpoint
from seqloom.training.metrics import read_metrics
from tests.training import toy
from tests.training.kills import ROOT, TOY, run, run_through_kills, same_run


def test_training_learns(tmp_path):
    trainer = toy.go(tmp_path / "run", steps=200, learning_rate=0.01, evaluate_every=100)
    assert trainer.progress.best is not None and trainer.progress.best > 0.9


def test_every_logged_step_has_a_line_with_step_and_loss(tmp_path):
    toy.go(tmp_path)
    lines = read_metrics(tmp_path)
    assert [line["step"] for line in lines] == sorted({*range(3, 41, 3), 10, 20, 30, 40})
    assert all(isinstance(line["loss"], float) for line in lines)


def test_a_checkpoint_keeps_the_keys_that_older_ones_have(tmp_path):
    trainer = toy.go(tmp_path, schedule="plateau", learning_rate=1e-30)
    assert (trainer.progress.evaluations_since_best, trainer.schedule.plateau_factor) == (3, 0.125)
    saved = json.loads((checkpoint.folder_of(tmp_path, 40) / "state.json").read_text())
    assert (saved["progress"]["no_better"], saved["lowered"]) == (3, 0.125)
    assert "evaluations_since_best" not in saved["progress"]
    again = toy.go(tmp_path, schedule="plateau", learning_rate=1e-30)
    assert (again.progress.evaluations_since_best, again.schedule.plateau_factor) == (3, 0.125)


def test_seeds_decide_everything(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        toy.go(tmp_path / name, seed=seed)
    assert same_run(tmp_path / "a", tmp_path / "b")
    assert not same_run(tmp_path / "a", tmp_path / "c")


def test_a_run_killed_at_any_moment_ends_as_one_that_never_was(tmp_path):
    """Five real kills, some while a checkpoint is being written; `make soak` does a hundred."""
    settings = ["steps=600", "checkpoint_every=5"]
    run(tmp_path / "whole", *settings)
    assert run_through_kills(tmp_path / "killed", 5, *settings) == 5, "the run was too short to be killed so often"
    assert same_run(tmp_path / "whole", tmp_path / "killed")


@pytest.mark.parametrize("harm", ["truncate", "flip", "remove", "manifest", "empty"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(tmp_path, harm):
    toy.go(tmp_path / "whole")
    toy.go(tmp_path / "harmed", keep=40)
    *_, last = checkpoint.folders(tmp_path / "harmed")
    file = last / ("manifest.json" if harm == "manifest" else "model.safetensors")
    data = file.read_bytes()
    match harm:
        case "truncate" | "manifest":
            file.write_bytes(data[: len(data) // 2])
        case "flip":
            file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        case "remove":
            file.unlink()
        case "empty":
            file.write_bytes(b"")
    saved, reasons = checkpoint.newest(tmp_path / "harmed")
    assert saved is not None and saved.step < 40
    assert len(reasons) == 1 and str(last) in reasons[0]
    toy.go(tmp_path / "harmed", keep=40)
    assert same_run(tmp_path / "whole", tmp_path / "harmed")


def test_a_half_written_checkpoint_is_not_seen(tmp_path):
    toy.go(tmp_path, steps=20)
    (tmp_path / "checkpoints" / ".step-00000099.part").mkdir()
    saved, reasons = checkpoint.newest(tmp_path)
    assert saved is not None and saved.step == 20
    assert reasons == []


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    toy.go(tmp_path, steps=14, checkpoint_every=7)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("safetensors.torch.save_file", full)
    trainer = toy.make(tmp_path, steps=28, checkpoint_every=7)
    saved, _ = checkpoint.newest(tmp_path)
    assert saved is not None
    trainer.restore(saved)
    trainer.progress.finished = ""
    with pytest.raises(OutputError, match="No space left on device"):
        trainer.train(quiet=True)
    again, reasons = checkpoint.newest(tmp_path)
    assert again is not None and again.step == 14 and reasons == []


def test_metrics_are_cut_back_to_the_checkpoint(tmp_path):
    toy.go(tmp_path / "whole")
    toy.go(tmp_path / "cut", steps=40)
    file = tmp_path / "cut" / "metrics.jsonl"
    for folder in list(checkpoint.folders(tmp_path / "cut"))[1:]:
        for part in folder.iterdir():
            part.unlink()
        folder.rmdir()
    file.write_text(file.read_text() + '{"step": 99, "loss": 1.0}\n{"step": 100, "lo', encoding="utf-8")
    toy.go(tmp_path / "cut", steps=40)
    assert same_run(tmp_path / "whole", tmp_path / "cut")


def test_a_loss_that_is_no_number_stops_the_run_and_keeps_the_checkpoint(tmp_path):
    toy.go(tmp_path, steps=14)
    trainer = toy.make(tmp_path, steps=28)
    saved, _ = checkpoint.newest(tmp_path)
    assert saved is not None
    trainer.restore(saved)
    trainer.progress.finished = ""
    trainer.trainable.stream.x[:] = float("nan")  # type: ignore[attr-defined]
    with pytest.raises(TrainingError, match=r"the loss is nan in step 15\n.*lower train.learning_rate"):
        trainer.train(quiet=True)
    assert max(checkpoint.folders(tmp_path)).name == "step-00000014"


def test_ctrl_c_saves_and_the_run_goes_on_from_there(tmp_path):
    toy.go(tmp_path / "whole")
    (tmp_path / "stopped").mkdir()
    trainer = toy.make(tmp_path / "stopped")
    steps = trainer.step

    def interrupt(*arguments: object) -> None:
        steps(*arguments)  # type: ignore[arg-type]
        if trainer.progress.step == 17:
            os.kill(os.getpid(), signal.SIGINT)

    trainer.step = interrupt  # type: ignore[method-assign, assignment]
    with pytest.raises(KeyboardInterrupt):
        trainer.train(quiet=True)
    assert max(checkpoint.folders(tmp_path / "stopped")).name == "step-00000017"
    toy.go(tmp_path / "stopped")
    assert same_run(tmp_path / "whole", tmp_path / "stopped")


def test_training_stops_early_when_nothing_gets_better(tmp_path):
    trainer = toy.go(tmp_path, steps=400, learning_rate=1e-9, patience=3)
    assert trainer.progress.step == 40
    assert trainer.progress.finished == "no better for 3 evaluations"


def test_the_best_checkpoint_is_kept(tmp_path):
    trainer = toy.go(tmp_path, steps=100, keep=1)
    kept = {folder.name for folder in checkpoint.folders(tmp_path)}
    assert kept == {f"step-{trainer.progress.best_step:08d}", "step-00000100"}


def test_accumulated_parts_give_the_loss_of_the_whole_batch(tmp_path):
    toy.go(tmp_path / "whole", dropout=0.0)
    toy.go(tmp_path / "parts", dropout=0.0, accumulate=5)
    for one, other in zip(read_metrics(tmp_path / "whole"), read_metrics(tmp_path / "parts"), strict=True):
        assert one["loss"] == pytest.approx(other["loss"], rel=1e-5)


def test_two_processes_give_the_loss_of_one(tmp_path):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    torchrun = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--nproc-per-node=2",
        "--standalone",
        "-m",
        "tests.training.toy",
    ]
    one, two = tmp_path / "one", tmp_path / "two"
    subprocess.run([*TOY, str(one), "dropout=0.0"], cwd=ROOT, env=environment, check=True, timeout=200)
    subprocess.run(
        [*torchrun, str(two), "dropout=0.0", "accumulate=2"],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        timeout=200,
    )
    for line, other in zip(read_metrics(one), read_metrics(two), strict=True):
        assert line["loss"] == pytest.approx(other["loss"], rel=1e-5)
    assert json.loads((two / "metrics.jsonl").read_text().splitlines()[0])["step"] == 3
