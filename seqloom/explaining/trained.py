"""A trained model opened with a sentence of the user's: from the whole down to a single gate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from seqloom.engines.engine_module import check_in_torch
from seqloom.errors import SeqloomError, as_path
from seqloom.explaining.walkthrough import Walkthrough, walkthrough
from seqloom.models.stage import Example
from seqloom.storage import MANIFEST, is_pack
from seqloom.training.loading import load_to_explain
from seqloom.training.model import Model


def explain_trained(folder: str | Path | Model, given: Any = None) -> Walkthrough:
    """The stages of a trained model with what they compute for a sentence; without one, for frequent words.

    Frames are an array, or the path of a file; columns beside the input come with it, as when the model is called.
    """
    return opened(folder if isinstance(folder, Model) else loaded(folder), given)


def explain_model(model: Model, given: Any = None, wanted: Callable[[], bool] = lambda: True) -> Walkthrough:
    """As `explain_trained`, of a model that is loaded; but no file is opened: what a stranger sent names none.

    wanted  whether somebody still waits for it; asked before every stage
    """
    return opened(model, None if given is None else model.task.accept(given), wanted)


def at_work(model: Model, given: Any) -> Example:
    """A model that is loaded, at work on an input; what is computed for it is not computed yet. It opens no file."""
    check_in_torch(model.network)
    with torch.no_grad():
        return model.task.example(model.network, model.task.accept(given), model.device)


def opened(model: Model, given: Any, wanted: Callable[[], bool] = lambda: True) -> Walkthrough:
    check_in_torch(model.network)
    size = sum(weight.numel() for weight in model.network.parameters())
    settings = getattr(model.config, "model", None)  # a task of somebody's own may have one model, and no such section
    name = getattr(settings, "name", type(model.network).__name__)
    about = f"{name}, trained to {model.config.task}: {size:,} parameters"
    with torch.no_grad():
        return walkthrough(model.task.example(model.network, given, model.device), about, wanted)


def loaded(folder: str | Path) -> Model:
    if not is_pack(as_path(folder, "model")) and not (Path(folder) / MANIFEST).is_file():
        raise SeqloomError(
            f"{folder} holds no trained model",
            remedy="give the folder that `seqloom train` wrote; `seqloom explain` lists what needs no training",
        )
    return load_to_explain(folder)
