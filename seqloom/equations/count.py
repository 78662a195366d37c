"""Count: parameters by symbol, from the shapes that docstrings state and from real weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from seqloom.equations.definition import Equations
from seqloom.equations.legend import LETTERS, letters_in, size_of
from seqloom.equations.nodes import Symbol
from seqloom.equations.part import Part, start_of
from seqloom.equations.trace import sample
from seqloom.errors import ShapeError


def count(definition: Equations[..., Any], **sizes: int) -> dict[str, int]:
    """Parameters by symbol at the given sizes.

    >>> from seqloom.layers.simple_rnn import concat_rnn
    >>> count(concat_rnn, D=32, H=32)
    {'A': 2048, 'b': 32}
    """
    small, large = (parameters(shapes(definition, sizes, otherwise)) for otherwise in (2, 3))
    if small != large:
        needed = ", ".join(f"{letter} ({sense})" for letter, sense in LETTERS.items() if letter not in sizes)
        raise ShapeError(f"{definition.name}: the count needs more sizes", remedy=f"one or more of {needed}")
    return small


def parameters(weights: Mapping[str, Any], prefix: str = "") -> dict[str, int]:
    """Parameters by symbol of real weights; those of a part stand behind its name and a dot."""
    return {name: weight.numel() for name, weight in flat(weights, prefix).items()}


def flat(weights: Mapping[str, Any], prefix: str = "") -> dict[str, Tensor]:
    """All tensors among weights, parts taken apart: `attention.W_Q`, `blocks.2.norm.gamma`; none that are given."""
    found: dict[str, Tensor] = {}
    for name, value in weights.items():
        match value:
            case Tensor():
                found[prefix + name] = value
            case Part():
                found |= flat(learned(value), f"{prefix}{name}.")
            case list() | tuple():
                found |= flat({str(number): each for number, each in enumerate(value, start=1)}, f"{prefix}{name}.")
    return found


def learned(part: Part) -> dict[str, Any]:
    """The weights of a part without those that its docstring says are given."""
    entries = {name: part.definition.legend[name] for name in part.weights}
    return {name: part.weights[name] for name, entry in entries.items() if entry is None or not entry.given}


def shapes(definition: Equations[..., Any], sizes: Mapping[str, int], otherwise: int) -> dict[str, Any]:
    """Weights that take no memory, in the shapes they would have; `otherwise` for sizes not given."""

    def hollow(name: str, shape: tuple[int, ...]) -> Tensor:
        is_size = shape == () and (name in LETTERS or name in sizes)
        number = float(sizes.get(name, otherwise)) if is_size else 0.0
        return torch.tensor(number).expand(shape)

    def hollow_input(symbol: Symbol) -> Any:
        entry = definition.legend[symbol.name]
        if entry is not None and entry.kind == "state":  # that of the parts inside
            known = dict.fromkeys(LETTERS, otherwise) | dict(sizes)
            return start_of(Part(definition), symbol.name, torch.zeros(()), known)
        known = (
            {letter: sizes.get(letter, otherwise) for part in entry.shape for letter in letters_in(part)}
            if entry
            else {}
        )
        shape = tuple(size_of(part, known) for part in entry.shape) if entry else ()
        kind = {"bool": torch.bool, "index": torch.long}.get(entry.kind if entry else "", torch.float32)
        return torch.zeros((), dtype=kind).expand(shape)

    inputs = tuple(map(hollow_input, definition.body.inputs))
    return sample(definition, inputs, {}, hollow).weights
