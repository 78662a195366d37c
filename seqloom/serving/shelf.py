"""Models by name: loaded on first use, the one used longest ago dropped when there is no room."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from seqloom.errors import SeqloomError
from seqloom.serving.refusal import Refusal
from seqloom.storage import verify
from seqloom.training.model import Model, load
from seqloom.training.run import load_task
from seqloom.training.run_config import RunConfig

WEIGHTS = "model.safetensors"


@dataclass(frozen=True)
class Entry:
    """A model that can be served; its weights may be in memory or not."""

    name: str
    folder: Path
    config: RunConfig
    options: type[Any]
    """What may be said when it is asked."""
    size: int
    """Bytes of its weights."""

    @property
    def task(self) -> str:
        return self.config.task

    @property
    def writes(self) -> bool:
        """Whether it takes a text and writes one: a masked model only fills blanks."""
        settings: Any = self.config
        return self.task == "translate" or (self.task == "generate" and settings.generate.objective == "next")

    def about(self) -> dict[str, Any]:
        data = self.config.data
        return {
            "name": self.name,
            "task": self.task,
            "model": self.config.model.name,  # type: ignore[attr-defined]  # every task has a model
            "source_language": data.source_language,
            "target_language": data.target_language,
            "options": sorted(self.options.model_fields),
        }


class Shelf:
    """All models of a server. Any thread may ask; each model is loaded once."""

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
        self.loaded: dict[str, Model] = {}  # the one used longest ago first
        self.alive: WeakValueDictionary[str, Model] = WeakValueDictionary()
        """Those in memory: also one that was dropped, while requests still wait for it."""
        self.lock, self.loading = Lock(), Lock()

    def get(self, name: str) -> Model | None:
        """The model if it is in memory; it is the one used last now."""
        with self.lock:
            model = self.loaded.pop(name, None) or self.alive.get(name)
            if model is not None:
                self.loaded[name] = model
            return model

    def open(self, name: str) -> Model:
        """The model, loaded if it is not; takes as long as that."""
        with self.loading:
            if (model := self.get(name)) is not None:
                return model
            self.make_room(self.entries[name].size)
            model = load(self.entries[name].folder)
            with self.lock:
                self.loaded[name] = self.alive[name] = model
            return model

    def make_room(self, size: int) -> None:
        """Drop models until so many bytes fit, the one used longest ago first; refuse if those in use leave no room."""
        with self.lock:
            while self.held() + size > self.model_bytes and self.loaded:
                del self.loaded[next(iter(self.loaded))]
                gc.collect()  # a module and its parts know each other
            if self.held() + size > self.model_bytes:
                what = "the models in use leave no room for another"
                raise Refusal(503, what, bound="model_bytes", retry_after=5)

    def held(self) -> int:
        """Bytes of weights in memory."""
        return sum(self.entries[name].size for name in self.alive)


def entry_of(given: str) -> Entry:
    """A folder, or NAME=FOLDER: looked at and checked, but not loaded."""
    name, equals, path = given.partition("=")
    folder = Path(path if equals and not Path(given).exists() else given)
    if not equals or Path(given).exists():
        name = folder.resolve().name
    verify(folder)
    if not (folder / WEIGHTS).exists():
        raise SeqloomError(f"{folder} holds no trained model", remedy="finish its training with --resume")
    config, task = load_task(folder)
    return Entry(name, folder, config, task.Options, (folder / WEIGHTS).stat().st_size)
