"""`seqloom.train(...)`: the one call behind the command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seqloom.models.user_architectures import model_reference
from seqloom.tasks.registry import task_reference
from seqloom.tasks.task import Task
from seqloom.training.model import Model, load
from seqloom.training.run import train as run
from seqloom.training.run_config import load_run


def train(
    config: Path | str | None = None,
    *,
    data: Any = None,
    valid: Any = None,
    task: str | type[Task[Any]] | None = None,
    model: Any = None,
    out: Path | str = "run",
    steps: int | None = None,
    budget: str | None = None,
    settings: Sequence[str] = (),
    resume: bool = False,
    quiet: bool = False,
) -> Model:
    """Train a model and return it, ready to be called.

    config    a TOML file; what follows goes before it
    data      training data: a path, a pattern, a folder, files by label, "embedded:dates"
    valid     validation data; unsaid, it is found or cut off
    task      what the model does: classify, tag, generate, translate, package.module:Name, or a subclass of
              `seqloom.Task`; embedded data says it
    model     the architecture: a name as lstm, cnn or transformer (`seqloom summary` lists them), package.module:name,
              or an object: an `@equations` definition, a class that is an Encoder or a recurrent layer
    out       the folder of the run; it must not be there yet, unless `resume`
    steps     optimizer steps in total; or
    budget    the time to train for, as "45m" or "1h30m"
    settings  changes like "train.steps=500"
    """
    name = task_reference(task) if isinstance(task, type) else task
    architecture = None if model is None else model_reference(model)
    chosen = load_run(
        config, settings, data__train=data, data__valid=valid, task=name, model__name=architecture,
        train__steps=steps, train__budget=budget,
    )  # fmt: skip
    run(chosen, Path(out), resume=resume, quiet=quiet)
    return load(out)
