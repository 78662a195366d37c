"""A task in a model folder: written down once it has learned, and restored from what anyone may have written there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from seqloom.config import Config, check
from seqloom.errors import ConfigError, DamagedError, DataError, SeqloomError
from seqloom.models.references import no_code_from
from seqloom.models.user_architectures import NAMING, check_origin, origins
from seqloom.storage import ModelFiles, open_files, write_json
from seqloom.tasks.registry import find_task
from seqloom.tasks.task import Task
from seqloom.tokens.model_tokenizers import ENDING, tokenizers_in
from seqloom.training.run_config import RunConfig, check_run
from seqloom.training.trusted_runs import is_own, signature_of

CONFIG, WEIGHTS = "config.json", "model.safetensors"
SETUP = "setup"
"""The folder inside a run that holds what was fixed before the first step."""
UNFIT = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError, MemoryError)
"""What is raised where parts that are each in order do not fit together; a recursion too deep is among them."""


class SavedTask(Config):
    """What `config.json` of a model holds."""

    config: dict[str, Any]
    """The settings of the run."""
    facts: dict[str, Any]
    """What the task learned from its training data."""
    architectures: dict[str, dict[str, str]] = Field(default_factory=dict)
    """For each setting that names an architecture of another package, where that came from."""
    mark: str = ""
    """Of the user who trained it, on the files that its settings name: see `trusted_runs.py`."""

    @property
    def own(self) -> bool:
        """Whether the files that its settings name may be opened unasked."""
        return is_own(self.config, self.mark)


def save_task(folder: Path, task: Task[Any], *, own: bool = True) -> None:
    """Write tokenizers, settings and facts into a folder that gets a manifest; `own`: it was trained by this user."""
    for name, tokenizer in task.tokenizers.items():
        tokenizer.save(folder / f"{name}{ENDING}")
    write_config(folder, task.config.model_dump(mode="json"), task, own=own)


def write_config(folder: Path, settings: Mapping[str, Any], task: Task[Any], *, own: bool = True) -> None:
    saved = {"config": settings, "facts": task.facts, "mark": signature_of(settings) if own else ""}
    if found := origins(getattr(task.config, "model", None)):
        saved["architectures"] = found
    write_json(folder / CONFIG, saved)


def load_task(place: Path | ModelFiles) -> tuple[RunConfig, Task[Any]]:
    """The settings and the task of a model; what they name from outside is imported, but never from its own folder."""
    files = open_files(place) if isinstance(place, Path) else place
    with no_code_from(folder_of(files)):
        return read_task(files)


def folder_of(files: ModelFiles) -> Path:
    """The folder in which no code is run: that of the whole run."""
    return files.place.parent if files.place.name == SETUP else files.place


def read_saved(files: ModelFiles) -> SavedTask:
    """`config.json`, as far as it is the same for every task."""
    where = str(files.place / CONFIG)
    try:
        return check(SavedTask, files.json(CONFIG), where=where)
    except ConfigError as error:
        what = "is not what this version of seqloom writes"
        raise DamagedError(what, where=where, remedy="train it again") from error


def read_task(files: ModelFiles) -> tuple[RunConfig, Task[Any]]:
    saved = read_saved(files)
    name, where = str(saved.config.get("task")), str(files.place / CONFIG)
    try:
        task = find_task(name)
    except SeqloomError as error:
        what = f"{files.place} is a model for the task {name:.80}: {error.what}"
        raise SeqloomError(what, remedy=error.remedy) from error
    check_origins(files.place, saved)
    config = check_run(saved.config, where=where, saved=True)
    check(task.Learned, saved.facts, where=f"{where}, facts")
    try:
        return config, task(config, tokenizers_in(files), saved.facts)
    except UNFIT as error:
        raise does_not_fit(files, error) from error


def check_origins(place: Path, saved: SavedTask) -> None:
    """Say clearly if an architecture of another package is not there, or is not what it was."""
    model = saved.config.get("model")
    for setting, then in saved.architectures.items():
        name = model.get(setting) if isinstance(model, dict) else None
        if setting not in NAMING or not isinstance(name, str) or not {"reference", "sha256"} <= then.keys():
            what = f"says of model.{setting:.40} where it came from, and not what it is"
            raise DamagedError(what, where=str(place / CONFIG), remedy="train it again")
        check_origin(place, name, then)


def is_outside(task: Task[Any]) -> bool:
    """Whether code of another package makes its model."""
    return not type(task).__module__.startswith("seqloom.") or bool(origins(getattr(task.config, "model", None)))


def not_own(place: Path | str, otherwise: str) -> DataError:
    what = f"{place} was not trained by you on this machine, so the files that its settings name are not opened"
    return DataError(what, remedy=f"{otherwise}; if you trust it, pass --trust (in Python trust=True)")


def does_not_fit(files: ModelFiles, error: BaseException) -> DamagedError:
    reason = " ".join(str(error).split())[:200]
    what = f"{files.place} holds parts that do not make a model: {type(error).__name__}: {reason}"
    return DamagedError(what, remedy="copy the folder again, or ask whoever made it")
