"""Checkpoints: everything a run needs to go on as if it had never stopped, and the newest sound one of several."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from seqloom.errors import DamagedError
from seqloom.storage import new_folder, open_files, write_json, write_tensors
from seqloom.training.shards import ShardedTensors, is_sharded

FOLDER = "checkpoints"
ENDING = ".safetensors"
PREDICTS = ("model", "average")
"""The kinds of tensors that a model predicts with."""
NUMBER = re.compile(r"[0-9]{8,15}")


@dataclass(frozen=True)
class Checkpoint:
    """A moment of a run: tensors by kind (model, optimizer, average), and everything else as JSON."""

    step: int
    tensors: Mapping[str, dict[str, Tensor]]
    state: dict[str, Any]

    @property
    def weights(self) -> dict[str, Tensor]:
        """What a model predicts with: the averaged weights where there are such."""
        return self.tensors["model"] | self.tensors.get("average", {})

    @property
    def progress(self) -> dict[str, Any]:
        return dict(self.state["progress"])


def folder_of(run: Path, step: int) -> Path:
    return run / FOLDER / f"step-{step:08d}"


def save(run: Path, checkpoint: Checkpoint) -> Path:
    """Write a checkpoint; it appears whole or not at all."""
    target = folder_of(run, checkpoint.step)
    shutil.rmtree(target, ignore_errors=True)  # a damaged one of the same step, that the run went back behind
    with new_folder(target) as folder:
        for kind, tensors in checkpoint.tensors.items():
            write_tensors(folder / f"{kind}{ENDING}", tensors)
        write_state(folder, checkpoint)
    return target


def write_state(folder: Path, checkpoint: Checkpoint) -> None:
    """Everything that is not a tensor."""
    write_json(folder / "state.json", {"step": checkpoint.step, **checkpoint.state})


def load(folder: Path, *, to_predict: bool = False) -> Checkpoint:
    """Read a checkpoint after checking every file of it; to predict, without what only training needs."""
    files = open_files(folder)
    tensors: Mapping[str, dict[str, Tensor]]
    if is_sharded(files):
        tensors = ShardedTensors(files)
    else:
        names = [name for name in files.names if name.endswith(ENDING)]
        if to_predict:
            names = [name for name in names if name.removesuffix(ENDING) in PREDICTS]
        kinds = {name.removesuffix(ENDING): files.tensors(name) for name in names}
        tensors = {kind: {name: tensor.clone() for name, tensor in found.items()} for kind, found in kinds.items()}
    state = files.json("state.json")
    step = state.pop("step", None)
    if not isinstance(step, int) or "model" not in tensors or not isinstance(state.get("progress"), dict):
        raise DamagedError(f"{folder} is not a checkpoint", remedy="remove it, and resume from an older one")
    return Checkpoint(step, tensors, state)


def size_to_predict(folder: Path) -> int:
    """Bytes of the tensors that a model predicts with."""
    files = open_files(folder)
    if is_sharded(files):
        return ShardedTensors(files).size(PREDICTS)
    return sum(files.size(f"{kind}{ENDING}") for kind in PREDICTS if f"{kind}{ENDING}" in files)


def newest(run: Path) -> tuple[Checkpoint | None, list[str]]:
    """The newest checkpoint that is sound, and what is wrong with those that are newer."""
    reasons: list[str] = []
    for folder in reversed(list(folders(run))):
        try:
            return load(folder), reasons
        except DamagedError as error:
            reasons.append(" ".join(filter(None, (error.where, error.what))))
    return None, reasons


def best(run: Path) -> Checkpoint | None:
    """The best checkpoint of a run as its newest one says, or that one; None where there is none."""
    last, _ = newest(run)
    step = last.progress.get("best_step") if last is not None else None
    if last is None or not isinstance(step, int):
        return last
    try:
        return load(folder_of(run, step))
    except DamagedError:
        return last


def folders(run: Path) -> Iterator[Path]:
    """The checkpoints of a run, oldest first."""
    yield from sorted((run / FOLDER).glob("step-*"))


def kept_steps(run: Path) -> list[int]:
    """The steps of the checkpoints that are there, oldest first."""
    names = [folder.name.removeprefix("step-") for folder in folders(run)]
    return sorted(int(name) for name in names if NUMBER.fullmatch(name))


def prune(run: Path, keep: int, best_step: int | None) -> None:
    """Remove all but the newest checkpoints and the best one."""
    spared = {folder_of(run, best_step)} if best_step is not None else set()
    for folder in list(folders(run))[:-keep]:
        if folder not in spared:
            shutil.rmtree(folder, ignore_errors=True)
