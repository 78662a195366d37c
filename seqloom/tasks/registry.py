"""The tasks by name. A new one is one new folder and one line here."""

from __future__ import annotations

from typing import Any

from seqloom.errors import UnknownName
from seqloom.tasks.classify.task import Classify
from seqloom.tasks.generate.task import Generate
from seqloom.tasks.tag.task import Tag
from seqloom.tasks.task import Task
from seqloom.tasks.translate.task import Translate

TASKS: dict[str, type[Task[Any]]] = {"classify": Classify, "generate": Generate, "tag": Tag, "translate": Translate}


def task_called(name: str) -> type[Task[Any]]:
    if name not in TASKS:
        raise UnknownName("task", name, TASKS, remedy=f"there are: {', '.join(TASKS)}")
    return TASKS[name]
