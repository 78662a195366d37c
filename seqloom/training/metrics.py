"""metrics.jsonl: one line for every logged step, the same to the last digit however often the run was stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seqloom.storage import is_pack, open_files, replace_file
from seqloom.training.tensorboard import TensorBoardWriter

FILE = "metrics.jsonl"


class MetricsLog:
    """Appends lines; on resume it first cuts the file back to the step of the checkpoint."""

    def __init__(self, run: Path, step: int, *, tensorboard: bool = False) -> None:
        self.file = run / FILE
        kept = [line for line in self._lines() if json.loads(line)["step"] <= step]
        replace_file(self.file, "".join(f"{line}\n" for line in kept).encode())
        self.stream = self.file.open("a", encoding="utf-8")
        self.tensorboard = TensorBoardWriter(run, step) if tensorboard else None

    def _lines(self) -> list[str]:
        """The whole lines of the file; a last one that was cut off by a crash is not whole."""
        if not self.file.exists():
            return []
        text = self.file.read_text(encoding="utf-8", errors="replace")
        return [line for line in text[: text.rfind("\n") + 1].split("\n") if line]

    def write(self, step: int, values: dict[str, Any], *, best: bool = False) -> None:
        """Add a line; `best` where the validation of this step is the best so far."""
        line = {"step": step, **values, **({"best": True} if best else {})}
        self.stream.write(json.dumps(line, ensure_ascii=False) + "\n")
        self.stream.flush()
        if self.tensorboard is not None:
            self.tensorboard.write(step, values)

    def settle(self) -> None:
        """Wait until every line is on the disk: before a checkpoint says that they are."""
        self.stream.flush()
        os.fsync(self.stream.fileno())
        if self.tensorboard is not None:
            self.tensorboard.settle()

    def close(self) -> None:
        self.stream.close()
        if self.tensorboard is not None:
            self.tensorboard.close()


def best_line(lines: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The line of the validation that decided which weights were kept: the best, without any the last line."""
    measured = [line for line in lines if any(name.startswith("valid_") for name in line)]
    return next((line for line in reversed(measured) if line.get("best")), (measured or [*lines] or [{}])[-1])


def has_metrics(run: Path) -> bool:
    """Whether there are metrics with a run, or with what was packed of it."""
    return FILE in open_files(run) if is_pack(run) else (run / FILE).is_file()


def metrics_text(run: Path) -> bytes:
    """The whole file of a run, or of what was packed of it."""
    return bytes(open_files(run).map(FILE)) if is_pack(run) else (run / FILE).read_bytes()


def read_metrics(run: Path) -> list[dict[str, Any]]:
    """Every line of a run."""
    return [json.loads(line) for line in metrics_text(run).decode().splitlines()]
