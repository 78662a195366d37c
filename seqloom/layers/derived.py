"""A recurrent definition alone is a layer: its weights made in the shapes of its docstring, itself run step by step."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Mapping
from functools import cache
from typing import Any

from torch import Tensor

from seqloom.equations import Equations, nodes
from seqloom.errors import GrammarError, ShapeError
from seqloom.layers.base import Symbols
from seqloom.layers.batched_steps import BatchedSteps
from seqloom.layers.derived_weights import DerivedWeights, dry_run, entry_of, example
from seqloom.layers.recurrent import Cell


def cell_for(
    definition: Equations[..., Any], input_size: int, hidden_size: int, sizes: Mapping[str, int] | None = None
) -> Cell[Any]:
    """The fast module of a recurrent definition where there is one, else the definition itself as a layer.

    >>> from seqloom.layers.lstm import lstm
    >>> type(cell_for(lstm, 3, 5)).__name__
    'LSTM'
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

    >>> import torch
    >>> from seqloom.layers.gru import gru
    >>> cell = cell_from(gru, 3, 5)
    >>> y, state = cell(torch.zeros(2, 4, 3))
    >>> y.shape, state._fields
    (torch.Size([2, 4, 5]), ('h',))
    """
    return DerivedCell(definition, input_size, hidden_size, sizes)


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
        run = dry_run(definition, inputs, known, hidden_size)
        self.weights = DerivedWeights(definition, run.weights)
        self.shapes = {
            symbol.name: tuple(value.shape)
            for symbol, value in zip(definition.body.inputs, inputs, strict=True)
            if symbol.role == "state"
        }
        returned = [node.name for node in definition.body.returns if isinstance(node, nodes.Symbol)]
        self.check_results(dict(zip(returned, run.results, strict=True)))
        self.output_size = run.results[0].shape[0]
        if self.output_size != hidden_size and not any("H" in entry.shape for _, entry in definition.legend.patterns):
            raise ShapeError(
                f"no shape in the docstring of {definition.name} has an H, the hidden size of {hidden_size}",
                where=definition.source.place(),
                remedy=f"write the state as `{self.states[0]}  (H)`, or ask for a hidden size of {self.output_size}",
            )
        self.steps = BatchedSteps(definition, inputs, run.weights)
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
        return self.state_type(*(x.new_zeros(x.shape[0], *shape) for shape in self.shapes.values()))

    def check_state(self, x: Tensor, state: Any) -> None:
        expected = [(len(x), *shape) for shape in self.shapes.values()]
        given = [tuple(field.shape) for field in state]
        if given != expected:
            raise ShapeError(
                f"the state has shape {', '.join(map(str, given))}, "
                f"{self.definition.name} takes {', '.join(map(str, expected))}",
                remedy="hand on the state of the same layer and the same batch",
            )

    def read(self, x: Tensor, state: Any, real: Tensor | None) -> tuple[Tensor, Any]:
        y, end = self.steps.run(self.weights.symbols(), x, state, real)
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
