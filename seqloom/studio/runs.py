"""How models were trained, or are being trained now: learning curves, samples, how far and how fast a run is."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any

from seqloom.errors import SeqloomError
from seqloom.storage import is_pack, open_files, read_json
from seqloom.storage.mapped_file import map_file, read_file
from seqloom.storage.tensor_file import tensor_infos
from seqloom.training import checkpoint
from seqloom.training.live import STOP, LiveRun, read_live
from seqloom.training.metrics import FILE, SAMPLES, best_line, metrics_text, parsed_line, whole_lines
from seqloom.training.run_folder import LOCK
from seqloom.training.saved_task import CONFIG, SETUP, WEIGHTS

POINTS = 400
"""Points of a curve at most; of longer ones, evenly spaced."""
NO_CURVES = ("step", "epoch", "rate", "tokens", "seconds")
"""Entries of a line that are no metrics."""
FILE_BYTES = 64 << 20
"""Of metrics that are read; a longer file is that of no run of ours."""
SAMPLES_SHOWN, SAMPLE_CHARACTERS = 40, 400
"""Of a run: the first of its samples, the last, and between them evenly spaced ones."""
MOST_CURVES, NAME_CHARACTERS = 200, 100
"""Of a run, and of the name of a curve; a run of ours has a few dozen."""
LOCK_BYTES = 32
"""Of the number of a process."""
LARGEST = 1e15
"""A count: more is none."""


def run_data(folder: Path, *, samples: bool = True) -> dict[str, Any]:
    """Everything that is known of a run; of a folder that is not there yet, that it is waited for."""
    lines = metric_lines(folder)
    last, live = (lines[-1] if lines else {}), read_live(folder)
    saved, progress = settings_of(folder), last_progress(folder)
    steps = checkpoint.kept_steps(folder)
    planned = (
        [live.steps] if live else [count(inner(progress, "settings"), "steps"), count(inner(saved, "train"), "steps")]
    )
    total = next(filter(None, planned), 0)
    tokens = count(last, "tokens")
    step = live.step if live else max(count(last, "step"), count(progress, "step"))
    return {
        "task": str(saved.get("task", "")),
        "architecture": str(inner(saved, "model").get("name", "")),
        "status": status_of(folder, step, total),
        "stopping": os.path.lexists(folder / STOP),
        "step": step,
        "steps": total,
        "epoch": live.epoch if live else number(last, "epoch"),
        "tokens": tokens,
        "tokens_per_second": speed(tokens, count(last, "step"), live, progress),
        "seconds_left": (live.steps - live.step) / live.steps_per_second if live and live.steps_per_second else None,
        "parameters": parameters(folder, steps),
        "best_step": count(best_line(lines), "step") if any(line.get("best") for line in lines) else None,
        "checkpoints": steps,
        "curves": curves_of(lines),
        "samples": samples_of(folder) if samples else [],
    }


# --- what anyone may have written ---------------------------------------------------------------------


def number(found: Mapping[str, Any], name: str) -> float:
    """A number of a file; 0 for what is none."""
    value = found.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return value if -LARGEST <= value <= LARGEST else 0


def count(found: Mapping[str, Any], name: str) -> int:
    """A number that counts something."""
    return max(int(number(found, name)), 0)


def inner(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An object inside another; empty for what is none."""
    value = found.get(name)
    return value if isinstance(value, Mapping) else {}


# --- where it is --------------------------------------------------------------------------------------


def status_of(folder: Path, step: int, steps: int) -> str:
    """running, finished, stopped (it can go on), or waiting: nothing was trained yet."""
    if is_pack(folder):
        return "finished"
    if is_training(folder):
        return "running" if step or (folder / FILE).exists() else "waiting"
    if (folder / WEIGHTS).exists():
        return "stopped" if steps and step < steps and could_go_on(folder) else "finished"
    return "stopped" if step else "waiting"


def is_training(folder: Path) -> bool:
    """Whether a process of this machine holds the folder."""
    try:
        process = int(read_file(folder / LOCK, LOCK_BYTES) or b"0")
        if process <= 0:  # these would be groups of processes
            return False
        os.kill(process, 0)
    except (SeqloomError, OSError, ValueError, OverflowError):
        return False
    return True


