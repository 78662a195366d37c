"""What a user brings: a definition, a cell, an encoder or a decoder of their own, as an architecture."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from seqloom.equations import Equations
from seqloom.errors import SeqloomError, quoted
from seqloom.layers.derived import cell_for
from seqloom.layers.derived_block import check_block
from seqloom.layers.recurrent import Cell, Recurrent
from seqloom.models.encoders.base import Encoder
from seqloom.models.encoders.user_blocks import BlockEncoder
from seqloom.models.references import imported, provenance, reference_of
from seqloom.models.registry import ARCHITECTURES, Architecture, described, find

NAMING = ("name", "encoder", "decoder")
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
        from seqloom.models.seq2seq.decoders.base import Decoder  # here: who classifies need not wait for decoders

        if issubclass(thing, Decoder):
            return described(thing, name, sentence, kind="decoder")
    raise SeqloomError(
        f"{name} is not an architecture, it is {thing!r}",
        remedy="give an @equations definition, a class that is an Encoder, a Decoder or a recurrent layer, "
        "or something that is registered with @architecture",
    )


def from_definition(definition: Equations[..., Any], name: str, sentence: str) -> Architecture:
    """With state it is a cell, without it a block: every layer of an encoder."""
    if definition.body.states:
        return described(partial(cell_for, definition), name, sentence, kind="cell", origin=definition)
    letters = set(letters_in(definition))
    read_for = {"F": "hidden", "N": "heads", "K": "heads"}
    reads = ["widths", "positions", *(setting for letter, setting in read_for.items() if letter in letters)]
    make, masked = partial(BlockEncoder, definition), check_block(definition)
    return described(make, name, sentence, kind="encoder", reads=reads, causal=masked, origin=definition)


def letters_in(definition: Equations[..., Any]) -> Iterator[str]:
    """The sizes that the weights of a definition are made of, and those that it takes itself."""
    for name, entry in definition.legend.patterns:
        yield name
        yield from "".join(entry.shape)
    for call in definition.bind().body.calls():
        if call.definition is not None:
            yield from letters_in(call.definition)


def model_reference(model: Any) -> str:
    """What the settings call an architecture that is given as an object: a name, or `package.module:name`."""
    if isinstance(model, str):
        return model
    if isinstance(model, Architecture):
        return model.name if model in ARCHITECTURES.values() else reference_of(model.origin)
    if not callable(model):
        raise SeqloomError(
            f"{quoted(model)} is not a model",
            remedy='give a name, as "lstm", a dictionary, as {"name": "lstm", "widths": [64]}, '
            "an @equations definition, or a class that is an Encoder, a Decoder or a recurrent layer",
        )
    return reference_of(model)


# --- where a trained model's architecture came from --------------------------------------------------


def origins(config: Any) -> dict[str, dict[str, str]]:
    """For each setting that names an architecture of another package, where that came from."""
    named = {setting: getattr(config, setting, None) for setting in NAMING}
    found = {setting: (name, find(name)) for setting, name in named.items() if isinstance(name, str)}
    return {setting: provenance(each.origin, name) for setting, (name, each) in found.items() if not each.ours}


def check_origin(folder: Path, name: str, then: dict[str, str]) -> None:
    """Say clearly if the architecture of a trained model is not there, or is not what it was."""
    package = f" ({then['package']} {then['version']})" if "version" in then else ""
    try:
        now = provenance(find(name).origin, name)
    except SeqloomError as error:
        what = f"{folder} was trained with {then['reference']}{package}, which is not there: {error.what}"
        raise SeqloomError(what, remedy=error.remedy) from error
    if now["sha256"] != then["sha256"]:
        what = f"the source of {then['reference']}{package} has changed since {folder} was trained with it"
        print(f"{what}: its answers may be others", file=sys.stderr)
