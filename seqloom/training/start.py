"""`seqloom.train(...)`: the one call behind the command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seqloom.training.model import Model, load
from seqloom.training.run import train as run
from seqloom.training.run_config import load_run


def train(
    config: Path | str | None = None,
    *,
    data: Any = None,
    task: str | None = None,
    model: str | None = None,
    out: Path | str = "run",
    settings: Sequence[str] = (),
    resume: bool = False,
    quiet: bool = False,
) -> Model:
    """Train a model and return it, ready to be called.

    config    a TOML file; what follows goes before it
    data      training data: a path, a pattern, a folder, files by label
    task      what the model does: classify
    model     the architecture: logistic, mlp, rnn, gru, lstm, self-attentive-rnn, cnn, mixer, transformer
    out       the folder of the run; it must not be there yet, unless `resume`
    settings  changes like "train.steps=500"
    """
    chosen = load_run(config, settings, data__train=data, task=task, model__name=model)
    run(chosen, Path(out), resume=resume, quiet=quiet)
    return load(out)
