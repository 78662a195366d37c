"""Settings as Python people write them: dictionaries by section, flat names, configuration objects.

train(..., train={"learning_rate": 0.01}, model={"name": "lstm", "widths": [128]})
train(..., learning_rate=0.01, widths=[128])          # a name that one section alone has
train(..., train=TrainConfig(learning_rate=0.01))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seqloom.config import Config, describe, gather, is_section, over, put, read_value, split_change
from seqloom.data.in_memory import InMemoryData, as_data, by_split
from seqloom.errors import ConfigError, close_matches, quoted
from seqloom.models.user_architectures import model_reference
from seqloom.tasks.registry import find_task, task_reference
from seqloom.training.run_config import RunConfig, run_config, task_of_data

WHERE = "settings"
SPLIT_SETTINGS = ("train", "valid", "test")


def gather_keywords(
    config: Path | str | Mapping[str, Any] | RunConfig | None,
    settings: Sequence[str] | Mapping[str, Any],
    *,
    task: Any,
    data: Any,
    model: Any,
    named: Mapping[str, Any],
) -> dict[str, Any]:
    """The values of a run's settings, before any check: later ones go before earlier ones.

    config    a file, a dictionary, or the settings of another run
    settings  "section.key=value" as on the command line, or a dictionary, whose keys may have dots
    named     the other keywords: sections, or settings by a name that is unambiguous
    """
    values = gather(config) if config is None or isinstance(config, str | Path) else section_values("config", config)
    if isinstance(config, RunConfig):  # rows are written down as their hash: here they themselves are wanted
        values |= {"data": {**values.get("data", {}), **rows_in(config)}, "task": config.task}
    values = over(values, dotted(settings))
    if task is not None:
        values["task"] = task_reference(task) if isinstance(task, type) else task
    for split, rows in (by_split(data) or {"train": data}).items():
        put_given(values, f"data.{split}", as_data(rows, "data" if split == "train" else split))
    if isinstance(model, Mapping | Config):
        values = over(values, {"model": section_values("model", model)})
    else:
        put_given(values, "model.name", None if model is None else model_reference(model))
    named = {name: value for name, value in named.items() if value is not None}
    if named:
        values = with_named(values, named)
    name = values.get("model", {}).get("name")
    if name is not None and not isinstance(name, str):
        values["model"]["name"] = model_reference(name)
    for split in SPLIT_SETTINGS:
        if isinstance(values.get("data"), dict) and split in values["data"]:
            values["data"][split] = as_data(values["data"][split], "data" if split == "train" else split)
    return values


def with_named(values: dict[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Put each keyword where it belongs; every one that belongs nowhere is a mistake."""
    kind = known_settings(values)
    sections = [name for name, field in kind.model_fields.items() if is_section(field.annotation)]
    known = list(describe(kind))
    mistakes = []
    for name, value in named.items():
        places = [place for place, _, _ in known if place.rpartition(".")[2] == name and "." in place]
        if name in sections:
            values = over(values, {name: section_values(name, value)})
        elif len(places) == 1:
            put(values, places[0].split("."), value)
        elif places:
            section = next((place for place in places if place.startswith("train.")), places[0]).split(".")[0]
            remedy = f"say which, as in {section}={{{name!r}: {quoted(value)}}}"
            mistakes.append((name, f"may be {' or '.join(places)}", remedy))
        else:
            names = [*sections, *(place.rpartition(".")[2] for place, _, _ in known)]
            near = close_matches(name, dict.fromkeys(names))
            remedy = f"did you mean {near[0]}?" if near else f"there are the sections {', '.join(sections)}"
            mistakes.append((name, "no such setting", remedy))
    if mistakes:
        raise ConfigError(WHERE, mistakes)
    return values


def known_settings(values: Mapping[str, Any]) -> type[RunConfig]:
    """The settings of the task; those that all tasks have, if it is not said (which is an error later)."""
    task = values.get("task") or task_of_data(values.get("data"))
    return RunConfig if task is None else run_config(find_task(str(task)))


def section_values(name: str, given: Any) -> dict[str, Any]:
    """A section as a dictionary; of a configuration object what was set, not its defaults."""
    if isinstance(given, Config):
        return given.model_dump(exclude_unset=True)
    if isinstance(given, Mapping):
        return {str(key): value for key, value in given.items()}
    remedy = f'give a dictionary, as in {name}={{"setting": value}}, or a configuration object'
    raise ConfigError(WHERE, [(name, f"{quoted(given)} is not a section of settings", remedy)])


def dotted(settings: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Nested values from "train.steps=500", {"train.steps": 500} or {"train": {"steps": 500}}.

    >>> dotted({"train.steps": 500}) == dotted(["train.steps=500"]) == dotted({"train": {"steps": 500}})
    True
    """
    found: dict[str, Any] = {}
    if isinstance(settings, Mapping):
        for name, value in settings.items():
            nested: dict[str, Any] = {}
            put(nested, str(name).split("."), dict(value) if isinstance(value, Mapping) else value)
            found = over(found, nested)
        return found
    for change in as_list(settings, "settings", '"train.steps=500"'):
        if not isinstance(change, str):
            raise ConfigError(WHERE, [("", f"{quoted(change)} is not a string", 'write it like "train.steps=500"')])
        path, text = split_change(change)
        put(found, path, read_value(text))
    return found


def as_list(given: Any, name: str, example: str) -> list[Any]:
    """A list that somebody gave as an argument of that name; a string stands for itself."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable):
        raise ConfigError(WHERE, [(name, f"{quoted(given)} is not a list", f"give one, as in {name}=[{example}]")])
    return list(given)


def put_given(values: dict[str, Any], name: str, value: Any) -> None:
    if value is not None:
        put(values, name.split("."), value)


def rows_in(config: RunConfig) -> dict[str, InMemoryData]:
    found = {split: getattr(config.data, split) for split in SPLIT_SETTINGS}
    return {split: rows for split, rows in found.items() if isinstance(rows, InMemoryData)}
