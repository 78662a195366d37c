"""Runs in two processes: RUN KILL-AT TASK DATA SETTING... [--resume], several with ; between them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from seqloom.training.distributed import init_processes
from seqloom.training.loop import Trainer
from seqloom.training.run import Run
from seqloom.training.run_config import load_run
from tests.training.kills import ROOT


def torchrun(folder: Path, *arguments: str, restarts: int = 0) -> None:
    """Train in two processes that torchrun starts: what `main` below is given."""
    environment = {**os.environ, "SEQLOOM_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "1"}
    call = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
        f"--max-restarts={restarts}", "--monitor-interval=0.1", "-m", "tests.training.together", *arguments,
    ]  # fmt: skip
    done = subprocess.run(call, cwd=ROOT, env=environment, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


def kill_once(run: Path, step: int) -> None:
    """The last process kills itself in the midst of a step, as the system would; not after it was started anew."""
    seed_step = Trainer.seed_step

    def killed(trainer: Trainer[Any]) -> None:
        first, last = os.environ["TORCHELASTIC_RESTART_COUNT"] == "0", dist.get_rank() == dist.get_world_size() - 1
        if first and last and trainer.progress.step == step:
            (run / "was-killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        seed_step(trainer)

    Trainer.seed_step = killed  # type: ignore[method-assign, assignment]


def main(arguments: list[str]) -> None:
    group = init_processes("cpu")
    for one, words in groupby(arguments, key=lambda word: word != ";"):
        if one:
            run, kill_at, task, data, *settings = words
            if int(kill_at):
                kill_once(Path(run), int(kill_at))
            config = load_run(None, [one for one in settings if one != "--resume"], task=task, data__train=data)
            Run(config, Path(run), group).train(resume="--resume" in settings, quiet=True)
    group.close()


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1:])
