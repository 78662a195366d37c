"""The lines of metrics.jsonl as curves in TensorBoard."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seqloom.extras import require

FOLDER = "tensorboard"


def check_tensorboard() -> None:
    """An error that says what to install, before anything was trained."""
    otherwise = "leave it out: metrics.jsonl has the same numbers"
    require("tensorboard", "tensorboard", "train.tensorboard=true", otherwise=otherwise)


class TensorBoardWriter:
    """Event files in the folder of a run; points behind the checkpoint that a run goes on from are taken back."""

    def __init__(self, run: Path, step: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        begun = (run / FOLDER).exists()
        self.writer = SummaryWriter(str(run / FOLDER), purge_step=step + 1 if begun else None)

    def write(self, step: int, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            self.writer.add_scalar(curve_of(name), value, step)

    def settle(self) -> None:
        self.writer.flush()

    def close(self) -> None:
        self.writer.close()


def curve_of(name: str) -> str:
    """A metric with the group that TensorBoard shows it in.

    >>> curve_of("loss"), curve_of("valid_loss")
    ('train/loss', 'valid/loss')
    """
    return f"valid/{name.removeprefix('valid_')}" if name.startswith("valid_") else f"train/{name}"
