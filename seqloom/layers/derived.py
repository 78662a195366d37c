"""A definition alone is a layer: its weights made in the shapes of its docstring, itself run over the batch."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor

from seqloom.equations import Equations, nodes
from seqloom.errors import GrammarError, ShapeError
from seqloom.layers.base import Layer, Symbols
from seqloom.layers.derived_weights import entry_of, example, weights_for
from seqloom.layers.lifting import lift
from seqloom.layers.program import Program
from seqloom.layers.recurrent import Cell

FEW = 4
"""Steps up to which laying matrices side by side costs more than it saves."""

X_ONLY = (("T", "D"), "real")
MASK = (("T", "T"), "bool")


def cell_for(
    definition: Equations[..., Any], input_size: int, hidden_size: int, sizes: Mapping[str, int] | None = None
) -> Cell[Any]:
    """The fast module of a recurrent definition where there is one, else the definition itself as a layer.

    >>> from seqloom.layers.lstm import lstm
    >>> cell_for(lstm, 3, 5)
    LSTM(3, 5)
    """
    fast = definition.layer
    if fast is not None and issubclass(fast, Cell) and not sizes and takes_two_sizes(fast):
        return fast(input_size, hidden_size)
    return cell_from(definition, input_size, hidden_size, sizes)


def takes_two_sizes(cls: type[Any]) -> bool:
    try:
        inspect.signature(cls).bind(1, 1)
    except TypeError:
        return False
    return True


def cell_from(
    definition: Equations[..., Any], input_size: int, hidden_size: int, sizes: Mapping[str, int] | None = None
) -> DerivedCell:
    """A recurrent definition as a layer that can be trained: D is the input size, H the hidden size.

    >>> from seqloom.layers.gru import gru
    >>> cell = cell_from(gru, 3, 5)
    >>> y, state = cell(torch.zeros(2, 4, 3))
    >>> y.shape, state._fields
    (torch.Size([2, 4, 5]), ('h',))
    """
    return DerivedCell(definition, input_size, hidden_size, sizes)


def block_from(definition: Equations[..., Any], width: int, sizes: Mapping[str, int] | None = None) -> DerivedBlock:
    """A definition of a whole sequence, X (T, D) and perhaps a mask (T, T) -> (T, D), as a layer; D is the width."""
    return DerivedBlock(definition, width, sizes)


# --- recurrent definitions ----------------------------------------------------------------------


class DerivedCell(Cell[Any]):
    """A recurrent definition, run step by step; what does not depend on the state runs for all steps at once."""

    def __init__(
        self,
        definition: Equations[..., Any],
        input_size: int,
        hidden_size: int,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size)
        self.definition = definition  # type: ignore[misc]  # of this one, not of the class
        self.states = definition.body.states
        x = input_of(definition)
        known = {"H": hidden_size, entry_of(definition, x).shape[0]: input_size, **(sizes or {})}
        inputs = [example(definition, symbol, known, hidden_size) for symbol in definition.body.inputs]
        self.weights = weights_for(definition, inputs, known, hidden_size)
        self.shapes = {
            symbol.name: tuple(value.shape)
            for symbol, value in zip(definition.body.inputs, inputs, strict=True)
            if symbol.role == "state"
        }
        graph = lift(definition, inputs, on_meta(self.weights.symbols()))
        returned = [node.name for node in definition.body.returns if isinstance(node, nodes.Symbol)]
        self.check_results(dict(zip(returned, (value.example for value in graph.results), strict=True)))
        self.output_size = graph.results[0].example.shape[0]
        places = [returned.index(name) for name in self.states]
        self.program, self.single = Program(graph, places), Program(graph, places, merged=False)
        self.state_type = state_type(definition.name, self.states)

    def check_results(self, results: Mapping[str, Any]) -> None:
        """A state keeps its shape; the output is a vector."""
        name = self.definition.name
        for state, shape in self.shapes.items():
            if tuple(results[state].shape) != shape:
                raise GrammarError(
                    f"the state {state} of {name} is taken as {shape} and returned as {tuple(results[state].shape)}",
                    where=self.definition.source.place(),
                    remedy="let it keep its shape; a state that grows needs a layer of its own (seqloom.layers.layer)",
                )
        first, output = next(iter(results.items()))
        if not isinstance(output, Tensor) or output.dim() != 1:
            raise GrammarError(
                f"{name} returns {first} first, which is no vector, so it cannot be the output of a cell",
                where=self.definition.source.place(),
                remedy="return the output first, a vector such as h (H)",
            )

    def start(self, x: Tensor) -> Any:
        return self.state_type(*(x.new_zeros(len(x), *shape) for shape in self.shapes.values()))

    def check_state(self, x: Tensor, state: Any) -> None:
        expected = [(len(x), *shape) for shape in self.shapes.values()]
        given = [tuple(field.shape) for field in state]
        if given != expected:
            raise ShapeError(
                f"the state has shape {', '.join(map(str, given))}, "
                f"{self.definition.name} takes {', '.join(map(str, expected))}",
                remedy="hand on the state of the same layer and the same rows",
            )

    def read(self, x: Tensor, state: Any, real: Tensor | None) -> tuple[Tensor, Any]:
        program = self.program if x.shape[1] > FEW else self.single
        y, end = program.run(self.weights.symbols(), x, state, None if real is None else real[..., 0])
        return y, self.state_type(*end)

    def symbols(self) -> Symbols:
        return self.weights.symbols()

    def extra_repr(self) -> str:
        return f"{self.definition.name}, {super().extra_repr()}"


def input_of(definition: Equations[..., Any]) -> str:
    """The name of the one input of a recurrent definition that is no state."""
    inputs = [symbol.name for symbol in definition.body.inputs if symbol.role != "state"]
    place = definition.source.place()
    if not definition.body.states:
        raise GrammarError(
            f"{definition.name} has no state, so it cannot be a cell",
            where=place,
            remedy="take a state and return it under the same name: `def cell(x, h, *, ...): ... return h`",
        )
    if len(inputs) != 1:
        raise GrammarError(
            f"{definition.name} takes {', '.join(inputs) or 'nothing'} besides its state; a cell takes one vector",
            where=place,
            remedy="take the input of the step as `x  (D)` and everything else as state or weight",
        )
    entry = entry_of(definition, inputs[0])
    if len(entry.shape) != 1 or entry.kind != "real" or not entry.shape[0].isidentifier():
        raise GrammarError(
            f"{definition.name} reads {inputs[0]} ({', '.join(entry.shape)}); a cell reads vectors",
            where=place,
            remedy=f"write `{inputs[0]}  (D)  ...` in the docstring",
        )
    return inputs[0]


@cache
def state_type(name: str, fields: tuple[str, ...]) -> Any:
    """The class of a definition's states: a named tuple, one and the same for all cells of the definition.

    >>> state_type("lstm", ("h", "c"))(1, 2)
    LstmState(h=1, c=2)
    """
    return namedtuple(f"{''.join(part.capitalize() for part in name.split('_'))}State", fields)


def on_meta(weights: Mapping[str, Any]) -> dict[str, Any]:
    """The same weights without their numbers."""
    return {
        name: on_meta(value) if isinstance(value, Mapping) else value.to("meta") if isinstance(value, Tensor) else value
        for name, value in weights.items()
    }


# --- definitions of whole sequences -------------------------------------------------------------


class DerivedBlock(Layer):
    """A definition X (T, D) [, mask (T, T)] -> (T, D), run for each sequence of a batch."""

    def __init__(self, definition: Equations[..., Any], width: int, sizes: Mapping[str, int] | None = None) -> None:
        super().__init__()
        self.definition = definition  # type: ignore[misc]  # of this one, not of the class
        self.width = self.output_size = width
        self.takes_mask = check_block(definition)
        known = {"D": width, **(sizes or {}), "T": 3}  # any length will do
        inputs = [example(definition, symbol, known, width) for symbol in definition.body.inputs]
        self.weights = weights_for(definition, inputs, known, width)
        result = definition(*inputs, **on_meta(self.weights.symbols()))
        if not isinstance(result, Tensor) or result.shape != (3, width):
            shape = tuple(result.shape) if isinstance(result, Tensor) else "several results"
            raise GrammarError(
                f"{definition.name} makes {shape} of X (3, {width}); a block gives (T, D) back",
                where=definition.source.place(),
                remedy="return one matrix of the shape of X",
            )

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Apply the definition to each sequence; padding is never seen.

        x     (B, T, D)  the vectors
        mask  (B, T)     bool, True for real positions; or (B, T, T), True where a query may look; or None
        ->    (B, T, D)  zeros at padding
        """
        if x.dim() != 3 or x.shape[-1] != self.width:
            raise ShapeError(
                f"x has shape {tuple(x.shape)}, {self.definition.name} reads (B, T, {self.width})",
                remedy="put the batch first and the width last",
            )
        B, T = x.shape[:2]
        if B == 0 or T == 0:
            return torch.zeros_like(x)
        step = torch.vmap(partial(self.definition.function, **self.weights.symbols()))
        if self.takes_mask:
            allowed = x.new_ones(B, T, T, dtype=torch.bool) if mask is None else mask
            if allowed.dim() == 3:
                y: Tensor = step(x, allowed)
                return y
            y = step(x.masked_fill(~allowed[..., None], 0), allowed[:, None].expand(B, T, T))
            return y.masked_fill(~allowed[..., None], 0)
        if mask is None:
            y = step(x)
            return y
        return self.by_length(step, x, mask)

    def by_length(self, step: Any, x: Tensor, mask: Tensor) -> Tensor:
        """Sequences of one length together, each without its padding."""
        if mask.dim() != 2:
            raise ShapeError(
                f"{self.definition.name} takes no mask (T, T), one of shape {tuple(mask.shape)} is given",
                remedy="give a padding mask (B, T), or let the definition take a mask",
            )
        y = torch.zeros_like(x)
        lengths = mask.sum(1)
        for length in lengths.unique().tolist():
            if length:
                real = mask & (lengths == length)[:, None]
                y = y.masked_scatter(real[..., None], step(x[real].view(-1, length, self.width)))
        return y

    def symbols(self) -> Symbols:
        return self.weights.symbols()

    def extra_repr(self) -> str:
        return f"{self.definition.name}, {self.width}"


def check_block(definition: Equations[..., Any]) -> bool:
    """Whether the definition takes a mask; an error where it is no block."""
    symbols = definition.body.inputs
    entries = [entry_of(definition, symbol.name) for symbol in symbols]
    shapes = [(entry.shape, entry.kind) for entry in entries]
    if definition.body.states or shapes not in ([X_ONLY], [X_ONLY, MASK]):
        taken = ", ".join(f"{symbol.name} ({', '.join(entry.shape)})" for symbol, entry in zip(symbols, entries))
        raise GrammarError(
            f"{definition.name} takes {taken}; a block takes X (T, D), and perhaps mask (T, T)",
            where=definition.source.place(),
            remedy="write `X  (T, D)  ...` and `mask  (T, T)  bool, ...` in the docstring",
        )
    return len(symbols) == 2
