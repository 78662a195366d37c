"""seqloom's own trainer, as `seqloom train` runs it: its batches, its loss, its step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from training_turns import Step, serve  # type: ignore[import-not-found]  # beside this file

from bench.training_jobs import JOBS, full_batches, opened
from seqloom.training.allocator import keep_freed_memory

KEEP = keep_freed_memory()


def start(asked: dict[str, Any]) -> tuple[dict[str, Any], Step]:
    torch.set_num_threads(asked["threads"])
    KEEP.__enter__()
    job = JOBS[asked["model"]]
    trainer, trainable = opened(job, Path(asked["data"]), asked["precision"], asked["threads"])
    batches = list(full_batches(job, trainable, len(asked["batches"])))
    progress = trainer.progress

    def step(number: int) -> float:
        progress.loss_sum = progress.loss_count = 0.0
        trainer.step(trainer.model, batches[number])
        return progress.loss_sum / progress.loss_count

    parameters = sum(weight.numel() for weight in trainer.model.parameters())
    return {"parameters": parameters, "versions": {"torch": torch.__version__}}, step


serve(start)
