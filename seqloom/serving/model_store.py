"""Models by name: loaded on first use; when memory is short, the least recently used one is dropped."""

from __future__ import annotations

import gc
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Literal
from weakref import WeakValueDictionary

from seqloom.engines.settings import engine_of
from seqloom.errors import SeqloomError
from seqloom.serving.errors import APIError
from seqloom.storage import is_pack, open_files
from seqloom.training import checkpoint
from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.run_config import RunConfig
from seqloom.training.run_folder import is_unfinished, resume_remedy
from seqloom.training.saved_task import SETUP, WEIGHTS, load_task

STEP = re.compile(r"0|[1-9][0-9]{0,11}")
Unfinished = Literal["none", "begun", "awaited"]
"""Which folders without a trained model may be given: none, those of a run, or also one that a run will make."""


@dataclass(frozen=True)
class ModelEntry:
    """A model that is served; its weights may be in memory or not."""

    name: str
    folder: Path
    config: RunConfig
    options: type[Any]
    """Settings of a request: those of its task."""
    size: int
    """Bytes of its weights."""
    generates_text: bool
    """Whether it takes a text and generates one."""
    translates: bool
    """Whether it turns a text of one language into one of another."""
    step: int | None = None
    """Of a checkpoint of a run: after how many steps."""

    @property
    def task(self) -> str:
        return self.config.task

    @property
    def architecture(self) -> str:
        """The name of its architecture; a task of somebody's own may have none."""
        return getattr(getattr(self.config, "model", None), "name", "")

    def info(self) -> dict[str, Any]:
        """What `GET /api/models` says of it."""
        data = self.config.data
        return {
            "name": self.name,
            "task": self.task,
            "model": self.architecture,
            "source_language": data.source_language,
            "target_language": data.target_language,
            "options": sorted(self.options.model_fields),
        }


