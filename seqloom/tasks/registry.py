"""The tasks: a folder here each, those of installed packages, and any other as `package.module:Name`.

A new task of ours is one new folder with a `task.py`; nothing lists it. A package names its own in its pyproject.toml:

    [project.entry-points."seqloom.tasks"]
    pairs = "mypackage.pairs:PairTask"
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import seqloom.tasks
from seqloom.errors import SeqloomError, UnknownName
from seqloom.models.references import imported, reference_of
from seqloom.tasks.task import Task

ENTRY_POINTS = "seqloom.tasks"


class OwnTasks(Mapping[str, type[Task[Any]]]):
    """Our own, by name: the folders here, each imported when its task is asked for."""

    def __init__(self) -> None:
        self.folders = [each.name for each in pkgutil.iter_modules(seqloom.tasks.__path__) if each.ispkg]

    def __getitem__(self, name: str) -> type[Task[Any]]:
        if name not in self.folders:
            raise KeyError(name)
        return in_module(f"seqloom.tasks.{name}.task")

    def __contains__(self, name: object) -> bool:
        return name in self.folders

    def __iter__(self) -> Iterator[str]:
        return iter(self.folders)

    def __len__(self) -> int:
        return len(self.folders)


@cache
def in_module(name: str) -> type[Task[Any]]:
    """The one task that a module defines."""
    (task,) = (
        thing
        for thing in vars(importlib.import_module(name)).values()
        if isinstance(thing, type) and issubclass(thing, Task) and thing.__module__ == name
    )
    return task


TASKS = OwnTasks()


def installed() -> dict[str, str]:
    """Where the tasks of installed packages are, by name."""
    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS) if point.name not in TASKS}


def task_names() -> list[str]:
    """All tasks that can be called by a name."""
    return [*TASKS, *installed()]


def known_tasks() -> list[type[Task[Any]]]:
    """All of them but those that cannot be imported."""
    found = list(TASKS.values())
    for reference in installed().values():
        with suppress(SeqloomError):
            found.append(find_task(reference))
    return found


def find_task(name: str) -> type[Task[Any]]:
    """A task by name, or as `package.module:Name`."""
    if name in TASKS:
        return TASKS[name]
    reference = installed().get(name, name)
    if ":" not in reference:
        known = task_names()
        raise UnknownName("task", name, known, remedy=f"there are: {', '.join(known)}; or say package.module:Name")
    task = imported(reference)
    if not (isinstance(task, type) and issubclass(task, Task)):
        raise SeqloomError(f"{reference} is not a task", remedy="make it a class that inherits from seqloom.Task")
    return task


def task_reference(task: type[Task[Any]]) -> str:
    """What settings call a task: the name of one of ours, `package.module:Name` of any other."""
    folder = task.__module__.removeprefix("seqloom.tasks.").removesuffix(".task")
    return folder if folder in TASKS and TASKS[folder] is task else reference_of(task)
