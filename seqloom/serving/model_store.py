"""Models by name: loaded on first use; when memory is short, the least recently used one is dropped."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from seqloom.engines.settings import engine_of
from seqloom.errors import SeqloomError
from seqloom.serving.errors import APIError
from seqloom.storage import is_pack, open_files
from seqloom.training.model import Model, load
from seqloom.training.run_config import RunConfig
from seqloom.training.saved_task import WEIGHTS, load_task


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

    def __init__(self, folders: Sequence[str], model_bytes: int) -> None:
        self.entries = {entry.name: entry for entry in map(entry_of, folders)}
        if len(self.entries) < len(folders):
            names = [entry_of(folder).name for folder in folders]
            twice = next(name for name in names if names.count(name) > 1)
            raise SeqloomError(f"two models are called {twice}", remedy="name one: seqloom serve other=FOLDER ...")
        self.model_bytes = model_bytes
        for entry in self.entries.values():
            if entry.size > model_bytes:
                what = f"{entry.folder} has {entry.size:,} bytes of weights, and model_bytes is {model_bytes:,}"
                raise SeqloomError(what, remedy="raise it with --set model_bytes=...")
        self.loaded: dict[str, Model] = {}  # least recently used first
        self.alive: WeakValueDictionary[str, Model] = WeakValueDictionary()
        """Those in memory: also one that was dropped, while requests still wait for it."""
        self.lock, self.loading = Lock(), Lock()

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
            self.make_space(self.entries[name].size)
            model = load(self.entries[name].folder)
            if model.config != self.entries[name].config:
                raise APIError(503, f"the model {name} is another one since this server started: restart it")
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
        return sum(self.entries[name].size for name in self.alive)


def entry_of(given: str) -> ModelEntry:
    """A folder or a pack, or NAME=FOLDER: looked at and checked, but not loaded."""
    name, equals, path = given.partition("=")
    folder = Path(path if equals and not Path(given).exists() else given)
    if not equals or Path(given).exists():
        name = folder.resolve().stem if is_pack(folder) else folder.resolve().name
    files = open_files(folder)
    files.verify()
    engine = engine_of(files)
    if engine is None and WEIGHTS not in files:
        raise SeqloomError(f"{folder} holds no trained model", remedy="finish its training with --resume")
    config, task = load_task(files)
    size = sum(map(files.size, engine.files if engine else [WEIGHTS]))
    return ModelEntry(name, folder, config, task.Options, size, task.generates_text, task.translates)
