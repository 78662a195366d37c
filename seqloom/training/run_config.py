"""A whole configuration: a task with its settings, and how it is trained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Self, cast

from pydantic import create_model, model_validator

from seqloom.config import check, gather, problem
from seqloom.data.embedded import find_embedded, is_embedded
from seqloom.errors import ConfigError
from seqloom.storage import open_files
from seqloom.tasks.registry import TASKS, find_task, task_names, task_reference
from seqloom.tasks.settings import TaskConfig
from seqloom.tasks.task import Task
from seqloom.training.initial_weights import StartConfig
from seqloom.training.settings import TrainConfig
from seqloom.training.teacher_settings import TeacherConfig, with_settings_of_teacher

OF_A_RUN = ("data", "train", "start", "teacher")
"""Sections that say nothing of the model."""


class RunConfig(TaskConfig):
    """All settings of a run."""

    train: TrainConfig = TrainConfig()
    """How it is trained."""
    start: StartConfig = StartConfig()
    """Initial weights."""
    teacher: TeacherConfig = TeacherConfig()
    """Knowledge distillation from a trained model."""

    @model_validator(mode="after")
    def a_sharded_model_can_be(self) -> Self:
        if self.train.shard and self.task == "multitask":
            what = "a model with several heads is trained by one process"
            raise problem("train.shard", what, remedy="leave it out, and start it without torchrun")
        if self.train.shard and getattr(getattr(self, "model", None), "norm_kind", "") == "batch":
            what = 'the running means of model.norm_kind = "batch" are not shared by processes'
            raise problem("train.shard", what, remedy='leave it out, or set model.norm_kind = "layer"')
        return self


@cache
def run_config(task: type[Task[Any]]) -> type[RunConfig]:
    """The settings of a run of a task: those of the task, with the sections [train], [start] and [teacher]."""
    bases: Any = RunConfig if issubclass(RunConfig, task.Settings) else (task.Settings, RunConfig)
    return cast(type[RunConfig], create_model(f"{task.__name__}Run", __base__=bases, __doc__=RunConfig.__doc__))


class RunKinds(Mapping[str, type[RunConfig]]):
    """The settings of our own tasks, each made when it is asked for: to make all takes a sixth of a second."""

    def __getitem__(self, task: str) -> type[RunConfig]:
        return run_config(TASKS[task])

    def __iter__(self) -> Iterator[str]:
        return iter(TASKS)

    def __len__(self) -> int:
        return len(TASKS)


RUNS = RunKinds()
"""The settings of our own tasks, by name."""


def load_run(
    file: Path | str | None = None,
    changes: Sequence[str] = (),
    begun_with: Mapping[str, Any] | None = None,
    **flags: Any,
) -> RunConfig:
    """The settings of a run from a file, changes and flags (see `config.load`); the task decides which there are.

    begun_with  the settings of a run that goes on: what is not said is as it was
    """
    values = gather(file, changes, begun_with, **flags)
    return check_run(values, where=str(file) if file is not None else "settings", saved=begun_with is not None)


def with_settings_of_start(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Where all of a trained model is taken over (`start.keep=all`), so are its settings; given ones go first."""
    start = values.get("start")
    if not isinstance(start, Mapping) or start.get("keep") != "all" or not start.get("model"):
        return values
    place = Path(str(start["model"]))
    if not place.exists():
        return values  # which is reported later
    saved = open_files(place).json("config.json").get("config")
    if not isinstance(saved, dict) or values.get("task", saved.get("task")) != saved.get("task"):
        return values
    taken = {name: value for name, value in saved.items() if name not in OF_A_RUN}
    both = {
        name for name in taken.keys() & values.keys() if all(isinstance(one[name], Mapping) for one in (taken, values))
    }
    return {**taken, **values, **{name: {**taken[name], **values[name]} for name in both}}


def check_run(values: Mapping[str, Any], *, where: str, saved: bool = False) -> RunConfig:
    """Settings that were read, held to what the task knows."""
    if not saved:
        values = with_settings_of_teacher(with_settings_of_start(values))
    task = values.get("task") or task_of_data(values.get("data"))
    if task is None:
        raise ConfigError(where, [("task", "is missing", f"set the task: {', '.join(task_names())}")])
    found = find_task(str(task))
    return check(run_config(found), {**values, "task": task_reference(found)}, where=where, saved=saved)


def task_of_data(section: Any) -> str | None:
    """Embedded data says what it is for."""
    where = section.get("train") if isinstance(section, dict) else None
    return find_embedded(str(where))[0].task if is_embedded(where) else None
