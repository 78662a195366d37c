"""The runs of a comparison: one tokenizer and one corpus for all, each trained, resumed, or taken as it is."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from seqloom.comparing.clock import Clock
from seqloom.comparing.compared_models import ComparedModel
from seqloom.comparing.equal_size import equal_size
from seqloom.comparing.settings import CompareConfig
from seqloom.data.embedded import is_embedded
from seqloom.errors import ConfigError
from seqloom.storage import MANIFEST, new_folder
from seqloom.tasks.registry import find_task
from seqloom.tasks.task import Task
from seqloom.threads import choose_threads
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.data_statistics import measure
from seqloom.training.defaults import choose, with_choices
from seqloom.training.distributed import init_processes
from seqloom.training.initial_weights import StartConfig, known_tokenizers
from seqloom.training.run import Run, changed, differences, train
from seqloom.training.run_config import RunConfig
from seqloom.training.saved_task import SETUP, load_task, save_task

RUNS, TIMES = "runs", "times"
CHOSEN_FOR_ALL = ("model.length", "train.batch_tokens")
Say = Callable[[str], None]


@dataclass(frozen=True)
class ComparedRuns:
    """A model of the comparison, and the folders of its runs, one for each seed."""

    compared: ComparedModel
    folders: Sequence[Path]
    times: Sequence[Path]
    """Beside each, when its steps were done."""


def trained(
    found: Sequence[ComparedModel], chosen: CompareConfig, out: Path, *, quiet: bool, say: Say
) -> list[ComparedRuns]:
    """Train every model with every seed, one after the other; what already exists is not trained again."""
    first = found[0].config
    task = find_task(first.task)
    task.check_extras(first)
    data = task.open_data(with_all_data(first))
    found = with_threads(with_shared_choices(found, data), out)
    first = with_all_data(found[0].config)
    learned = shared_task(first, task, data, out, known_to_any(found))
    for config in {each.config.data.fraction: each.config for each in found}.values():
        prepare_corpus(config, learned, task.open_data(config), out)
    if chosen.equal == "parameters":
        found = equal_size(list(found), chosen.parameters, learned.tokenizers, learned.facts)
    done = []
    for number, compared in enumerate(found, 1):
        folders, times = [], []
        for seed in range(chosen.seeds):
            name = compared.slug if chosen.seeds == 1 else f"{compared.slug}-seed-{compared.config.train.seed + seed}"
            folder, time = out / RUNS / name, out / TIMES / f"{name}.jsonl"
            config = compared.with_seed(seed)
            if is_finished(folder, config):
                say(f"{number}/{len(found)}  {compared.label}: {folder} is trained already")
            else:
                say(f"{number}/{len(found)}  {compared.label}{f', seed {seed + 1}' if chosen.seeds > 1 else ''}")
                begin(folder, config, task, learned)
                result = train(config, folder, resume=True, quiet=quiet, callbacks=[Clock(time)])
                say(f"     {result.finished}{f', best {result.best_metric}' if result.best_metric else ''}")
            folders.append(folder)
            times.append(time)
        done.append(ComparedRuns(compared, folders, times))
    return done


def with_shared_choices(found: Sequence[ComparedModel], data: Mapping[str, Any]) -> list[ComparedModel]:
    """Tokens, length and batches that nobody said, chosen from the data for the first model and the same for all.

    What embedded data is cut into is said by the line of its task.
    """
    first = found[0].config
    if is_embedded(first.data.train):
        return list(found)
    choices = [
        choice
        for choice in choose(measure(data["train"]), first)
        if choice.setting in CHOSEN_FOR_ALL or choice.setting.startswith("tokens.")
    ]
    return [ComparedModel(each.label, with_choices(each.config, choices)) for each in found] if choices else list(found)


def with_threads(found: Sequence[ComparedModel], out: Path) -> list[ComparedModel]:
    """The same number of threads for all, whatever else the machine does meanwhile: as of a run that is there, else as
    are free now."""
    begun = [load_task(setup)[0].train.threads for setup in sorted((out / RUNS).glob(f"*/{SETUP}"))]
    threads = found[0].config.train.threads or max(begun, default=0) or choose_threads(torch.get_num_threads())

    def with_them(config: RunConfig) -> RunConfig:
        return config.model_copy(update={"train": config.train.model_copy(update={"threads": threads})})

    return [ComparedModel(each.label, with_them(each.config)) for each in found]


def prepare_corpus(config: RunConfig, task: Task[Any], data: Mapping[str, Any], out: Path) -> None:
    """Encode the data before the first model is trained: no model shall lose time with it."""
    group = init_processes(config.train.device)
    try:
        Run(config, out, group).corpora(task, dict(data))
    finally:
        group.close()


def known_to_any(found: Sequence[ComparedModel]) -> dict[str, Tokenizer]:
    """The tokenizers of a model that one of them starts from, which are those of all; none if all start fresh."""
    return next((known for each in found if (known := known_tokenizers(each.config.start))), {})


def shared_task(
    config: RunConfig, task: type[Task[Any]], data: Mapping[str, Any], out: Path, known: dict[str, Tokenizer]
) -> Task[Any]:
    """What is learned from the data before training, once for all: of a run that is there, else now."""
    for setup in sorted((out / RUNS).glob(f"*/{SETUP}")):
        saved, there = load_task(setup)
        if not differences(tokens_of(saved), tokens_of(config)):
            return there
    return task.learn(config, data["train"], known)


def with_all_data(config: RunConfig) -> RunConfig:
    """The settings with all training data: tokens are learned from it, whichever fraction a model is trained on."""
    return config.model_copy(update={"data": config.data.model_copy(update={"fraction": 1.0})})


def tokens_of(config: RunConfig) -> dict[str, Any]:
    """The settings that decide what is learned before training."""
    return with_all_data(config).model_dump(include={"task", "data", "tokens"})


def is_finished(folder: Path, config: RunConfig) -> bool:
    """Whether a run is there and done; one with other settings is an error."""
    if not (folder / SETUP).exists():
        return False
    begun, _ = load_task(folder / SETUP)
    if others := differences(begun.model_dump(), config.model_dump()):
        raise ConfigError(str(folder), [changed(*other) for other in others])
    return (folder / MANIFEST).exists()


def begin(folder: Path, config: RunConfig, task: type[Task[Any]], learned: Task[Any]) -> None:
    """Fix what comes before the first step with the tokenizers that all models share."""
    if (folder / SETUP).exists() or config.start != StartConfig():  # weights from elsewhere bring their tokenizers
        return
    shutil.rmtree(folder, ignore_errors=True)  # left by a process that was killed before anything was fixed
    own = task.learn(config, task.open_data(config)["train"], learned.tokenizers)
    with new_folder(folder / SETUP) as part:
        save_task(part, own)
