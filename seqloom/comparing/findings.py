"""A whole comparison from its finished runs: what is the same for all, each model beside the one before."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from seqloom.comparing.measuring import ANSWERED, Measured, held_out, measure, opened, sampled
from seqloom.comparing.results import Findings
from seqloom.comparing.runs import ComparedRuns, Say
from seqloom.comparing.settings import CompareConfig
from seqloom.config import split_change
from seqloom.training.durations import format_duration, parse_duration
from seqloom.training.run_config import RunConfig

SHOWN_LENGTH = 28
"""Characters or words of the example; more would not be looked at side by side."""


def findings(runs: Sequence[ComparedRuns], chosen: CompareConfig, say: Say) -> Findings:
    """Measure every model, each beside the one before it."""
    first = opened(runs[0].folders[0], runs[0].compared.config)
    part = held_out(first)
    inputs = sampled(first, part, ANSWERED)
    given: Any = chosen.sentence or example_of(inputs)
    differing = differing_settings([each.compared.config for each in runs])
    done: list[Measured] = []
    for number, each in enumerate(runs, 1):
        say(f"measuring {number}/{len(runs)}  {each.compared.label}")
        settings = {name: at(each.compared.config, name) for name in differing}
        done.append(measure(each, chosen, inputs, given, part, done[-1] if done else None, settings))
    config = runs[0].compared.config
    return Findings(
        task=config.task,
        data=name_of(config.data),
        part=part,
        examples=len(done[0].counted.counts),
        measure=done[0].result.measure,
        lower_is_better=done[0].evaluation.lower_is_better,
        equal=chosen.equal,
        allotted=allotted(config),
        example=given if isinstance(given, str) else " ".join(map(str, given)) if isinstance(given, list) else "",
        models=[one.result for one in done],
        varied=[".".join(split_change(change)[0]) for change in chosen.vary],
        facts=facts(config, chosen),
    )


def name_of(data: Any) -> str:
    """What the data is called: its file, the tags of several sets, or nothing that could be read."""
    if sets := getattr(data, "sets", None):
        return ", ".join(one.tag for one in sets)
    return data.train if isinstance(data.train, str) else "your data"


def example_of(inputs: Sequence[Any]) -> Any:
    """The longest of a few inputs that can still be looked at."""
    fitting = [one for one in inputs if isinstance(one, str | list) and 3 < len(one) <= SHOWN_LENGTH]
    return max(fitting, key=len) if fitting else inputs[0]


def allotted(config: RunConfig) -> str:
    if config.train.budget:
        return f"{format_duration(parse_duration(config.train.budget))} of training"
    return f"{config.train.steps:,} steps"


def differing_settings(configs: Sequence[RunConfig]) -> list[str]:
    """The settings of [model], [train] and [start], and the fraction of the data, that are not the same for all."""
    sections: Any = {"model": True, "train": True, "start": True, "data": {"fraction"}}
    flat = [dict(flattened(config.model_dump(include=sections))) for config in configs]
    names = dict.fromkeys(name for one in flat for name in one)
    return [name for name in names if len({repr(one.get(name)) for one in flat}) > 1]


def flattened(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Nested settings by name with dots.

    >>> flattened({"a": {"b": 1}, "c": 2})
    [('a.b', 1), ('c', 2)]
    """
    found: list[tuple[str, Any]] = []
    for name, value in values.items():
        found += flattened(value, f"{prefix}{name}.") if isinstance(value, Mapping) else [(prefix + name, value)]
    return found


def at(config: RunConfig, name: str) -> Any:
    value: Any = config
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def facts(config: RunConfig, chosen: CompareConfig) -> list[tuple[str, str]]:
    """How a comparison was made."""
    threads = f"{config.train.threads} thread{'s' if config.train.threads != 1 else ''}"
    trained = f"one after the other, each with {threads}; the corpus was prepared before the first"
    tokens = config.tokens
    return [
        ("equal", {"time": "training time", "steps": "optimizer steps", "parameters": "parameters"}[chosen.equal]),
        ("each model got", allotted(config)),
        ("trained", trained),
        ("seeds", ", ".join(str(config.train.seed + number) for number in range(chosen.seeds))),
        ("tokens", f"{tokens.kind}, at most {tokens.size:,}; the same for all"),
        ("batches", f"{config.train.batch_tokens:,} tokens, in the same order for all"),
        ("machine", f"{platform.machine()}, {os.cpu_count()} cores"),
        ("torch", torch.__version__),
    ]
