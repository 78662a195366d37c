"""`@equations`: a plain function of named symbols, and everything that is known about it."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from typing import Any, Generic, ParamSpec, Self, TypeVar

from seqloom.equations import nodes
from seqloom.equations.binding import bound_body, unfolded
from seqloom.equations.grammar import read
from seqloom.equations.legend import read_legend
from seqloom.equations.source import FunctionSource
from seqloom.errors import GrammarError

P = ParamSpec("P")
R = TypeVar("R")


class Equations(Generic[P, R]):
    """A definition. Calling it runs the plain function; the rest is derived from its syntax tree.

    Positional arguments are inputs, keyword-only ones are weights and parts, a name both taken and returned is
    state. The views (formula, figure, code), the numbers and the count all speak of `body`.
    """

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.name = function.__name__
        self.source = FunctionSource.of(function)
        self.legend = read_legend(function.__doc__)
        self.body = read(self.source, function, self.legend)
        self.defaults = {
            name: self.checked(name, part) for name, part in (getattr(function, "__kwdefaults__", None) or {}).items()
        }
        self._layer: type[Any] | None = None
        self.base: Equations[P, R] = self  # as it was read, if this is a bound one
        self.bound_to: Mapping[str, Any] = {}  # the definitions of its parts, if this is a bound one
        self._bound: dict[Any, Self] = {}

    def checked(self, name: str, part: Any) -> Any:
        """The default of a part: a definition, or for a loop a tuple of them."""
        several = isinstance(part, tuple)
        if not all(isinstance(each, Equations) for each in (part if several else (part,))):
            remedy = "write `cell=lstm`, or `blocks=(block, block)` for what is looped over"
            raise GrammarError(f"the default of {name} is not a definition", where=self.source.place(), remedy=remedy)
        return tuple(each.bind() for each in part) if several else part.bind()

    def __call__(self, *inputs: P.args, **weights: P.kwargs) -> R:
        """Run the plain function; states of layers are copied, so that what was handed in stays as it was."""
        copied = (list(value) if isinstance(value, list) else value for value in inputs)
        return self.function(*copied, **weights)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"<equations {self.name}: {self.legend.title}>"

    def __deepcopy__(self, memo: object) -> Self:
        """A definition is one thing: a copy of a model speaks of the same."""
        return self

    @property
    def label(self) -> str:
        """The name as people write it: `self-attentive-rnn`."""
        return self.name.replace("_", "-")

    @property
    def layer(self) -> type[Any] | None:
        """The fast module, once `layer` has tied one to it."""
        return self.base._layer

    @layer.setter
    def layer(self, module: type[Any]) -> None:
        self.base._layer = module

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its parts."""
        return tuple(symbol.name for symbol in self.body.weights if symbol.role in ("part", "parts"))

    def bind(self, **parts: Any) -> Self:
        """The same definition with its parts replaced by these definitions (a tuple of them for a loop).

        Parts that are not named are those that they usually are, if the definition says so; others stay names.

        >>> from seqloom.layers.attention import soft_attention
        >>> from seqloom.layers.scores import dot
        >>> [call.definition.name for call in soft_attention.bind(score=dot).body.calls()]
        ['dot']
        """
        base: Any = self.base
        if not base.parts:
            return self
        given = {name: part for name, part in parts.items() if name in base.parts}
        chosen: Mapping[str, Any] = {**base.defaults, **self.bound_to, **given}
        usual = tuple(name for name in chosen if chosen[name] is base.defaults.get(name))  # loops over L parts
        key = (usual, *sorted(chosen.items(), key=lambda item: item[0]))
        if key not in base._bound:
            bound = copy.copy(base)
            bound.body = bound_body(base.body, chosen, functools.partial(Passes, base))
            bound.bound_to = chosen
            base._bound[key] = bound
        found: Self = base._bound[key]
        return found

    def count(self, **sizes: int) -> dict[str, int]:
        """Parameters by symbol, from the shapes that the docstring states.

        >>> from seqloom.layers.simple_rnn import concat_rnn
        >>> concat_rnn.count(D=32, H=32)
        {'A': 2048, 'b': 32}
        """
        from seqloom.equations.count import count  # it runs definitions, so it stands on this file

        return count(self, **sizes)


class Passes(Equations[..., Any]):
    """What stands behind a loop over parts: the lines of all its passes, as a definition that only views read."""

    def __init__(self, outer: Equations[..., Any], loop: nodes.Repeat, layers: tuple[Equations[..., Any], ...]) -> None:
        self.times = "L" if layers is outer.defaults.get(loop.over.name) else str(len(layers))
        self.name = f"{loop.item.name} × {self.times}"
        self.source, self.legend, self.layers, self.span = outer.source, outer.legend, layers, loop.span
        self.body = unfolded(loop, layers)
        self.defaults, self.bound_to, self.base, self._layer = {}, {}, self, None


def equations(function: Callable[P, R]) -> Equations[P, R]:
    """Make a definition of a plain function; what is outside the grammar is an error right here."""
    return Equations(function)
