"""Every architecture by name, with all that settings, summary, server and tests need to know of it.

An architecture registers itself where it stands, so a new one is one new file:

    @architecture("bag", "the mean of the words before", kind="encoder")
    class Bag(Encoder):
        def __init__(self, width: int, causal: bool, hidden: int) -> None: ...

Its parameters say what it reads: `width` and `causal` are given by the model around it, other names are settings of the
section [model]. A parameter `config` takes all of them; what is read from it is then named in `reads`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from seqloom.errors import SeqloomError, UnknownName
from seqloom.models.references import refuse_code_of_model

Kind = Literal["cell", "encoder", "decoder", "picture", "model"]
T = TypeVar("T")

READING_TASKS = ("classify", "tag", "generate")
"""Tasks that are solved by one encoder: any that is registered, or one made of a cell."""
CELL_READS = ("widths", "bidirectional"), ("decoder_widths", "every_step", "score", "order", "input_feeding")
"""What the recurrent encoder and the recurrent decoder read, whatever their cell."""
ENTRY_POINTS = "seqloom.architectures"
"""Installed packages name their architectures in this group; each is then known by the name of its entry."""
FOLDERS = "seqloom.models.encoders", "seqloom.models.seq2seq.decoders"
"""Packages whose files register architectures."""
HERE = Path(__file__).parent
FILES = {"words": "bag_of_words"}
"""The files of architectures that are called otherwise."""
OURS = "seqloom.models.classifier", "seqloom.models.picture_encoder", "seqloom.models.seq2seq.presets", *FOLDERS
"""All modules that do."""


@dataclass(frozen=True)
class Architecture:
    """All that is known of an architecture without building it."""

    name: str
    sentence: str
    kind: Kind
    make: Callable[..., Any] | None = None
    """Builds it; a cell from (input_size, hidden_size), others from the settings that they name as parameters."""
    tasks: tuple[str, ...] = ()
    """Tasks in which `model.name` may be its name."""
    causal: bool = True
    """Whether it can be kept from seeing the words to come."""
    reads: frozenset[str] = frozenset()
    """Settings of the section [model] that it reads, beside those that every model does."""
    preset: Mapping[str, Any] = field(default_factory=dict)
    """Settings that its name stands for; a user's own go before them."""
    check: Callable[[Any], None] | None = None
    """Raises `config.problem` if it cannot be built with these settings."""
    adds_positions: bool = False
    """Whether it is blind to word order by itself, so that a translator adds positions to the words."""
    decodes: bool = True
    """Whether a cell may write: its state has a fixed size."""
    networks_optional: bool = False
    """Whether it can do without its feed-forward networks: `hidden` may be 0."""
    binary_logit: bool = False
    """Whether it has one logit for two labels instead of two."""
    origin: Any = None
    """The class, function or definition that was registered."""

    @property
    def ours(self) -> bool:
        return getattr(self.origin, "__module__", __name__).split(".")[0] == "seqloom"


ARCHITECTURES: dict[tuple[Kind, str], Architecture] = {}


def architecture(name: str, sentence: str, *, kind: Kind, reads: Iterable[str] = (), **facts: Any) -> Callable[[T], T]:
    """Register a class or a function that builds an encoder, a decoder, a cell or a whole model."""

    def add(make: T) -> T:
        register(described(make, name, sentence, kind=kind, reads=reads, **facts))
        return make

    return add


def described(
    make: Any, name: str, sentence: str, *, kind: Kind, reads: Iterable[str] = (), **facts: Any
) -> Architecture:
    """What a builder's parameters say, together with what is stated."""
    facts = {"origin": make, **facts}
    if kind in ("cell", "encoder"):
        facts.setdefault("tasks", READING_TASKS)
    if kind == "cell":
        encoder, decoder = CELL_READS
        read = frozenset([*encoder, *(decoder if facts.get("decodes", True) else ()), *reads])
        return Architecture(name, sentence, kind, make, reads=read, **facts)
    parameters = inspect.signature(make).parameters
    facts.setdefault("causal", "causal" in parameters)
    return Architecture(name, sentence, kind, make, reads=frozenset([*parameters, *reads]), **facts)


def register(new: Architecture) -> None:
    """Put an architecture into the registry; names are taken once, but a module may be loaded again."""
    known = ARCHITECTURES.get((new.kind, new.name))
    if known is not None and place_of(known.origin) != place_of(new.origin):
        what = f"a {new.kind} called {new.name} is registered by {place_of(known.origin)} already"
        raise SeqloomError(what, where=place_of(new.origin), remedy="choose another name")
    ARCHITECTURES[new.kind, new.name] = new


def place_of(thing: Any) -> str:
    return f"{getattr(thing, '__module__', '')}:{getattr(thing, '__qualname__', repr(thing))}"


