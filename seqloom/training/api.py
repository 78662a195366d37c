"""`seqloom.train(...)`: the one call behind the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from seqloom.data.in_memory import as_data
from seqloom.errors import SeqloomError, as_path
from seqloom.tasks.task import Task
from seqloom.training.callbacks import Callback
from seqloom.training.keyword_settings import WHERE, gather_keywords
from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.run import train as run
from seqloom.training.run_config import RunConfig, check_run


def train(
    config: Path | str | Mapping[str, Any] | RunConfig | None = None,
    *,
    data: Any = None,
    valid: Any = None,
    task: str | type[Task[Any]] | None = None,
    model: Any = None,
    teacher: Any = None,
    out: Path | str = "run",
    steps: int | None = None,
    budget: str | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    resume: bool = False,
    quiet: bool = False,
    callbacks: Sequence[Callback] = (),
    **named: Any,
) -> Model:
    """Train a model and return it, ready to be called.

    config    a TOML file, a dictionary of sections, or a configuration object; the other arguments override it
    data      training data: a path, a pattern, a folder, files by label, "embedded:dates"; or rows: a list of pairs
              (label, text) or of dicts, a pandas or polars DataFrame, an Arrow table, a Hugging Face dataset, a
              generator; or {"train": ..., "valid": ...}, as a DatasetDict is
    valid     validation data, in the same ways; default: found next to the training data, or split off
    task      the task: classify, tag, generate, translate, caption, package.module:Name, or a subclass of
              `seqloom.Task`; implied by embedded data
    model     the architecture: a name as lstm, cnn or transformer (`seqloom summary` lists them), package.module:name,
              or an object: an `@equations` definition, a class that is an Encoder or a recurrent layer; or the whole
              section, as {"name": "lstm", "widths": [128]}
    teacher   a trained model to distil from: its folder, its pack, or what `seqloom.load` returned; or the whole
              section, as {"model": "runs/large", "temperature": 4}
    out       the folder of the run; it must not exist, unless `resume` continues the run in it, with the same data
    steps     optimizer steps in total; or
    budget    training time, e.g. "45m" or "1h30m"
    settings  changes like "train.steps=500", or a dictionary
    callbacks objects with on_step, on_validation or on_end (`seqloom.Callback`), which may stop the run
    named     sections as dictionaries or configuration objects, train={"learning_rate": 0.01}, tokens={"kind": "bpe"};
              or settings by name where one section alone has it: learning_rate=0.01, dropout=0.3
    """
    values = gather_keywords(
        config, settings, task=task, data=data, model=model,
        named={"valid": as_data(valid, "valid"), "steps": steps, "budget": budget, "teacher": section_of(teacher),
               **named},
    )  # fmt: skip
    chosen = check_run(values, where=str(config) if isinstance(config, str | Path) else WHERE)
    result = run(chosen, as_path(out, "out"), resume=resume, quiet=quiet, callbacks=callbacks)
    if not quiet:
        Console(stderr=True).print(Text(result.summary()), soft_wrap=True)
    trained = load(out)
    return Model(trained.config.model_copy(update={"data": chosen.data}), trained.task, trained.network, trained.folder)


def section_of(teacher: Any) -> Any:
    """The section [teacher]: that of a model by its folder."""
    if isinstance(teacher, Model):
        if teacher.folder is None:
            raise SeqloomError("the teacher is in no folder", remedy="save it first: model.save(folder)")
        teacher = teacher.folder
    return {"model": str(teacher)} if isinstance(teacher, str | Path) else teacher
