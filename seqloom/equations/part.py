"""Parts: a definition together with its weights; and the state of a recurrent part as one value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
from torch import Tensor

from seqloom.equations.legend import bind, size_of
from seqloom.equations.nodes import Nested, Repeat
from seqloom.errors import ShapeError

if TYPE_CHECKING:
    from seqloom.equations.definition import Equations

Weights: TypeAlias = "Mapping[str, Any]"
"""By name: tensors, sizes, a `Part`, or for a loop a sequence of them."""


class Part:
    """A definition together with its weights: what a keyword-only argument that is called stands for.

    >>> from seqloom.layers.scores import dot
    >>> Part(dot)(torch.ones(3), torch.ones(3))
    tensor(3.)
    """

    def __init__(self, definition: Equations[..., Any], weights: Weights | None = None) -> None:
        self.definition, self.weights = definition, dict(weights or {})

    def __call__(self, *inputs: Any) -> Any:
        """Run the equations. A `State` among the inputs is taken apart, and the result is one again."""
        taken, has_state = spread(self.definition, inputs)
        results = self.definition(*taken, **self.weights)
        return gathered(self.definition, results) if has_state else results

    def __repr__(self) -> str:
        return f"<part {self.definition.name}>"

    @property
    def bound(self) -> Equations[..., Any]:
        """The definition with its own parts bound to those that it has here."""
        return self.definition.bind(**structure(self.weights))

    def start(self, like: Tensor | None = None, sizes: Mapping[str, int] | None = None) -> State:
        """The state before the first step: zeros, of the type of `like`; `sizes` for letters that no weight tells."""
        known = {**(sizes or {}), **sizes_in(self.definition, self.weights)}
        states = self.definition.body.states
        values = [start_of(self, name, torch.zeros(()) if like is None else like, known) for name in states]
        first = getattr(self.definition.body.returns[0], "name", "")
        return State(values[states.index(first)] if first in states else None, values)


def as_part(value: Any) -> Part:
    """A definition without weights is a part as it is."""
    return value if isinstance(value, Part) else Part(value)


def structure(weights: Weights) -> dict[str, Any]:
    """The definitions of the parts among weights, each bound to its own parts."""
    found: dict[str, Any] = {}
    for name, value in weights.items():
        if isinstance(value, Part):
            found[name] = value.bound
        elif isinstance(value, Sequence) and not isinstance(value, str):
            found[name] = tuple(as_part(each).bound for each in value)
        elif hasattr(value, "body"):
            found[name] = value
    return found


# --- states -------------------------------------------------------------------------------------


class State:
    """The state of a recurrent part: several tensors handed on as one; in an expression it is what it shows.

    An LSTM's h and c are one state of the cell, which shows h.

    >>> state = State(torch.ones(2), (torch.ones(2), torch.zeros(2)))
    >>> (state + torch.ones(2)).tolist(), torch.cat([state, state]).tolist()
    ([2.0, 2.0], [1.0, 1.0, 1.0, 1.0])
    """

    def __init__(self, shown: Any, values: Sequence[Any]) -> None:
        self.shown, self.values = shown, tuple(values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __repr__(self) -> str:
        return f"State({self.shown!r}, of {len(self.values)})"

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return function(*shown(list(args)), **(kwargs or {}))

    def __add__(self, other: Any) -> Any:
        return shown(self) + shown(other)

    def __sub__(self, other: Any) -> Any:
        return shown(self) - shown(other)

    def __mul__(self, other: Any) -> Any:
        return shown(self) * shown(other)

    def __truediv__(self, other: Any) -> Any:
        return shown(self) / shown(other)

    def __matmul__(self, other: Any) -> Any:
        return shown(self) @ shown(other)

    def __neg__(self) -> Any:
        return -shown(self)

    @property
    def shape(self) -> torch.Size:
        found: Tensor = shown(self)
        return found.shape


def shown(value: Any) -> Any:
    """What a state shows; anything else as it is, lists and tuples entry by entry."""
    if isinstance(value, State):
        return shown(value.shown)
    return type(value)(shown(each) for each in value) if type(value) in (list, tuple) else value


def spread(definition: Equations[..., Any], inputs: Sequence[Any]) -> tuple[list[Any], bool]:
    """The inputs in the order of the definition's arguments, a state taken apart; and whether there was one."""
    roles = [symbol.role for symbol in definition.body.inputs]
    place = roles.index("state") if "state" in roles else len(inputs)
    if len(inputs) == len(roles) - roles.count("state") + 1 and isinstance(inputs[place], State):
        values, others = iter(inputs[place].values), iter([*inputs[:place], *inputs[place + 1 :]])
        return [next(values) if role == "state" else shown(next(others)) for role in roles], True
    return [value if role == "state" else shown(value) for role, value in zip(roles, inputs)], False


def gathered(definition: Equations[..., Any], results: Any) -> State:
    """The results of a recurrent definition as one state, which shows the first of them."""
    results = results if isinstance(results, tuple) else (results,)
    names = [getattr(symbol, "name", "") for symbol in definition.body.returns]
    return State(results[0], [results[names.index(state)] for state in definition.body.states])


def sizes_in(definition: Equations[..., Any], weights: Weights) -> dict[str, int]:
    """The sizes of the docstring's letters, as the weights have them."""
    sizes: dict[str, int] = {}
    for name, value in weights.items():
        entry = definition.legend[name]
        if entry is not None and isinstance(value, Tensor):
            bind(entry, tuple(value.shape), sizes, name=f"{definition.name}: {name}")
    return sizes


def start_of(part: Part, name: str, like: Tensor, sizes: Mapping[str, int]) -> Any:
    """One state before the first step: zeros in the shape of the docstring, or the states of the parts inside."""
    definition = part.definition
    entry = definition.legend[name]
    if entry is not None and entry.kind != "state":
        return like.new_zeros([0 if size == "steps" else size_of(size, sizes) for size in entry.shape])
    for call in definition.bind(**structure(part.weights)).body.calls():
        if isinstance(call, Repeat) and call.definition is not None:
            makers = [line for line in call.lines if any(target.name == name for target in line.targets)]
            inner = part.weights.get(call.over.name) or [Part(each) for each in call.definition.layers]
            if makers:
                states = [as_part(each).start(like, sizes) for each in inner]
                return states if len(makers[0].targets) == 1 else [state.values[0] for state in states]
        elif (
            isinstance(call, Nested) and call.part and any(getattr(each, "name", "") == name for each in call.arguments)
        ):
            given = part.weights.get(call.part.name) or call.definition
            if given is not None and as_part(given).definition.body.states:
                return as_part(given).start(like, sizes)
    raise ShapeError(
        f"the docstring of {definition.name} does not state the shape of {name}",
        where=definition.source.place(),
        remedy=f"add a line like `{name}  (H)  what it is`",
    )