@cache
def load_all() -> None:
    """Import the files that register our architectures, then those of installed packages."""
    for name in OURS:
        module = importlib.import_module(name)
        for info in pkgutil.iter_modules(getattr(module, "__path__", []), f"{name}."):
            importlib.import_module(info.name)
    for point in entry_points(group=ENTRY_POINTS):
        try:
            refuse_code_of_model(point.module)
            thing = point.load()
            if not inspect.ismodule(thing):
                from seqloom.models.user_architectures import (
                    adapted,  # it knows what encoders are, which stand on this file
                )

                register(replace(adapted(thing, point.value), name=point.name))
        except Exception as error:  # whatever another package does when it is loaded
            print(f"left out the architecture {point.name} ({point.value}): {error}", file=sys.stderr)


def load_files_of(name: str) -> None:
    """Import our files that are called as an architecture is, and no others: most are called so."""
    file = FILES.get(name, name.replace("-", "_"))
    for folder in FOLDERS if file.isidentifier() else ():
        if (HERE / folder.removeprefix("seqloom.models.").replace(".", "/") / f"{file}.py").exists():
            importlib.import_module(f"{folder}.{file}")


def registered(name: str, places: Sequence[str]) -> Architecture | None:
    """The architecture of this name, if a file that was imported so far has it; of several, the first in order."""
    fitting = (
        found
        for found in ARCHITECTURES.values()
        if found.name == name and (not places or any(serves(found, place) for place in places))
    )
    return min(fitting, key=in_order, default=None)


def serves(found: Architecture, place: str) -> bool:
    """Whether an architecture fits a place: `encoder`, `decoder`, `picture`, or the `model.name` of a task."""
    if place == "encoder":
        return found.kind in ("encoder", "cell")
    if place == "decoder":
        return found.kind == "decoder" or (found.kind == "cell" and found.decodes)
    if place == "picture":
        return found.kind == "picture"
    return place in found.tasks


def architectures(*places: str) -> list[Architecture]:
    """Those that fit one of the places, or all: cells, encoders, decoders, whole models."""
    load_all()
    everything = sorted(ARCHITECTURES.values(), key=in_order)
    return [found for found in everything if not places or any(serves(found, place) for place in places)]


def in_order(found: Architecture) -> tuple[int, str]:
    """Cells and whole models as they were registered, in one file each; encoders and decoders by name."""
    return get_args(Kind).index(found.kind), found.name if found.kind in ("encoder", "decoder", "picture") else ""


def names(*places: str) -> list[str]:
    return list(dict.fromkeys(found.name for found in architectures(*places)))


def find(name: str, *places: str) -> Architecture:
    """An architecture by its name, or a user's own as `package.module:name`, that fits one of the places."""
    if ":" in name:
        from seqloom.models.user_architectures import outside  # see above

        found = outside(name)
        if places and not any(serves(found, place) for place in places):
            what = f"{name} is {article(found.kind)}, so it cannot {' or '.join(map(doing, places))}"
            raise SeqloomError(what, remedy=remedy_for(found))
        return found
    load_files_of(name)
    if (known_already := registered(name, places)) and places:  # in one place a name stands for one thing
        return known_already
    load_all()
    if found_at_last := registered(name, places):
        return found_at_last
    known = names(*places)
    if name in names():
        raise SeqloomError(f"{name} cannot {' or '.join(map(doing, places))}", remedy=f"use one of: {', '.join(known)}")
    kind = places[0] if places in (("encoder",), ("decoder",)) else "architecture"
    raise UnknownName(kind, name, known)


def doing(place: str) -> str:
    return {"encoder": "be an encoder", "decoder": "be a decoder", "picture": "read pictures"}.get(place, place)


def article(kind: str) -> str:
    return f"an {kind}" if kind == "encoder" else f"a {kind}"


def remedy_for(found: Architecture) -> str:
    if found.kind in ("cell", "encoder", "decoder"):
        sides = "encoder" if found.kind == "encoder" else "decoder" if found.kind == "decoder" else "encoder or decoder"
        return f"name a model that has an {sides}, as --model rnn-attention, and set model.{sides.split()[0]} to it"
    return f"it serves: {', '.join(found.tasks) or 'nothing'}"


def built(found: Architecture, **given: Any) -> Any:
    """Call a builder with those of the values that it has parameters for; `config` also gives its settings."""
    make = found.make
    assert make is not None, f"{found.name} is a name for settings"
    config = given.get("config")
    known = {**{name: getattr(config, name) for name in type(config).model_fields}, **given} if config else given
    parameters = inspect.signature(make).parameters.values()
    asked = [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    missing = [each.name for each in asked if each.name not in known and each.default is each.empty]
    if missing:
        raise SeqloomError(
            f"{found.name} asks for {', '.join(missing)}, which no setting is called",
            remedy=f"give it a default, or ask for one of: {', '.join(sorted(known))}",
        )
    return make(**{each.name: known[each.name] for each in asked if each.name in known})