class ModelStore:
    """All models of a server, as an LRU cache with a bound in bytes. Thread-safe; each model is loaded once."""

    def __init__(self, folders: Sequence[str], model_bytes: int, unfinished: Unfinished = "none") -> None:
        self.model_bytes = model_bytes
        self.folders: dict[str, Path] = {}
        """All that were given, by name: those of runs that are not finished too."""
        self.entries: dict[str, ModelEntry] = {}
        self.checkpoints: dict[str, ModelEntry] = {}
        """Models as they were at a step, NAME@STEP; they are listed nowhere, and found by who knows of them."""
        for given in folders:
            name, folder = named(given)
            if name in self.folders:
                raise SeqloomError(f"two models are called {name}", remedy="name one: seqloom serve other=FOLDER ...")
            self.folders[name] = folder
            if not may_wait(folder, unfinished):
                self.entries[name] = self.checked(entry_of(name, folder))
        self.loaded: dict[str, Model] = {}  # least recently used first
        self.alive: WeakValueDictionary[str, Model] = WeakValueDictionary()
        """Those in memory: also one that was dropped, while requests still wait for it."""
        self.lock, self.loading = Lock(), Lock()

    def checked(self, entry: ModelEntry) -> ModelEntry:
        if entry.size > self.model_bytes:
            what = f"{entry.folder} has {entry.size:,} bytes of weights, and model_bytes is {self.model_bytes:,}"
            raise SeqloomError(what, remedy="raise it with --set model_bytes=...")
        return entry

    def find(self, name: str) -> ModelEntry | None:
        """A model by name, also one that was trained since, and one of a checkpoint: NAME@STEP. It reads files."""
        if name in self.entries:
            return self.entries[name]
        base, _, step = name.rpartition("@")
        if base in self.folders and STEP.fullmatch(step):  # one way to write it: each name is a model in memory
            return self.at_step(name, self.folders[base], int(step))
        if name in self.folders and not may_wait(self.folders[name], "awaited"):
            found = self.checked(entry_of(name, self.folders[name]))
            self.entries = {**self.entries, name: found}  # another: who goes through the old one does so to its end
        return self.entries.get(name)

    def at_step(self, name: str, folder: Path, step: int) -> ModelEntry | None:
        """A run as it was at a step; None once that checkpoint is gone."""
        kept = checkpoint.kept_steps(folder)
        for gone in [
            each for each, one in list(self.checkpoints.items()) if one.folder == folder and one.step not in kept
        ]:
            if gone not in self.alive:
                self.checkpoints.pop(gone, None)
        if step not in kept:
            return self.checkpoints.get(name)
        if name not in self.checkpoints:
            config, task = load_task(open_files(folder / SETUP))
            size = checkpoint.size_to_predict(checkpoint.folder_of(folder, step))
            kinds = (config, task.Options, size, task.generates_text, task.translates)
            self.checkpoints[name] = self.checked(ModelEntry(name, folder, *kinds, step))
        return self.checkpoints[name]

    def get(self, name: str) -> Model | None:
        """The model if it is in memory; it becomes the most recently used."""
        with self.lock:
            model = self.loaded.pop(name, None) or self.alive.get(name)
            if model is not None:
                self.loaded[name] = model
            return model

    def open(self, name: str) -> Model:
        """The model, loaded first if it is not in memory."""
        with self.loading:
            if (model := self.get(name)) is not None:
                return model
            entry = self.entries.get(name) or self.checkpoints[name]
            self.make_space(entry.size)
            model = load(entry.folder, step=entry.step)
            if model.config != entry.config:
                raise APIError(503, f"the model {name} has changed since this server started: restart it")
            with self.lock:
                self.loaded[name] = self.alive[name] = model
            return model

    def make_space(self, size: int) -> None:
        """Drop models, least recently used first, until so many bytes fit; an error if those in use take too much."""
        with self.lock:
            while self.bytes_in_memory() + size > self.model_bytes and self.loaded:
                del self.loaded[next(iter(self.loaded))]
                gc.collect()  # a module and its parts know each other
            if self.bytes_in_memory() + size > self.model_bytes:
                what = "the models in use leave no memory for another"
                raise APIError(503, what, bound="model_bytes", retry_after=5)

    def bytes_in_memory(self) -> int:
        """Bytes of weights in memory."""
        return sum((self.entries.get(name) or self.checkpoints[name]).size for name in self.alive)


def named(given: str) -> tuple[str, Path]:
    """A folder or a pack, or NAME=FOLDER: its name and where it is."""
    name, equals, path = given.partition("=")
    folder = Path(path if equals and not Path(given).exists() else given)
    if not equals or Path(given).exists():
        name = folder.resolve().stem if is_pack(folder) else folder.resolve().name
    return name, folder


def may_wait(folder: Path, unfinished: Unfinished) -> bool:
    """Whether a folder has no model yet, and need not have one."""
    if unfinished == "none" or is_pack(folder) or (folder / WEIGHTS).exists():
        return False
    return (folder / SETUP).is_dir() or (unfinished == "awaited" and not (folder / "manifest.json").exists())


def entry_of(name: str, folder: Path) -> ModelEntry:
    """A folder or a pack under a name: looked at and checked, but not loaded."""
    if is_unfinished(folder):
        remedy = f"{resume_remedy(folder)}; seqloom studio {folder} shows its checkpoints meanwhile"
        raise SeqloomError(f"{folder} is a run that is not finished: it has no model to serve yet", remedy=remedy)
    files = open_files(folder)
    files.verify()
    engine = engine_of(files)
    if engine is None and WEIGHTS not in files:
        raise SeqloomError(f"{folder} holds no trained model", remedy="finish its training with --resume")
    config, task = load_task(files)
    size = sum(map(files.size, engine.files if engine else [WEIGHTS]))
    return ModelEntry(name, folder, config, task.Options, size, task.generates_text, task.translates)
