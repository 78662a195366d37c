"""Every architecture that a task can be solved with, by name: what it is, and how large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from seqloom.errors import ConfigError, UnknownName
from seqloom.models.registry import architectures, find
from seqloom.tasks.registry import find_task
from seqloom.training.run_config import RUNS, RunConfig, load_run

VOCABULARY = 10_000
"""Size of the vocabulary, where there is no data to learn it from."""


@dataclass(frozen=True)
class CatalogueEntry:
    """An architecture for a task, with its parameters at the sizes that it has by default."""

    task: str
    name: str
    sentence: str
    parameters: int


def untrained(name: str, task: str | None, changes: Sequence[str], vocabulary: int) -> tuple[str, Any, nn.Module]:
    """The task, the settings of the model, and the model, of an architecture by name; the first task that has it."""
    if task is not None and task not in RUNS:
        raise UnknownName("task", task, RUNS)
    found = find(name, task) if task else find(name, *RUNS)
    chosen = task or next(task for task in RUNS if task in found.tasks)
    settings: Any = load_run(None, changes, task=chosen, model__name=name)
    return chosen, settings.model, build(settings, vocabulary)


def build(settings: RunConfig, vocabulary: int) -> nn.Module:
    """A model with fresh weights for a vocabulary of that size."""
    return find_task(settings.task).untrained(settings, vocabulary)


def catalogue(vocabulary: int = VOCABULARY) -> Iterator[CatalogueEntry]:
    """Every architecture of every task; the weights are counted, not made."""
    for task in RUNS:
        for found in architectures(task):
            try:
                with torch.device("meta"):
                    _, _, model = untrained(found.name, task, (), vocabulary)
            except ConfigError:  # one that is not causal fills gaps, but cannot generate
                continue
            count = sum(weight.numel() for weight in model.parameters())
            yield CatalogueEntry(task, found.name, found.sentence, count)
