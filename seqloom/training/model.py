"""A trained model: loaded from its folder, called with a text, measured on data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.config import check
from seqloom.data.source import open_source
from seqloom.errors import SeqloomError
from seqloom.storage import read_tensors, verify
from seqloom.tasks.task import Findings, Task
from seqloom.training.run import load_task
from seqloom.training.run_config import RunConfig


class Model:
    """A trained model: call it with a text or a list of texts; options are those of its task."""

    def __init__(self, config: RunConfig, task: Task[Any], network: nn.Module) -> None:
        self.config, self.task, self.network = config, task, network

    def __call__(self, texts: Any, **options: Any) -> Any:
        chosen = self.options(**options)
        if isinstance(texts, list | tuple):
            return self.task.predict(self.network, texts, chosen)
        return self.task.predict(self.network, [texts], chosen)[0]

    def options(self, **options: Any) -> Any:
        """Options by name, checked: an unknown one, or a value that cannot be, is an error."""
        return check(self.task.Options, options, where="options")

    def evaluate(self, data: Any, **options: Any) -> Findings:
        """How it does on data of the kind it was trained on."""
        records = open_source(data, task=self.config.task, **self.config.data.how())
        with TemporaryDirectory() as cache:
            corpus = self.task.corpus(records, Path(cache), {})
            return self.task.evaluate(self.network, corpus, self.device, self.options(**options))

    def vectors(self, texts: Sequence[str]) -> Tensor:
        """One row a text (B, H)."""
        return self.task.vectors(self.network, texts)

    @property
    def device(self) -> torch.device:
        return next(self.network.parameters()).device


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
