"""Every setting with its default and its sentence, as `seqloom settings` and docs/settings.md show them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from seqloom.config import describe
from seqloom.errors import UnknownName
from seqloom.models.registry import names
from seqloom.tasks.registry import find_task
from seqloom.training.run_config import RUNS, RunConfig, load_run, run_config

COMMON = ("data", "train", "start", "teacher")
"""The sections that are the same for every task."""


class Setting(NamedTuple):
    """One setting of a configuration, under its section."""

    name: str
    default: Any
    sentence: str

    @property
    def section(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def value(self) -> str:
        """The default as TOML writes it."""
        return json.dumps(self.default, ensure_ascii=False)


def list_settings(task: str | None = None, model: str | None = None) -> list[Setting]:
    """The settings of a task with an architecture, only those that it reads; without a task those that all have."""
    if task is None:
        return [setting for setting in described(RunConfig) if setting.section in COMMON]
    kind = find_task(task)
    if model is None:
        return list(described(run_config(kind)))
    chosen: Any = load_run(None, [], task=task, model__name=model)
    read = chosen.model.settings_read()
    return [
        setting._replace(default=getattr(chosen.model, field)) if setting.section == "model" else setting
        for setting in described(run_config(kind))
        if (field := setting.name.rpartition(".")[2]) in read or setting.section != "model"
    ]


def described(kind: type[RunConfig]) -> Iterator[Setting]:
    for name, default, sentence in describe(kind):
        if name != "task":
            yield Setting(name, default, " ".join(sentence.split()))


def page() -> str:
    """docs/settings.md: what all tasks have, then what each has of its own."""
    parts = [
        "# Settings",
        "Made by `seqloom settings --markdown`; `seqloom settings TASK MODEL` shows those that an architecture reads. "
        "A setting is written in a TOML file under its section, or as `--set section.name=value`; `--epochs`, "
        "`--steps`, `--budget`, `--lr` and `--batch` are short for `train.epochs`, `train.steps`, `train.budget`, "
        "`train.learning_rate` and `train.batch_tokens`.",
        "## Every task",
        *tables(list_settings()),
    ]
    common = {setting.name for setting in list_settings()}
    for task in RUNS:
        own = [setting for setting in list_settings(task) if setting.name not in common]
        parts += [f"## {task}", *tables(own)]
    return "\n\n".join(parts) + "\n"


def tables(settings: Iterable[Setting]) -> Iterator[str]:
    for section, found in groupby(settings, lambda setting: setting.section):
        rows = [f"| `{name.rpartition('.')[2]}` | `{cell(one.value)}` | {cell(one.sentence)} |"
                for one in found for name in (one.name,)]  # fmt: skip
        yield "\n".join([f"### [{section}]", "", "| setting | default | what it does |", "|---|---|---|", *rows])


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def check_names(task: str | None, model: str | None) -> tuple[str | None, str | None]:
    """A task and an architecture; one name alone may be that of an architecture, of the first task that has it."""
    if task is None or task in RUNS or ":" in task:
        return task, model
    if model is None and (known := next((name for name in RUNS if task in names(name)), None)):
        return known, task
    raise UnknownName("task", task, RUNS)
