"""A run: from settings to a trained model in a folder."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from seqloom.data.opening import open_data
from seqloom.data.shards import Corpus
from seqloom.data.splits import Records
from seqloom.errors import ConfigError, OutputError
from seqloom.storage import new_folder, read_json, write_json, write_manifest, write_tensors
from seqloom.tasks.table import task_called
from seqloom.tasks.task import Task
from seqloom.tasks.work import Plan, Work
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training import checkpoint
from seqloom.training.loop import Trainer
from seqloom.training.run_config import RunConfig, check_run
from seqloom.training.team import Team, gather_team

SETUP = "setup"
"""The folder inside a run that holds what was fixed before the first step."""


@dataclass(frozen=True)
class Result:
    """How a run ended."""

    run: Path
    step: int
    finished: str
    best: float | None
    notes: list[str]

    def summary(self) -> str:
        score = f", best score {self.best:.4f}" if self.best is not None else ""
        return "\n".join([*self.notes, f"{self.run}: {self.finished} ({self.step:,} steps{score})"])


def cache_folder() -> Path:
    """Where prepared corpora are kept between runs."""
    home = os.environ.get("SEQLOOM_CACHE") or os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    return Path(home) / "seqloom" / "corpora"


def train(config: RunConfig, out: Path, *, resume: bool = False, quiet: bool = False) -> Result:
    """Train a model in the folder `out`; with `resume` go on from its newest sound checkpoint."""
    team = gather_team(config.train.device)
    try:
        return Run(config, out, team).train(resume=resume, quiet=quiet)
    finally:
        team.part()


class Run:
    """One folder: settings, what was learned from the data before the first step, checkpoints, and the model."""

    def __init__(self, config: RunConfig, out: Path, team: Team) -> None:
        self.config, self.out, self.team = config, out, team

    def train(self, *, resume: bool, quiet: bool) -> Result:
        self.claim(resume)
        task = self.task()
        torch.manual_seed(self.config.train.seed)
        trainer: Trainer[Any] = Trainer(self.out, self.config.train, task.make_model(), self.work(task), self.team)
        saved, notes = checkpoint.newest(self.out)
        if saved is not None:
            trainer.restore(saved)
            notes.append(f"going on from step {saved.step:,}")
        progress = trainer.progress if trainer.progress.finished else trainer.train(quiet=quiet)
        if self.team.leads:
            self.export(trainer)
        self.team.wait()
        return Result(self.out, progress.step, progress.finished, progress.best, notes)

    def claim(self, resume: bool) -> None:
        """Make the folder, or find it as it was left."""
        if self.out.exists() and any(self.out.iterdir()) and not resume:
            raise OutputError(
                f"{self.out} is there already",
                remedy="go on with --resume, or choose another --out; nothing was changed",
            )
        if self.team.leads:
            self.out.mkdir(parents=True, exist_ok=True)
        self.team.wait()

    # --- data ---------------------------------------------------------------------------------------

    def parts(self) -> dict[str, Records]:
        """Training data, and validation data given, found, or cut off."""
        return open_data(self.config.data, self.config.task)

    def task(self) -> Task[Any]:
        """What is learned from the data before training; kept in the run, so that it is the same when it goes on."""
        setup = self.out / SETUP
        if not setup.exists():
            if self.team.leads:
                learned = task_called(self.config.task).learn(self.config, self.parts()["train"], {})
                with new_folder(setup) as folder:
                    save_task(folder, learned)
            self.team.wait()
        config, task = load_task(setup)
        if config.model_dump(exclude={"train"}) != self.config.model_dump(exclude={"train"}):
            raise ConfigError(
                str(self.out),
                [("", "the settings of data, tokens or model are not those it was begun with", "use another --out")],
            )
        return task

    def work(self, task: Task[Any]) -> Work[Any]:
        parts = self.parts()
        if self.team.leads:
            self.corpora(task, parts)
        self.team.wait()
        corpora = self.corpora(task, parts)
        settings = self.config.train
        plan = Plan(settings.batch_tokens, settings.seed, settings.label_smoothing, self.team.device)
        return task.work(corpora["train"], corpora.get("valid"), plan)

    def corpora(self, task: Task[Any], parts: dict[str, Records]) -> dict[str, Corpus]:
        chosen = self.config.data.model_dump(mode="json")
        used = {name: records for name, records in parts.items() if name != "test"}
        return {name: task.corpus(records, cache_folder(), {"part": name, **chosen}) for name, records in used.items()}

    # --- the model ----------------------------------------------------------------------------------

    def export(self, trainer: Trainer[Any]) -> None:
        """The best weights, the settings and the dictionary at the top of the folder, with a manifest."""
        step = trainer.progress.best_step or trainer.progress.step
        best = checkpoint.load(checkpoint.folder_of(self.out, step))
        weights = best.tensors["model"] | best.tensors.get("average", {})
        write_tensors(self.out / "model.safetensors", weights)
        for file in (self.out / SETUP).iterdir():
            if file.name != "manifest.json":
                shutil.copyfile(file, self.out / file.name)
        write_manifest(self.out)


def save_task(folder: Path, task: Task[Any]) -> None:
    for name, tokenizer in task.tokenizers.items():
        tokenizer.save(folder / f"{name}.tokenizer.json")
    write_json(folder / "config.json", {"config": task.config.model_dump(mode="json"), "facts": task.facts})


def load_task(folder: Path) -> tuple[RunConfig, Task[Any]]:
    saved = read_json(folder / "config.json")
    config = check_run(saved["config"], where=str(folder / "config.json"))
    ending = ".tokenizer.json"
    tokenizers = {file.name.removesuffix(ending): Tokenizer.load(file) for file in sorted(folder.glob(f"*{ending}"))}
    return config, task_called(config.task)(config, tokenizers, saved["facts"])
