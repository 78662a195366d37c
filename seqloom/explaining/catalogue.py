"""Everything that can be explained, by name: the definitions of seqloom, of installed packages, of a user."""

from __future__ import annotations

import importlib
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
from seqloom.models.references import imported
from seqloom.models.registry import find as find_architecture
from seqloom.models.registry import names
from seqloom.models.seq2seq.model import Seq2Seq
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
        return equations_at(name)
    known, label = definitions(), name.replace("_", "-").lower()
    if label in known:
        return known[label]
    if label in names("translate"):
        return small_translator(label).part().bound
    raise UnknownName("definition", name, [*known, *names("translate")], remedy="`seqloom explain` lists what there is")


@cache
def small_translator(name: str) -> Seq2Seq:
    """A translator by name with as many layers as it has, each small enough to be looked at."""
    preset = find_architecture(name, "translate").preset
    sides = {side: find_architecture(preset[side], side).reads for side in ("encoder", "decoder")}
    small: dict[str, Any] = {"embedding": 4}
    for side, reads in sides.items():
        if {"widths", f"{side}_widths"} & reads:
            small[f"{side}_widths"] = [4] * len(preset.get(f"{side}_widths", [0]))
        small |= {size: value for size, value in (("heads", 2), ("hidden", 5)) if size in reads}
    return Seq2Seq.of_texts(Seq2SeqConfig.model_validate({"name": name, **small}), 8, 8).eval()


def is_model(definition: Equations[..., Any]) -> bool:
    """Whether this is a whole model or a part of one rather than a layer."""
    return definition.__module__.startswith("seqloom.models.")


def equations_at(reference: str) -> Equations[..., Any]:
    thing = imported(reference)
    if not isinstance(thing, Equations):
        module, _, name = reference.partition(":")
        has = ", ".join(definition.name for definition in defined_in(sys.modules[module])) or "none"
        raise SeqloomError(
            f"{module} has no equations called {name}",
            remedy=f"decorate it with @seqloom.equations.equations; it has: {has}",
        )
    return thing
