"""Kill a run again and again, and see that nothing is lost: five times in the tests, a hundred in `make soak`."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

from seqloom.training import checkpoint
from seqloom.training.metrics import read_metrics

TOY = [sys.executable, "-m", "tests.training.toy"]
ROOT = Path(__file__).parents[2]
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1"}


def run(folder: Path, *settings: str) -> None:
    """The toy task in a process of its own, to the end."""
    subprocess.run([*TOY, str(folder), *settings], cwd=ROOT, env=ONE_THREAD, check=True)


def run_through_kills(folder: Path, kills: int, *settings: str) -> int:
    """The same, killed at so many moments after a checkpoint has appeared; how often it really was."""
    chance = random.Random(kills)
    for kill in range(kills):
        newest = max(checkpoint.folders(folder), default=None)
        process = subprocess.Popen([*TOY, str(folder), *settings], cwd=ROOT, env=ONE_THREAD)
        while process.poll() is None and max(checkpoint.folders(folder), default=None) == newest:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.03))  # in the midst of a step, or of the next checkpoint
        process.send_signal(signal.SIGKILL)
        if process.wait(timeout=60) == 0:
            return kill
    run(folder, *settings)
    return kills


def same_run(one: Path, other: Path) -> bool:
    """Whether two runs ended with the same bits: every logged loss, and every weight."""
    first, second = final_weights(one), final_weights(other)
    equal = first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
    return equal and read_metrics(one) == read_metrics(other)


def final_weights(folder: Path) -> dict[str, torch.Tensor]:
    saved, reasons = checkpoint.newest(folder)
    assert saved is not None
    assert not reasons
    return saved.tensors["model"] | {f"average {name}": value for name, value in saved.tensors["average"].items()}


def main(kills: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        whole, killed = Path(place) / "whole", Path(place) / "killed"
        settings = ["steps=6000", "checkpoint_every=5", "log_every=10", "evaluate_every=500"]
        run(whole, *settings)
        done = run_through_kills(killed, kills, *settings)
        same = same_run(whole, killed)
    print(f"{done} kills: {'the same losses and weights to the last bit' if same else 'NOT the same'}")
    sys.exit(0 if same and done == kills else 1)


if __name__ == "__main__":
    main(int(sys.argv[1]))