def could_go_on(folder: Path) -> bool:
    """Whether the last checkpoint is that of a run which was ended before it was done: not out of patience."""
    return not last_progress(folder).get("finished")


def settings_of(folder: Path) -> Mapping[str, Any]:
    """The settings that a run began with, as they were written; none while there are none."""
    for place in (folder / SETUP, folder):
        try:
            found = open_files(place).json(CONFIG).get("config")
        except (SeqloomError, OSError):
            continue
        if isinstance(found, dict):
            return found
    return {}


def last_progress(folder: Path) -> dict[str, Any]:
    """Where the newest checkpoint was written."""
    for place in reversed(list(checkpoint.folders(folder))):
        try:
            found = read_json(place / "state.json").get("progress")
        except (SeqloomError, OSError):
            continue
        return found if isinstance(found, dict) else {}
    return {}


def speed(tokens: int, step: int, live: LiveRun | None, progress: Mapping[str, Any]) -> float | None:
    """Tokens a second: now, or on average with evaluations and all."""
    if live and live.steps_per_second and step:
        return live.steps_per_second * tokens / step
    seconds = number(progress, "seconds")
    return count(progress, "tokens") / seconds if seconds > 0 else None


def parameters(folder: Path, steps: list[int]) -> int | None:
    """How many weights are in its file, or in that of its newest checkpoint."""
    for place in (folder, *(checkpoint.folder_of(folder, step) for step in reversed(steps))):
        try:
            data = map_file(place / WEIGHTS)
            infos = tensor_infos(data, str(place)) if data is not None else {}
        except (SeqloomError, OSError):
            continue
        if infos:
            return sum(prod(info.shape) for info in infos.values())
    return None


# --- what it wrote down -----------------------------------------------------------------------------------


def metric_lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of metrics.jsonl that are whole; it may be written to just now."""
    if is_pack(folder):
        files = open_files(folder)
        return parsed(metrics_text(folder).decode("utf-8", "replace").splitlines()) if FILE in files else []
    return lines_of(folder / FILE)


def lines_of(file: Path) -> list[dict[str, Any]]:
    """The lines of a file of a run; of one that no run of ours has written, none."""
    try:
        return parsed(whole_lines(file, FILE_BYTES))
    except SeqloomError:
        return []


def parsed(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Lines with a step; what else may stand in a file of somebody else's is passed over."""
    return [entry for line in lines if (entry := parsed_line(line)) is not None]


def curves_of(lines: list[dict[str, Any]]) -> dict[str, dict[str, list[float]]]:
    """Steps and values by metric."""
    curves: dict[str, dict[str, list[float]]] = {}
    for line in lines:
        for name, value in line.items():
            if name in NO_CURVES or len(name) > NAME_CHARACTERS or not is_drawn(value):
                continue
            if name not in curves and len(curves) == MOST_CURVES:
                continue
            curve = curves.setdefault(name, {"steps": [], "values": []})
            curve["steps"].append(line["step"])
            curve["values"].append(value)
    return {name: thinned(curve) for name, curve in curves.items()}


def is_drawn(value: Any) -> bool:
    """Whether a value is a point of a curve: a number that a double can be."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def thinned(curve: dict[str, list[float]]) -> dict[str, list[float]]:
    """The same curve with few points, its last among them.

    >>> thinned({"steps": list(range(1000)), "values": [0.5] * 1000})["steps"][-1]
    999
    """
    stride = -(-len(curve["steps"]) // POINTS)
    return {name: numbers[::-1][::stride][::-1] for name, numbers in curve.items()}


def samples_of(folder: Path) -> list[dict[str, Any]]:
    """What the model said at its evaluations, the first and the last of it and some between."""
    if is_pack(folder):
        return []
    all_ = [line for line in lines_of(folder / SAMPLES) if isinstance(line.get("sample"), str)]
    shown = min(len(all_), SAMPLES_SHOWN)
    chosen = [all_[round(at * (len(all_) - 1) / max(shown - 1, 1))] for at in range(shown)]
    return [{"step": line["step"], "text": line["sample"][:SAMPLE_CHARACTERS]} for line in chosen]
