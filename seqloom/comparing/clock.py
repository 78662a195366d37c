"""When each step of a run was done: what its own log leaves out, so that a resumed run logs the same numbers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from seqloom.training.callbacks import Callback, TrainingState

EVERY = 10
"""Steps between two lines."""


class Clock(Callback):
    """Writes the seconds of training at every tenth step; a run that goes on goes on from the last line that counts."""

    def __init__(self, file: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.file, self.clock = file, clock
        self.began: float | None = None
        self.noted = 0

    def on_step(self, state: TrainingState) -> None:
        now = self.clock()
        if self.began is None:
            before = [line for line in read_times(self.file) if line["step"] < state.step]
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text("".join(f"{json.dumps(line)}\n" for line in before), encoding="utf-8")
            self.began = now - (before[-1]["seconds"] if before else 0.0)
        if state.step % EVERY == 0 or state.step == 1:
            self.note(state.step, now)

    def on_end(self, state: TrainingState) -> None:
        if self.began is not None and state.step > self.noted:
            self.note(state.step, self.clock())

    def note(self, step: int, now: float) -> None:
        self.noted = step
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"step": step, "seconds": round(now - (self.began or now), 3)}) + "\n")


def read_times(file: Path) -> list[dict[str, Any]]:
    """The lines that are whole; none of a run that was trained elsewhere."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def seconds_per_step(times: list[dict[str, Any]]) -> float | None:
    """The median, so that evaluations and checkpoints between steps do not count."""
    each = [(b["seconds"] - a["seconds"]) / (b["step"] - a["step"]) for a, b in pairwise(times)]
    return median(each) if each else None


def seconds_at(times: list[dict[str, Any]], step: int) -> float | None:
    """When a step was done, between the two lines around it."""
    for before, after in pairwise(times):
        if before["step"] <= step <= after["step"]:
            part = (step - before["step"]) / (after["step"] - before["step"])
            return float(before["seconds"] + part * (after["seconds"] - before["seconds"]))
    return None
