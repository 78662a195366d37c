"""Everything that can be explained, by name: the definitions of seqloom, of installed packages, of a user."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

import seqloom.layers
import seqloom.models
from seqloom.equations import Equations
from seqloom.errors import SeqloomError, UnknownName
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.models.seq2seq.presets import PRESETS
from seqloom.models.seq2seq.settings import Seq2SeqConfig

ENTRY_POINTS = "seqloom.definitions"
"""A package that names a module of its own under this group has its definitions listed beside ours."""


@cache
def definitions() -> dict[str, Equations[..., Any]]:
    """All definitions by their name as people write it (`self-attentive-rnn`), in the order of their files."""
    return {definition.label: definition for module in modules() for definition in defined_in(module)}


def modules() -> Iterator[ModuleType]:
    for package in (seqloom.layers, seqloom.models):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(info.name)
    for point in entry_points(group=ENTRY_POINTS):
        try:
            yield importlib.import_module(point.value)
        except Exception as error:  # whatever another package does when it is loaded
            print(f"left out the definitions of {point.value}: {error}", file=sys.stderr)


def defined_in(module: ModuleType) -> Iterator[Equations[..., Any]]:
    for thing in vars(module).values():
        if isinstance(thing, Equations) and thing.__module__ == module.__name__:
            yield thing


def find(name: str) -> Equations[..., Any]:
    """A definition by name, a user's own as `package.module:function`, or the decoder of a translator by name."""
    if ":" in name:
        return imported(name)
    known, label = definitions(), name.replace("_", "-").lower()
    if label in known:
        return known[label]
    if label in PRESETS:
        return translator(label)
    raise UnknownName("definition", name, [*known, *PRESETS], remedy="`seqloom explain` lists what there is")


@cache
def translator(name: str) -> Equations[..., Any]:
    """One step of a translator by name, with as many layers as it has."""
    preset = PRESETS[name]
    layers = {side: [4] * len(preset.get(side, [0])) for side in ("encoder_widths", "decoder_widths")}
    config = Seq2SeqConfig.model_validate({"name": name, "embedding": 4, "heads": 2, "hidden": 4, **layers})
    return Seq2Seq(config, 8, 8).part().bound


def is_model(definition: Equations[..., Any]) -> bool:
    """Whether this is a whole model or a part of one rather than a layer."""
    return definition.__module__.startswith("seqloom.models.")


def imported(name: str) -> Equations[..., Any]:
    module_name, _, function = name.partition(":")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # as `python -m` would
    try:
        module = importlib.import_module(module_name)
    except SeqloomError:
        raise
    except Exception as error:  # whatever a user's module does when it is loaded
        reason = f"{type(error).__name__}: {error}"
        raise SeqloomError(
            f"cannot import {module_name}: {reason}", remedy="mend it, or run where it is found"
        ) from error
    thing = getattr(module, function, None)
    if not isinstance(thing, Equations):
        names = ", ".join(definition.name for definition in defined_in(module)) or "none"
        raise SeqloomError(
            f"{module_name} has no equations called {function}",
            remedy=f"decorate it with @seqloom.equations.equations; it has: {names}",
        )
    return thing
