"""metrics.jsonl: one line for every logged step; samples.jsonl: what the model said at every evaluation.

Both are the same to the last digit however often the run was stopped.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seqloom.storage import is_pack, open_files, replace_file
from seqloom.storage.mapped_file import read_file
from seqloom.training.tensorboard import TensorBoardWriter

FILE, SAMPLES = "metrics.jsonl", "samples.jsonl"
FILE_BYTES, MOST_STEPS = 1 << 30, 10**15
"""Of a file, and of a run, at most."""
HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""What may be half a character, which could be neither shown nor sent."""


class MetricsLog:
    """Appends lines; on resume it first cuts the files back to the step of the checkpoint."""

    def __init__(self, run: Path, step: int, *, tensorboard: bool = False) -> None:
        self.run = run
        for file in (run / FILE, run / SAMPLES):
            kept = [line for line in whole_lines(file) if 0 <= step_of(line) <= step]
            if kept or file.name == FILE or file.exists():
                replace_file(file, "".join(f"{line}\n" for line in kept).encode())
        self.stream = (run / FILE).open("a", encoding="utf-8")
        self.tensorboard = TensorBoardWriter(run, step) if tensorboard else None

    def sample(self, step: int, text: str) -> str:
        """Keep what the model said at an evaluation, and return it; of a task that says nothing there is no file."""
        if text:
            with (self.run / SAMPLES).open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"step": step, "sample": text}, ensure_ascii=False) + "\n")
        return text

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


def whole_lines(file: Path, most: int = FILE_BYTES) -> list[str]:
    """The whole lines of a file that may be written to, or was when it crashed: the last one may be half a line."""
    text = (read_file(file, most) or b"").decode("utf-8", "replace")
    return [line for line in text[: text.rfind("\n") + 1].split("\n") if line]


def parsed_line(line: str) -> dict[str, Any] | None:
    """The object of a line with a step; None for what a run does not write, which a stranger or a crash may have."""
    try:
        found = json.loads(line)
        if HALF.search(line):
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    step = found.get("step") if isinstance(found, dict) else None
    return found if type(step) is int and 0 <= step <= MOST_STEPS else None


def step_of(line: str) -> int:
    """The step of a line; -1 for one that is no line of ours."""
    found = parsed_line(line)
    return int(found["step"]) if found else -1


def best_line(lines: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The line of the validation that decided which weights were kept: the best, without any the last line."""
    measured = [line for line in lines if any(name.startswith("valid_") for name in line)]
    return next((line for line in reversed(measured) if line.get("best")), (measured or [*lines] or [{}])[-1])


def has_metrics(run: Path) -> bool:
    """Whether there are metrics with a run, or with what was packed of it."""
    return FILE in open_files(run) if is_pack(run) else (run / FILE).is_file() and not (run / FILE).is_symlink()


def metrics_text(run: Path) -> bytes:
    """The whole file of a run, or of what was packed of it."""
    return bytes(open_files(run).map(FILE)) if is_pack(run) else read_file(run / FILE, FILE_BYTES) or b""


def read_metrics(run: Path) -> list[dict[str, Any]]:
    """Every line of a run."""
    lines = metrics_text(run).decode("utf-8", "replace").split("\n")
    return [found for line in lines if (found := parsed_line(line)) is not None]
