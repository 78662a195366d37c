"""A run: from settings to a trained model in a folder."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from seqloom.data.corpus import Corpus
from seqloom.data.in_memory import is_in_memory
from seqloom.data.splits import Records
from seqloom.errors import ConfigError, quoted
from seqloom.evaluating.baselines.score import BaselineScore, sentence
from seqloom.storage import new_folder, open_files, output_errors, replace_file, write_manifest, write_tensors
from seqloom.tasks.registry import find_task
from seqloom.tasks.task import Task
from seqloom.tasks.trainable import Plan, Trainable
from seqloom.threads import choose_threads, using_threads
from seqloom.training import checkpoint, data_fingerprint
from seqloom.training.allocator import keep_freed_memory
from seqloom.training.budget import LATEST, planned
from seqloom.training.budget_replanning import BudgetReplanner
from seqloom.training.callbacks import Callback, CallbackList
from seqloom.training.data_fingerprint import check_data, write_data_fingerprint
from seqloom.training.data_statistics import measure
from seqloom.training.defaults import as_begun, choose, explanation, with_choices
from seqloom.training.distributed import ProcessGroup, init_processes
from seqloom.training.durations import format_duration, parse_duration
from seqloom.training.initial_weights import begin, initial_weights, known_tokenizers, with_words_of_vectors
from seqloom.training.layer_rates import LayerRates
from seqloom.training.live import live_status
from seqloom.training.loop import Trainer
from seqloom.training.precision import Precision, fast_bfloat16, processor
from seqloom.training.run_config import RunConfig
from seqloom.training.run_folder import claimed
from seqloom.training.saved_baselines import read_baselines, write_baselines
from seqloom.training.saved_task import CONFIG, SETUP, load_task, save_task, write_config
from seqloom.training.settings import TrainConfig
from seqloom.training.teacher import check_teacher, tokenizers_of, with_teacher, write_teacher
from seqloom.training.tensorboard import check_tensorboard

START = "start.safetensors"
"""In it, the weights that are not fresh."""


@dataclass(frozen=True)
class Result:
    """How a run ended."""

    run: Path
    step: int
    finished: str
    best: float | None
    seconds: float
    notes: list[str]
    best_metric: str = ""
    """The best score by its name, as a person reads it."""
    baselines: Sequence[BaselineScore] = ()
    """What simple models reach on the same validation data."""

    def summary(self) -> str:
        score = f", best {self.best_metric or f'score {self.best:.4f}'}" if self.best is not None else ""
        took = f"{self.step:,} steps in {format_duration(self.seconds)}"
        beside = [sentence(self.baselines, self.best_metric)] if self.baselines else []
        return "\n".join([*self.notes, f"{self.run}: {self.finished} ({took}{score})", *beside])


def cache_folder() -> Path:
    """Where prepared corpora are kept between runs."""
    home = os.environ.get("SEQLOOM_CACHE") or os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    return Path(home) / "seqloom" / "corpora"


def train(
    config: RunConfig, out: Path, *, resume: bool = False, quiet: bool = False, callbacks: Sequence[Callback] = ()
) -> Result:
    """Train a model in the folder `out`; with `resume` go on from its newest sound checkpoint."""
    called = CallbackList(callbacks)
    group = init_processes(config.train.device)
    try:
        return Run(config, out, group, called).train(resume=resume, quiet=quiet)
    finally:
        group.close()


class Run:
    """One folder: settings, what was learned from the data before the first step, checkpoints, and the model."""

    def __init__(
        self, config: RunConfig, out: Path, group: ProcessGroup, callbacks: CallbackList | None = None
    ) -> None:
        self.config, self.out, self.group, self.callbacks = config, out, group, callbacks or CallbackList(())
        self.notes: list[str] = []
        """What is said before the first step."""

    def train(self, *, resume: bool, quiet: bool) -> Result:
        began = time.monotonic()
        if self.config.train.tensorboard:
            check_tensorboard()
        find_task(self.config.task).check_extras(self.config)
        with claimed(self.out, self.group, resume=resume or self.group.restarted()), keep_freed_memory():
            return self.go_on(began, quiet=quiet)

    def go_on(self, began: float, *, quiet: bool) -> Result:
        """From wherever the folder is to the end."""
        saved, notes = checkpoint.newest(self.out)
        threads = self.threads(saved)
        self.set_train(self.config.train.model_copy(update={"threads": threads}))
        if self.config.train.precision == "auto":
            self.set_train(self.config.train.model_copy(update={"precision": self.precision(saved)}))
        with using_threads(threads):
            return self.train_from(saved, notes, began, quiet=quiet)

    def threads(self, saved: checkpoint.Checkpoint | None) -> int:
        """How many threads to train with: as many as before, for other sums round otherwise; else as are free."""
        before = saved.progress["settings"].get("threads", 0) if saved is not None else 0
        return self.config.train.threads or before or choose_threads(torch.get_num_threads())

    def precision(self, saved: checkpoint.Checkpoint | None) -> Precision:
        """What `auto` stands for: as before, for other numbers round otherwise; else as the device is faster."""
        before: Precision | None = saved.progress["settings"].get("precision") if saved is not None else None
        faster = self.group.broadcast(fast_bfloat16(self.group.device))
        chosen: Precision = before or ("bfloat16" if faster else "float32")
        if before == "bfloat16" and not faster:
            self.notes.append("going on in bfloat16, as it was begun, though this device is faster in float32")
        return chosen

    def set_train(self, settings: TrainConfig) -> None:
        self.config = self.config.model_copy(update={"train": settings})

    def train_from(self, saved: checkpoint.Checkpoint | None, notes: list[str], began: float, *, quiet: bool) -> Result:
        """Go on from a checkpoint, or begin, to the end."""
        task = self.task()
        trainable = self.trainable(task)
        if epochs := self.config.train.epochs:
            steps = max(1, round(epochs * trainable.stream.batches_per_epoch()))
            if not self.config.train.budget:
                self.notes.append(f"{epochs:g} epochs are {steps:,} steps")
            self.set_train(self.config.train.with_steps(steps))
        plan = planned(self.out, self.config.train, lambda aside: self.trainer(aside, task, trainable), began)
        if plan is not None:
            self.set_train(plan.settings(self.config.train))
        trainer = self.trainer(self.out, task, trainable)
        if self.config.train.shard and trainer.sharding is None:
            self.notes.append("train.shard splits nothing here: this is one process (see docs/scaling.md for torchrun)")
        if plan is not None and self.group.world_size == 1:  # several processes keep to the first plan
            trainer.follow(BudgetReplanner(self.out, plan))
            trainer.progress.seconds = time.monotonic() - began
        if saved is not None:
            trainer.restore(saved)
            notes.append(f"going on from step {saved.step:,}")
            if trainer.progress.processor not in ("", processor()):
                what = f"begun on {trainer.progress.processor}, going on with {processor()}"
                notes.append(f"{what}: sums may be rounded otherwise, so the last bits of losses may differ")
        trainer.progress.processor = processor()
        if not trainer.progress.finished:
            until = began + LATEST * parse_duration(plan.budget) if plan else math.inf
            with live_status(self.out, is_main=self.group.is_main) as live:
                trainer.callbacks = CallbackList([live, *self.callbacks.callbacks])
                trainer.train(quiet=quiet, notes=[*self.notes, *([str(plan)] if plan else [])], until=until)
        if self.group.is_main:
            self.export(trainer, task)
        self.group.barrier()
        progress = trainer.progress
        return Result(
            self.out, progress.step, progress.finished, progress.best, trainer.seconds(), notes, progress.best_metric,
            read_baselines(open_files(self.out / SETUP)),
        )  # fmt: skip

    def trainer(self, folder: Path, task: Task[Any], trainable: Trainable[Any]) -> Trainer[Any]:
        """A trainer with fresh weights, always the same ones."""
        torch.manual_seed(self.config.train.seed)
        model = task.make_model()
        setup = open_files(self.out / SETUP)
        taken = setup.tensors(START) if START in setup else {}
        if taken:
            begin(model, taken, frozen=self.config.start.frozen)
        rates = LayerRates.of(model, taken, self.config.start)
        return Trainer(folder, self.config.train, model, trainable, self.group, rates)

    # --- data ---------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> dict[str, Records]:
        """Training data, and validation data given, found, or cut off."""
        return find_task(self.config.task).open_data(self.config)

    def task(self) -> Task[Any]:
        """What is learned from the data before training; kept in the run, so that it is the same when it goes on."""
        setup = self.out / SETUP
        if not setup.exists():
            if self.group.is_main:
                train = self.parts["train"]
                known = known_tokenizers(self.config.start) or tokenizers_of(self.config.teacher)
                choices = choose(measure(train), self.config)
                self.config = with_choices(self.config, choices)
                start = self.config.start
                self.notes += [explanation(choices)] if choices else []
                learned = find_task(self.config.task).learn(self.config, train, known)
                learned = with_words_of_vectors(start, learned)
                self.notes += [str(train.report)] if train.report else []
                with new_folder(setup) as folder:
                    save_task(folder, learned)
                    write_data_fingerprint(folder, self.parts)
                    write_teacher(folder, self.config.teacher)
                    if self.config.train.baseline and "valid" in self.parts:
                        write_baselines(folder, learned.baseline(train, self.parts["valid"]))
                    if weights := initial_weights(start, learned, train):
                        write_tensors(folder / START, weights)
            self.group.barrier()
        files = open_files(setup)
        files.verify()
        config, task = load_task(files)
        self.config = as_begun(self.config, config)
        others = differences(config.model_dump(exclude={"train"}), self.config.model_dump(exclude={"train"}))
        if others:
            raise ConfigError(str(self.out), [changed(*other) for other in others])
        check_data(files, self.parts)
        check_teacher(files, self.config.teacher)
        return task

    def trainable(self, task: Task[Any]) -> Trainable[Any]:
        parts = self.parts
        if self.group.is_main:
            self.corpora(task, parts)
        self.group.barrier()
        corpora = self.corpora(task, parts)
        settings = self.config.train
        plan = Plan(settings.batch_tokens, settings.seed, settings.label_smoothing, self.group.device)
        alone = task.trainable(corpora["train"], corpora.get("valid"), plan)
        teacher = self.config.teacher
        return with_teacher(alone, task, corpora["train"], plan, teacher) if teacher.model else alone

    def corpora(self, task: Task[Any], parts: dict[str, Records]) -> dict[str, Corpus]:
        chosen = self.config.data.model_dump(mode="json")
        used = {name: records for name, records in parts.items() if name != "test"}
        return {name: task.corpus(records, cache_folder(), {"part": name, **chosen}) for name, records in used.items()}

    # --- the model ----------------------------------------------------------------------------------

    def export(self, trainer: Trainer[Any], task: Task[Any]) -> None:
        """The best weights, the settings and the tokenizers at the top of the folder, with a manifest."""
        with output_errors(self.out):
            self.write_model(trainer, task)

    def write_model(self, trainer: Trainer[Any], task: Task[Any]) -> None:
        best = checkpoint.load(checkpoint.folder_of(self.out, trainer.progress.best_step or trainer.progress.step))
        write_tensors(self.out / "model.safetensors", best.weights)
        setup = open_files(self.out / SETUP)
        for name in setup.names:
            if name not in (CONFIG, START, data_fingerprint.FILE):
                replace_file(self.out / name, setup.map(name))
        now = self.config.model_dump(mode="json")
        write_config(self.out, {**now, "train": trainer.progress.settings or now["train"]}, task)
        write_manifest(self.out)


def differences(then: Mapping[str, Any], now: Mapping[str, Any], section: str = "") -> list[tuple[str, Any, Any]]:
    """Settings that are not the same: name, then, now.

    >>> differences({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 3}})
    [('b.c', 2, 3)]
    """
    found = []
    for name in dict.fromkeys([*then, *now]):
        one, other = then.get(name), now.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            found += differences(one, other, f"{section}{name}.")
        elif one != other:
            found.append((f"{section}{name}", one, other))
    return found


def changed(name: str, then: Any, now: Any) -> tuple[str, str, str]:
    """A setting that a run was begun with otherwise: name, what is wrong, what to do."""
    if is_in_memory(then) and is_in_memory(now):
        what = "these rows are not those that the run was started with, or stand in another order"
        return name, what, "give the same rows again, or use another folder"
    what = f"{quoted(now)}, and the run was started with {quoted(then)}"
    return name, what, "resume with what it was begun with, or use another folder (out)"
