"""The section [teacher] of a configuration: a trained model that another one learns from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, PositiveFloat

from seqloom.config import Config
from seqloom.errors import ConfigError, quoted
from seqloom.storage import MANIFEST, is_pack, open_files

FREE = ("bpe_dropout",)
"""Settings of tokens that a student may choose: the vocabulary does not depend on them."""


class TeacherConfig(Config):
    """Knowledge distillation from a trained model: the section [teacher]."""

    model: str = ""
    """The teacher: a trained model (folder or pack) of the same task and any architecture; its tokenizers are used;
    empty: none."""
    temperature: PositiveFloat = 2.0
    """Distillation temperature: divides the logits of both; higher values weigh unlikely answers more."""
    share: float = Field(0.5, ge=0, le=1)
    """Weight of the teacher in the loss, from 0 to 1; the rest is the loss of the labels."""


def with_settings_of_teacher(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with the task and the tokens of the teacher, if there is one: token by token it can teach no others."""
    section = values.get("teacher")
    model = section.get("model") if isinstance(section, Mapping) else None
    if not model:
        return dict(values)
    saved = saved_settings(Path(str(model)))
    task, wanted = saved.get("task"), values.get("task")
    if wanted not in (None, task):
        what = f"{model} is a model for the task {task}, and this one is for {wanted}"
        raise unfit(what, f"take a teacher that was trained for {wanted}")
    there, here = saved.get("tokens"), values.get("tokens")
    there, here = (one if isinstance(one, Mapping) else {} for one in (there, here))
    others = [name for name, value in here.items() if name not in FREE and not within(value, there.get(name))]
    if others:
        raise ConfigError("settings", [unlike(name, here[name], there.get(name), str(task), model) for name in others])
    return {**values, "task": task, **({"tokens": {**there, **here}} if there else {})}


def saved_settings(place: Path) -> Mapping[str, Any]:
    """The settings that a teacher was trained with."""
    if not is_pack(place) and not (place / MANIFEST).exists():
        raise unfit(
            f"{place} holds no trained model", "give the folder of a run that was trained to its end, or a pack"
        )
    saved = open_files(place).json("config.json").get("config")
    return saved if isinstance(saved, Mapping) else {}


def within(given: Any, then: Any) -> bool:
    """Whether a setting that was given is as it was; of a section, all that was given of it."""
    if isinstance(given, Mapping) and isinstance(then, Mapping):
        return all(name in FREE or within(value, then.get(name)) for name, value in given.items())
    return bool(given == then)


def unlike(name: str, given: Any, then: Any, task: str, model: str) -> tuple[str, str, str]:
    what = f"{quoted(given)}, and {model} was trained with {quoted(then)}, so its tokens are different"
    return f"tokens.{name}", what, f"leave it out: the teacher's tokenizers are used{by_answers(task, model)}"


def by_answers(task: str, model: str) -> str:
    """The way to learn from a teacher with another vocabulary, where there is one."""
    return f"; or learn from its answers: seqloom distil {model}" if task in ("translate", "generate") else ""


def unfit(what: str, remedy: str) -> ConfigError:
    return ConfigError("settings", [("teacher.model", what, remedy)])
