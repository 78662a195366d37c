"""`@equations`: a plain function of named symbols, and everything that is known about it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Generic, ParamSpec, Self, TypeVar

from seqloom.equations.grammar import read
from seqloom.equations.legend import read_legend
from seqloom.equations.nodes import Nested
from seqloom.equations.source import Source

P = ParamSpec("P")
R = TypeVar("R")


class Equations(Generic[P, R]):
    """A definition. Calling it runs the plain function; the rest is derived from its syntax tree.

    Positional arguments are inputs, keyword-only ones are weights, a name both taken and returned is
    state. The views (formula, figure, code), the numbers and the count all speak of `body`.
    """

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.name = function.__name__
        self.source = Source.of(function)
        self.legend = read_legend(function.__doc__)
        self.body = read(self.source, function, self.legend)
        self.layer: type[Any] | None = None  # the fast module, once `layer` has tied one to it

    def __call__(self, *inputs: P.args, **weights: P.kwargs) -> R:
        return self.function(*inputs, **weights)

    def __repr__(self) -> str:
        return f"<equations {self.name}: {self.legend.title}>"

    def __deepcopy__(self, memo: object) -> Self:
        """A definition is one thing: a copy of a model speaks of the same."""
        return self

    @property
    def label(self) -> str:
        """The name as people write it: `self-attentive-rnn`."""
        return self.name.replace("_", "-")

    @functools.cached_property
    def groups(self) -> Mapping[str, Equations[..., Any]]:
        """The weights that are handed on whole: their names, and the definition that takes them."""
        nodes = (node for _, value, _ in self.body.statements() for node in value.walk())
        return {node.group.name: node.definition for node in nodes if isinstance(node, Nested) and node.group}

    def count(self, **sizes: int) -> dict[str, int]:
        """Parameters by symbol, from the shapes that the docstring states.

        >>> from seqloom.layers.simple_rnn import concat_rnn
        >>> concat_rnn.count(D=32, H=32)
        {'A': 2048, 'b': 32}
        """
        from seqloom.equations.count import count  # it runs definitions, so it stands on this file

        return count(self, **sizes)


def equations(function: Callable[P, R]) -> Equations[P, R]:
    """Make a definition of a plain function; what is outside the grammar is an error right here."""
    return Equations(function)
