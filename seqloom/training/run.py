"""A run: from settings to a trained model in a folder."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import nn

from seqloom.data.opening import open_data
from seqloom.data.shards import Corpus
from seqloom.data.source import open_source
from seqloom.data.splits import Records
from seqloom.errors import ConfigError, OutputError, SeqloomError
from seqloom.evaluating.classification import Classified
from seqloom.storage import new_folder, read_json, read_tensors, verify, write_json, write_manifest, write_tensors
from seqloom.tasks.classify import Batch, Classify, ClassifyWork, measure
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training import checkpoint
from seqloom.training.loop import Trainer
from seqloom.training.run_config import RunConfig
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
        trainer: Trainer[Batch] = Trainer(self.out, self.config.train, task.make_model(), self.work(task), self.team)
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

    def task(self) -> Classify:
        """What is learned from the data before training; kept in the run, so that it is the same when it goes on."""
        setup = self.out / SETUP
        if not setup.exists():
            if self.team.leads:
                parts = self.parts()
                task = Classify.learn(parts["train"], self.config.tokens, self.config.model)
                with new_folder(setup) as folder:
                    save_task(folder, task, self.config)
            self.team.wait()
        config, task = load_task(setup)
        if config.model_dump(exclude={"train"}) != self.config.model_dump(exclude={"train"}):
            raise ConfigError(
                str(self.out),
                [("", "the settings of data, tokens or model are not those it was begun with", "use another --out")],
            )
        return task

    def work(self, task: Classify) -> ClassifyWork:
        parts = self.parts()
        if self.team.leads:
            self.corpora(task, parts)
        self.team.wait()
        corpora = self.corpora(task, parts)
        settings = self.config.train
        return ClassifyWork(
            task, corpora["train"], corpora.get("valid"), settings.batch_tokens, settings.seed,
            settings.label_smoothing, self.team.device,
        )  # fmt: skip

    def corpora(self, task: Classify, parts: dict[str, Records]) -> dict[str, Corpus]:
        chosen = self.config.data.model_dump(mode="json")
        cache = cache_folder()
        return {name: task.corpus(records, cache, {"part": name, **chosen}) for name, records in parts.items()}

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


def save_task(folder: Path, task: Classify, config: RunConfig) -> None:
    task.tokenizer.save(folder / "text.tokenizer.json")
    write_json(folder / "config.json", {"config": config.model_dump(mode="json"), "labels": task.labels})


def load_task(folder: Path) -> tuple[RunConfig, Classify]:
    saved = read_json(folder / "config.json")
    config = RunConfig.model_validate(saved["config"])
    return config, Classify(Tokenizer.load(folder / "text.tokenizer.json"), saved["labels"], config.model)


class Model:
    """A trained model: call it with a text or a list of texts."""

    def __init__(self, config: RunConfig, task: Classify, network: nn.Module) -> None:
        self.config, self.task, self.network = config, task, network

    def __call__(self, texts: str | list[str]) -> Any:
        if isinstance(texts, str):
            return self.task.predict(self.network, [texts])[0]
        return self.task.predict(self.network, texts)


def load(folder: Path | str) -> Model:
    """A trained model from its folder; every file is checked first."""
    place = Path(folder)
    verify(place)
    if not (place / "model.safetensors").exists():
        raise SeqloomError(f"{place} holds no trained model", remedy="finish its training with --resume")
    config, task = load_task(place)
    network = task.make_model()
    network.load_state_dict(read_tensors(place / "model.safetensors"))
    return Model(config, task, network.eval())


def evaluate(folder: Path | str, data: Any) -> tuple[Classified, float]:
    """How a trained model does on labelled data: right and wrong by label, and the mean loss."""
    model = load(folder)
    records = open_source(data, task=model.config.task, **model.config.data.how())
    with TemporaryDirectory() as cache:
        corpus = model.task.corpus(records, Path(cache), {})
        return measure(model.task, model.network, corpus, torch.device("cpu"))
