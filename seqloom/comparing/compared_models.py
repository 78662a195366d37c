"""From settings to the models that are compared: each with a label and the whole configuration of its runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import PurePath
from typing import Any

from seqloom.comparing.ablations import ABLATIONS, Ablation
from seqloom.comparing.default_models import LINES, DefaultModel, DefaultModels
from seqloom.comparing.settings import CompareConfig
from seqloom.config import over, put, read_value, split_change
from seqloom.errors import ConfigError, SeqloomError, UnknownName, quoted
from seqloom.models.user_architectures import model_reference
from seqloom.tasks.registry import find_task, task_names, task_reference
from seqloom.training.run_config import RunConfig, check_run, task_of_data

MOST = 400
"""Models in one comparison at most; a product of settings grows quickly."""
VARIED = ("model", "train", "start", "data.fraction")
"""What may differ between the models of a comparison: sections, and one setting of another."""
SECTIONS = ("train", "start")
"""Those that a table of one model may have below its settings."""
BUDGET = "5m"
"""Training time of each model on a user's own data, if nothing is said."""


@dataclass(frozen=True)
class ComparedModel:
    """A model of the comparison."""

    label: str
    config: RunConfig
    """The settings of its first run; others differ in the seed."""

    @property
    def slug(self) -> str:
        """What its folders are called."""
        return re.sub(r"[^\w.=+-]+", "-", self.label).strip("-.") or "model"

    def with_seed(self, number: int) -> RunConfig:
        train = self.config.train
        return self.config.model_copy(update={"train": train.model_copy(update={"seed": train.seed + number})})


def compared_models(given: Mapping[str, Any], chosen: CompareConfig) -> list[ComparedModel]:
    """The models of a comparison, in their order; mistakes of all of them at once.

    given   settings that hold for all, before any check: sections by name
    """
    task = given.get("task") or task_of_data(given.get("data"))
    if task is None:
        there = f"say what the models do, as --task translate: {', '.join(task_names())}"
        raise ConfigError("settings", [("task", "is missing", there)])
    task = task_reference(find_task(str(task)))
    line, embedded = LINES.get(task), False
    values = {**given, "task": task}
    section = given.get("data") or {}
    data = section.get("train") or section.get("sets")
    if line is None and not data:
        what = f"there are no default models and no embedded data for {task}"
        remedy = "give --models, and the data as --data; that of several sets as tables [[data.sets]] in a file (TOML)"
        raise ConfigError("settings", [("data", what, remedy)])
    shared: Mapping[str, Any] = {}
    if line is not None and (not data or data == line.data):
        shared, embedded = {**line.shared, "data": {"train": line.data}}, True
    if several_tasks(section) and not chosen.evaluate.get("task_tag"):
        what = "several tasks have no metric in common by which models could be compared"
        remedy = (
            f'measure one of them: evaluate = {{ task_tag = "{section["sets"][0].get("tag", "...")}" }} in [compare]'
        )
        raise ConfigError("settings", [("compare.evaluate", what, remedy)])
    values = over({"train": lasting(chosen, line if embedded else None)}, values)
    ablation = find_ablation(chosen.ablation) if chosen.ablation else None
    varied = [*([ablation.vary] if ablation else []), *chosen.vary]
    found, mistakes = [], []
    for place in variations(places(chosen, line, ablation), varied):
        settings = over(over(over(shared, place.small if embedded else {}), values), place.settings)
        try:
            found.append(ComparedModel(place.label, check_run(settings, where=place.label)))
        except ConfigError as error:
            mistakes += [(f"{place.label}: {name}", what, remedy) for name, what, remedy in error.mistakes]
    if mistakes:
        raise ConfigError("settings", mistakes)
    slugs = [compared.slug for compared in found]
    if twice := [one.label for one in found if slugs.count(one.slug) > 1]:
        what = f"{quoted(twice[0])} is listed twice"
        raise ConfigError(
            "settings", [("models", what, 'give each a label of its own, {name = "lstm", label = "..."}')]
        )
    if len(found) < 2:
        remedy = "name at least two, as --models lstm,transformer, or vary a setting, as --vary model.heads=1,2,4"
        raise ConfigError("settings", [("models", "there is nothing to compare with one model", remedy)])
    return found


def several_tasks(data: Mapping[str, Any]) -> bool:
    """Whether the sets of the data are for different tasks, each with a metric of its own."""
    sets = data.get("sets")
    if not isinstance(sets, list) or not all(isinstance(one, Mapping) for one in sets):
        return False  # a mistake, which is told with all others
    return len({str(one.get("task")) for one in sets}) > 1


