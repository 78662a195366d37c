"""What a user brings: a definition, a cell, an encoder or a decoder of their own, as an architecture."""

from __future__ import annotations

from functools import partial
from typing import Any

from seqloom.equations import Equations
from seqloom.errors import SeqloomError
from seqloom.layers.recurrent import Cell, Recurrent
from seqloom.models.encoders.base import Encoder
from seqloom.models.encoders.blocks import BlockEncoder
from seqloom.models.references import imported
from seqloom.models.registry import ARCHITECTURES, Architecture, described
from seqloom.models.seq2seq.decoders.base import Decoder

NAMES = ("name", "encoder", "decoder")
"""Settings of the section [model] that name an architecture."""


def outside(reference: str) -> Architecture:
    """The architecture that `package.module:name` refers to."""
    return adapted(imported(reference), reference)


def adapted(thing: Any, name: str) -> Architecture:
    """A registered architecture as it is; a definition or a class as the architecture that it makes."""
    if isinstance(thing, Architecture):
        return thing
    for known in ARCHITECTURES.values():
        if known.origin is thing:
            return known
    sentence = (getattr(thing, "__doc__", None) or "").strip().partition("\n")[0].rstrip(".")
    if isinstance(thing, Equations):
        return from_definition(thing, name, sentence)
    if isinstance(thing, type):
        if issubclass(thing, Recurrent):
            return described(thing, name, sentence, kind="cell", decodes=issubclass(thing, Cell))
        if issubclass(thing, Encoder):
            return described(thing, name, sentence, kind="encoder")
        if issubclass(thing, Decoder):
            return described(thing, name, sentence, kind="decoder")
    raise SeqloomError(
        f"{name} is no architecture, it is {thing!r}",
        remedy="give an @equations definition, a class that is an Encoder, a Decoder or a recurrent layer, "
        "or something that is registered with @architecture",
    )


def from_definition(definition: Equations[..., Any], name: str, sentence: str) -> Architecture:
    """With state it is a cell, without it a block: every layer of an encoder."""
    from seqloom.layers.derived import cell_for

    if definition.body.states:
        return described(partial(cell_for, definition), name, sentence, kind="cell", origin=definition)
    return described(partial(BlockEncoder, definition), name, sentence, kind="encoder", origin=definition)
