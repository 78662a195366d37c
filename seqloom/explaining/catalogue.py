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
import seqloom.models.answering
import seqloom.models.encoders.definitions
import seqloom.models.seq2seq.definitions
from seqloom.equations import Equations
from seqloom.errors import SeqloomError, UnknownName
from seqloom.models.references import imported
from seqloom.models.registry import find as find_architecture
from seqloom.models.registry import names
from seqloom.models.seq2seq.definitions.blocks import transformer_with
from seqloom.models.seq2seq.definitions.step import whole

ENTRY_POINTS = "seqloom.definitions"
"""A package that names a module of its own under this group has its definitions listed beside ours."""


@cache
def definitions() -> dict[str, Equations[..., Any]]:
    """All definitions by their name as people write it (`self-attentive-rnn`), in the order of their files."""
    return {definition.label: definition for module in modules() for definition in defined_in(module)}


def modules() -> Iterator[ModuleType]:
    for package in (seqloom.layers, seqloom.models.seq2seq.definitions):
        for info in pkgutil.iter_modules(package.__path__):
            yield importlib.import_module(f"{package.__name__}.{info.name}")
    yield seqloom.models.encoders.definitions
    yield seqloom.models.answering
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
    """A definition by name, or a user's own as `package.module:function`."""
    if ":" in name:
        return equations_at(name)
    known, label = definitions(), name.replace("_", "-").lower()
    if label in known:
        return known[label]
    if label in names("translate"):
        blocks = len(find_architecture(label, "translate").preset["decoder_widths"])
        return whole(transformer_with(blocks), __name__)
    raise UnknownName("definition", name, [*known, *names("translate")], remedy="`seqloom explain` lists what there is")


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
