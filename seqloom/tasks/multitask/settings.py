"""The settings of a model with several heads."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from seqloom.config import Config, check, problem
from seqloom.data.tagged_sets import TaggedData, TaggedSet
from seqloom.models.settings import ModelConfig
from seqloom.tasks.classify.settings import ClassifyConfig, ClassifyTokens
from seqloom.tasks.settings import TaskConfig
from seqloom.tasks.tag.settings import TagConfig

ALONE: dict[str, type[TaskConfig]] = {"classify": ClassifyConfig, "tag": TagConfig}
"""The settings of a task by itself: of those whose models are an encoder with a head."""
MOST_TASKS = 1_000
"""Each is a model to be checked and built, which a folder of somebody else's would have without end."""
LETTERS_OFF = {"tag": {"characters": 0}}
"""What of a task's own section is otherwise than by default: the encoder reads words alone, in every task."""


class TaskSet(TaggedSet):
    """One task with its data: a table [[data.sets]]."""

    tag: str = Field(pattern=r"^[^\s.]+$", max_length=100)
    """The name of the task, which also comes before its inputs; a word without spaces and full stops."""
    task: Literal["classify", "tag"]
    """The task that this set is for."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Settings of the task's own section, [classify] or [tag], e.g. { head = "crf" }."""


class MultitaskData(TaggedData):
    """The data of several tasks."""

    sets: list[TaskSet] = Field(default_factory=list, max_length=MOST_TASKS)  # type: ignore[assignment]
    """The tasks, at least two, each with a tag and its data: tables [[data.sets]]."""


class MultitaskConfig(TaskConfig):
    """Several tasks with one encoder."""

    task: Literal["multitask"] = "multitask"
    data: MultitaskData = MultitaskData()
    """The tasks, and where their data is."""
    tokens: ClassifyTokens = ClassifyTokens()
    """How text is tokenised, the same for all tasks."""
    model: ModelConfig = ModelConfig()
    """Which architecture, and how large: the encoder that all tasks share."""

    @model_validator(mode="after")
    def architecture_serves_the_task(self) -> Self:
        """Each of the tasks says so for itself."""
        return self

    @model_validator(mode="after")
    def there_are_several_tasks(self) -> Self:
        if self.data.train:
            raise problem("data.train", "every task has its own data", remedy="write it into [[data.sets]]")
        if len(self.data.sets) == 1:
            raise problem("data.sets", "a multitask model needs at least two tasks", remedy="name another task")
        self.one_by_one()  # what is wrong in one of them is wrong here
        return self

    def one_by_one(self) -> dict[str, TaskConfig]:
        """The settings of each task as if it were alone, by its tag."""
        data = self.data.one_by_one()
        model = self.model.model_dump(include={"name", *self.model.settings_read()})
        found = {}
        for one in self.data.sets:
            settings = {**LETTERS_OFF.get(one.task, {}), **one.settings}
            values = {
                "task": one.task, "data": data[one.tag].model_dump(exclude_unset=True), one.task: settings,
                "tokens": self.tokens.model_dump(), "model": model,
            }  # fmt: skip
            found[one.tag] = check(ALONE[one.task], values, where=f"data.sets: {one.tag}")
        return found


class MultitaskOptions(Config):
    """Which task of a model with several heads is used."""

    task_tag: str = Field("", max_length=100)
    """The tag of the task; empty: every text begins with its tag."""


class MultitaskFacts(Config):
    """What each task learned before the first step."""

    tasks: dict[str, dict[str, Any]]
    """The facts of each task, by its tag."""
