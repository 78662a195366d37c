"""New weights for a definition, in the shapes of its docstring, initialised by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.equations import Equations, Part, nodes
from seqloom.equations.legend import Entry, letters_in, size_of
from seqloom.equations.trace import Trace, sample
from seqloom.errors import ShapeError

DEFAULTED = ("H", "F", "K")
"""The letters whose size is the hidden size (for a block: the width) where nothing else is said."""


class DerivedWeights(nn.Module):
    """Weights under the letters of a definition; those of a part are a module inside this one."""

    def __init__(self, definition: Equations[..., Any], drawn: Mapping[str, Any]) -> None:
        super().__init__()
        self.of = definition
        self.held: dict[str, str | int] = {}  # symbols: an attribute of this module, or a size
        for name, value in drawn.items():
            attribute = f"{name}_" if hasattr(self, name) else name  # a module has a `forward` already
            self.held[name] = attribute
            if isinstance(value, Part):
                self.add_module(attribute, DerivedWeights(value.definition, value.weights))
            elif isinstance(value, list):
                self.add_module(
                    attribute, nn.ModuleList(DerivedWeights(each.definition, each.weights) for each in value)
                )
            elif isinstance(value, Tensor):
                self.register_parameter(attribute, initialised(definition, name, tuple(value.shape)))
            else:
                self.held[name] = int(value)

    def symbols(self) -> dict[str, Any]:
        """The weights as the definition takes them."""
        return {name: self.symbol(held) for name, held in self.held.items()}

    def symbol(self, held: str | int) -> Any:
        value = getattr(self, held) if isinstance(held, str) else held
        if isinstance(value, nn.ModuleList):
            return [part_of(each) for each in value]
        return part_of(value) if isinstance(value, DerivedWeights) else value


def part_of(weights: Any) -> Part:
    return Part(weights.of, weights.symbols())


def dry_run(
    definition: Equations[..., Any], inputs: Sequence[Tensor], sizes: Mapping[str, int], otherwise: int
) -> Trace:
    """A run without numbers, for inputs of these shapes: the weights that a definition takes, and its results."""
    scalars = {symbol.name for symbol in definition.body.weights if symbol.role == "weight"}

    def draw(name: str, shape: tuple[int, ...]) -> Tensor:
        if shape == () and "." not in name and name not in scalars:
            return torch.tensor(known_size(definition, name, sizes, otherwise))
        return torch.empty(shape, device="meta")

    return sample(definition, tuple(inputs), {}, draw)


def known_size(definition: Equations[..., Any], letter: str, sizes: Mapping[str, int], otherwise: int) -> int:
    if letter in sizes:
        return sizes[letter]
    if letter in DEFAULTED:
        return otherwise // sizes.get("N", 1) if letter == "K" else otherwise  # the heads share the width
    raise ShapeError(
        f"{definition.name}: the size {letter} is not known",
        where=definition.source.place(),
        remedy=f"give it: sizes={{'{letter}': ...}}",
    )


def example(definition: Equations[..., Any], symbol: nodes.Symbol, sizes: Mapping[str, int], otherwise: int) -> Tensor:
    """A tensor without numbers, in the shape that the docstring gives an input."""
    entry = entry_of(definition, symbol.name)
    letters = {letter for size in entry.shape for letter in letters_in(size)}
    known = {letter: known_size(definition, letter, sizes, otherwise) for letter in letters}
    kind = {"bool": torch.bool, "index": torch.long}.get(entry.kind, torch.get_default_dtype())
    return torch.empty([size_of(size, known) for size in entry.shape], dtype=kind, device="meta")


def entry_of(definition: Equations[..., Any], name: str) -> Entry:
    entry = definition.legend[name]
    if entry is None:
        raise ShapeError(
            f"the docstring of {definition.name} does not state the shape of {name}",
            where=definition.source.place(),
            remedy=f"add a line like `{name}  (H)  what it is`",
        )
    return entry


@torch.no_grad()
def initialised(definition: Equations[..., Any], name: str, shape: tuple[int, ...]) -> nn.Parameter:
    """A new weight: zeros for a bias, ones for a scale `gamma`, orthogonal from state to state, Glorot for the rest."""
    weight = nn.Parameter(torch.empty(shape))
    entry = definition.legend[name]
    if name in factors(definition) and len(shape) == 1:  # a matrix with one column
        nn.init.xavier_uniform_(weight[:, None])
    elif len(shape) < 2:
        nn.init.constant_(weight, 1.0 if name.startswith("gamma") else 0.0)
    elif definition.body.states and entry is not None and entry.shape == ("H", "H"):
        nn.init.orthogonal_(weight)
    else:
        for matrix in weight.view(-1, *shape[-2:]):
            nn.init.xavier_uniform_(matrix)
    return weight


def factors(definition: Equations[..., Any]) -> set[str]:
    """The names that stand on either side of an `@`: a vector there is no bias."""
    operators = (node for _, value, _ in definition.body.statements() for node in value.walk())
    sides = (
        side for node in operators if isinstance(node, nodes.Binary) and node.operator == "@" for side in node.children
    )
    return {side.name for side in sides if isinstance(side, nodes.Symbol)}