def lasting(chosen: CompareConfig, line: DefaultModels | None) -> dict[str, Any]:
    """How long each model is trained, as settings of [train]."""
    if chosen.steps:
        return {"steps": chosen.steps, **({"warmup_steps": chosen.steps // 10} if chosen.steps < 1000 else {})}
    if chosen.equal == "steps":
        return {}
    return {"budget": chosen.budget or (line.budget if line else BUDGET)}


def find_ablation(name: str) -> Ablation:
    known = [each.name for each in available_ablations()] if name not in ABLATIONS else list(ABLATIONS)
    if name not in ABLATIONS:
        raise UnknownName("ablation", name, known)
    return ABLATIONS[name]


def available_ablations() -> list[Ablation]:
    """Those whose models can be built: every value of the setting is known to the model."""

    def can_be_built(ablation: Ablation) -> bool:
        try:
            return bool(compared_models({"task": ablation.task}, CompareConfig(ablation=ablation.name)))
        except ConfigError:
            return False

    return [each for each in ABLATIONS.values() if can_be_built(each)]


def places(chosen: CompareConfig, line: DefaultModels | None, ablation: Ablation | None) -> list[DefaultModel]:
    """The models that are named; default: the line of the task, or the one of it that is varied."""
    if chosen.models:
        return [named(one, line) for one in chosen.models]
    if line is None:
        remedy = "name them, as --models package.module:one,package.module:other"
        raise ConfigError("settings", [("models", "the task has no default selection of models", remedy)])
    if ablation and (found := ablation.places(line)):
        return found
    if chosen.vary or ablation:
        return [place for place in line.places if place.label == line.varied]
    return list(line.places)


def named(given: str | Mapping[str, Any], line: DefaultModels | None) -> DefaultModel:
    """A model by its name, by its label in the default line, or as a table: settings of [model], sections below it."""
    if isinstance(given, Mapping):
        below = {name: given[name] for name in SECTIONS if isinstance(given.get(name), Mapping)}
        settings = {name: value for name, value in given.items() if name != "label" and name not in below}
        return DefaultModel(str(given.get("label") or settings.get("name") or "model"), {"model": settings, **below})
    known = line.place(given) if line else None
    return known or DefaultModel(given.rpartition(":")[2] if ":" in given else given, {"model": {"name": given}})


def variations(places: Sequence[DefaultModel], vary: Sequence[str]) -> list[DefaultModel]:
    """Each model once for every choice of the settings that vary."""
    if not vary:
        return list(places)
    choices = [list(values_of(change)) for change in vary]
    found = []
    for place, *settings in product(places, *choices):
        several = [place.label] if len(places) > 1 else []
        label = " ".join([*several, *(f"{path[-1]}={shown(value)}" for path, value in settings)])
        sections = over(place.settings, {})
        for path, value in settings:
            put(sections, path, value)
        found.append(DefaultModel(label, sections, place.small))
    if len(found) > MOST:
        raise SeqloomError(f"{len(found):,} models are too many to compare", remedy="vary fewer settings at a time")
    return found


def values_of(change: str) -> Iterator[tuple[list[str], Any]]:
    """`model.heads=1,2,4` -> the setting with each value; commas inside brackets and quotes belong to a value.

    >>> [value for _, value in values_of("model.widths=[64],[64, 64]")]
    [[64], [64, 64]]
    """
    path, text = split_change(change)
    if path[0] not in VARIED and ".".join(path) not in VARIED:
        remedy = (
            "vary a setting of [model], [train] or [start], as model.heads=1,2,4, or data.fraction; other data and "
            "tokens are the same for all"
        )
        raise ConfigError("--vary", [(".".join(path), "is the same for all models of a comparison", remedy)])
    values = read_value(f"[{text}]")
    if not isinstance(values, list):
        values = [read_value(part.strip()) for part in text.split(",")]
    for value in values:
        yield path, value


def shown(value: Any) -> str:
    """A value in a label: short.

    >>> shown([64, 64]), shown(True), shown("runs/first"), shown("")
    ('64,64', 'true', 'first', 'none')
    """
    if isinstance(value, list):
        return ",".join(map(shown, value))
    if isinstance(value, str):
        return PurePath(value).name or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def reference(model: Any) -> str | dict[str, Any]:
    """A model as Python hands it in: a name, a table, or an object."""
    if isinstance(model, Mapping):
        return dict(model)
    return model if isinstance(model, str) else model_reference(str(model) if isinstance(model, PurePath) else model)
