"""Models by name: loaded on first use, the one used longest ago dropped when there is no room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from seqloom.errors import SeqloomError
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
        self.lock = Lock()
        self.loading = Lock()

    def get(self, name: str) -> Model | None:
        """The model if it is in memory; it is the one used last now."""
        with self.lock:
            model = self.loaded.pop(name, None)
            if model is not None:
                self.loaded[name] = model
            return model

    def open(self, name: str) -> Model:
        """The model, loaded if it is not; takes as long as that."""
        with self.loading:
            if (model := self.get(name)) is not None:
                return model
            with self.lock:
                self.make_room(self.entries[name].size)
            model = load(self.entries[name].folder)
            with self.lock:
                self.loaded[name] = model
            return model

    def make_room(self, size: int) -> None:
        """Drop models until so many bytes fit; one that still works is freed when it is done."""
        while self.loaded and self.held() + size > self.model_bytes:
            del self.loaded[next(iter(self.loaded))]

    def held(self) -> int:
        return sum(self.entries[name].size for name in self.loaded)


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
