"""A whole configuration: a task with its settings, and how it is trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seqloom.config import check, gather
from seqloom.data.embedded import find_embedded, is_embedded
from seqloom.errors import ConfigError, UnknownName
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.generate.settings import GenerateConfig
from seqloom.tasks.settings import TaskConfig
from seqloom.tasks.tag.settings import TagConfig
from seqloom.tasks.translate.settings import TranslateConfig
from seqloom.training.initial_weights import StartConfig
from seqloom.training.settings import TrainConfig


class RunConfig(TaskConfig):
    """Everything that decides a run."""

    train: TrainConfig = TrainConfig()
    """How it is trained."""
    start: StartConfig = StartConfig()
    """Where the weights begin."""


class ClassifyRun(ClassifyConfig, RunConfig):
    """Everything that decides a run of a classifier."""


class GenerateRun(GenerateConfig, RunConfig):
    """Everything that decides a run of a language model."""


class TagRun(TagConfig, RunConfig):
    """Everything that decides a run of a tagger."""


class TranslateRun(TranslateConfig, RunConfig):
    """Everything that decides a run of a translator."""


RUNS: dict[str, type[RunConfig]] = {
    "classify": ClassifyRun,
    "generate": GenerateRun,
    "tag": TagRun,
    "translate": TranslateRun,
}


def load_run(file: Path | str | None = None, changes: Sequence[str] = (), **flags: Any) -> RunConfig:
    """The settings of a run from a file, changes and flags (see `config.load`); the task decides which there are."""
    values = gather(file, changes, **flags)
    return check_run(values, where=str(file) if file is not None else "settings")


def check_run(values: Mapping[str, Any], *, where: str) -> RunConfig:
    """Settings that were read, held to what the task knows."""
    task = values.get("task") or task_of_data(values.get("data"))
    if task is None:
        raise ConfigError(where, [("task", "is missing", f"say what the model does: {', '.join(RUNS)}")])
    if task not in RUNS:
        raise UnknownName("task", str(task), RUNS, remedy=f"there are: {', '.join(RUNS)}")
    return check(RUNS[task], {**values, "task": task}, where=where)


def task_of_data(section: Any) -> str | None:
    """Embedded data says what it is for."""
    where = section.get("train") if isinstance(section, dict) else None
    return find_embedded(str(where))[0].task if is_embedded(where) else None
