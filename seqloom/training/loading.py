"""A trained model from its folder: finished or stopped, at a step, packed or exported; every file is checked first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from warnings import warn

from torch import nn

from seqloom.engines.metadata import metadata_at
from seqloom.engines.settings import EngineMetadata, engine_of
from seqloom.errors import SeqloomError, SeqloomWarning, as_path
from seqloom.models.references import no_code_from
from seqloom.models.weights import HasShape, check_shapes, load_weights
from seqloom.storage import ModelFiles, open_files
from seqloom.tasks.task import Task
from seqloom.training import checkpoint
from seqloom.training.initial_weights import freeze
from seqloom.training.model import Model
from seqloom.training.run_folder import is_unfinished, resume_remedy
from seqloom.training.saved_task import (
    SETUP,
    UNFIT,
    WEIGHTS,
    does_not_fit,
    folder_of,
    is_outside,
    load_task,
    read_saved,
)
from seqloom.training.trusted_runs import is_marked


def load(folder: Path | str, *, step: int | None = None) -> Model:
    """Load a trained model from its folder or its pack; every file is checked first.

    step    of a run: as it was after so many steps, if that checkpoint is still there
    """
    place = as_path(folder, "folder")
    if step is not None:
        return load_step(place, step)
    if is_unfinished(place):
        return load_stopped(place)
    files = open_files(place)
    files.verify()
    if (facts := engine_of(files)) is not None:
        return load_exported(files, facts)
    if WEIGHTS not in files:
        raise SeqloomError(f"{place} holds no trained model", remedy="give the folder that a run was trained in")
    config, task = load_task(files)
    network = build(task, files, files.tensor_infos(WEIGHTS))
    load_weights(network, files.tensors(WEIGHTS))
    freeze(network, config.start)
    return Model(config, task, network.eval(), place, own=read_saved(files).own)


def load_exported(files: ModelFiles, facts: EngineMetadata) -> Model:
    """An exported model with its engine in the place of a module."""
    config, task = load_task(files)
    from seqloom.engines.network import make_network  # here: it knows the tasks that can be exported

    network = make_network(files, facts, task)
    return Model(config, task, network.eval(), files.place, own=read_saved(files).own)


def load_to_explain(folder: Path | str) -> Model:
    """Load a model in torch: of an exported folder, the one that it was made from."""
    place = as_path(folder, "folder")
    facts = metadata_at(place)
    if facts is None:
        return load(place)
    if facts.made_from and not is_marked(facts.made_from, facts.mark):
        what = f"{place} was exported for {facts.engine} by somebody else, and the folder that it names is not opened"
        raise SeqloomError(what, remedy="give the folder of the trained model")
    if not facts.made_from or not Path(facts.made_from).exists():
        what = f"{place} was exported for {facts.engine}, and {facts.made_from or 'what it was made from'} is not there"
        raise SeqloomError(what, remedy="give the folder of the trained model")
    return load(facts.made_from)


def load_stopped(run: Path) -> Model:
    """Load a run that was stopped, or still trains, from its best checkpoint so far, with a warning that says so."""
    best = checkpoint.best(run)
    if best is None:
        raise SeqloomError(f"{run} is a run without a checkpoint yet", remedy=resume_remedy(run))
    step = f"{run} is not finished: this is its best checkpoint, of step {best.step:,}"
    warn(f"{step}; {resume_remedy(run)}", SeqloomWarning, stacklevel=3)
    return with_weights_of(run, best)


def load_step(run: Path, step: int) -> Model:
    """Load a run as it was after so many steps."""
    kept = checkpoint.kept_steps(run)
    if step not in kept:
        there = f"there are steps {', '.join(map(str, kept))}" if kept else "it has no checkpoints"
        what = f"{run} has no checkpoint of step {step:,}: {there}"
        raise SeqloomError(what, remedy="take one of them; train.keep says how many a run keeps")
    return with_weights_of(run, checkpoint.load(checkpoint.folder_of(run, step), to_predict=True))


def with_weights_of(run: Path, saved: checkpoint.Checkpoint) -> Model:
    """The model of a run with the weights of one of its checkpoints."""
    setup = open_files(run / SETUP)
    setup.verify()
    config, task = load_task(setup)
    network = build(task, setup, saved.weights)
    load_weights(network, saved.weights)
    return Model(config, task, network.eval(), run, own=read_saved(setup).own)


def build(task: Task[Any], files: ModelFiles, weights: Mapping[str, HasShape]) -> nn.Module:
    """The network of a task, held to the shapes of its weights before it takes any memory."""
    with no_code_from(folder_of(files)):
        try:
            check_shapes(task.make_model, weights)
        except UNFIT as error:
            if not is_outside(task):  # code of a user's own may need real numbers to build with
                raise does_not_fit(files, error) from error
        return task.make_model()
