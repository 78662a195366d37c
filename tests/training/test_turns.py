"""Two processes that train in one folder: one after the other."""

import signal

from tests.training.reviews import QUICK
from tests.waits import eventually


def test_two_that_train_in_one_folder_take_turns(reviews, tmp_path, start):
    script = "from seqloom.cli import main; main()"
    command = [
        "train",
        "--task",
        "classify",
        "--data",
        reviews,
        "--model",
        "gru",
        "--out",
        tmp_path / "run",
        "--resume",
    ]
    changes = [part for change in [*QUICK, "train.steps=900"] for part in ("--set", change)]
    one = start(script, *command, *changes)
    eventually((tmp_path / "run" / "metrics.jsonl").exists, one)
    one.send_signal(signal.SIGSTOP)  # so that it does not end before the other begins
    two = start(script, *command, *changes)
    assert f"process {one.pid} trains in this folder; waiting for it" in two.stderr.readline()
    one.kill()
    one.communicate(timeout=200)
    told, _ = two.communicate(timeout=200)
    assert two.returncode == 0
    assert "all 900 steps are done" in told
    assert not (tmp_path / "run" / ".lock").exists()
