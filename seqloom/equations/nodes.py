"""What an equations function is after reading: a small tree of immutable nodes.

Every expression has an `id`, and an id stands for one value: all three views and the recorded
numbers use it. A name keeps its own name as id; the value a state had one step before is
`h.before`; an operation inside the line of `i` is `i.1`, `i.2`, ... and the outermost operation of
that line is `i` itself, for it is the same value. What happens inside a nested call is the id of
the call, a slash, and the id inside: `A/Q`. In a loop over parts, `X^l` stands for X after any pass;
bound to a model of three layers (see binding.py) it is `X^1`, `X^2`, `X^3`, and behind the loop `X^L`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from seqloom.equations.definition import Equations, Passes
    from seqloom.equations.functions import Known

Role = Literal["input", "state", "weight", "size", "part", "parts", "value", "item"]
"""input, state: positional; weight, size, part, parts: keyword-only; value: assigned; item: of an `Each`."""

When = Literal["", "before", "now"]
"""For what changes over time: a state as it was taken (before), and everything made in this step (now)."""


@dataclass(frozen=True)
class Span:
    """Where a node stands in its file: lines count from 1, columns are characters from 0."""

    line: int
    start: int
    end_line: int
    end: int


@dataclass(frozen=True)
class Node:
    """Any expression; `id` names its value, `span` its place in the source."""

    id: str
    span: Span = field(compare=False)

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes right below, in the order of evaluation: where nothing else is said, those among its fields."""
        fields = (value if isinstance(value, tuple) else (value,) for value in vars(self).values())
        return tuple(part for parts in fields for part in parts if isinstance(part, Node))

    def walk(self) -> Iterator[Node]:
        """This node and everything below it, in the order of evaluation."""
        for child in self.children:
            yield from child.walk()
        yield self


@dataclass(frozen=True)
class Symbol(Node):
    """A name: `x`, `W_i`, `h`."""

    name: str
    role: Role
    when: When = ""
    layer: str = ""  # in a loop over parts: "0" before it, "l-1" and "l" inside, "L" after it; bound, a number


@dataclass(frozen=True)
class Number(Node):
    """A number in the source: `1`, `0.5`, `inf`."""

    value: int | float


@dataclass(frozen=True)
class Unary(Node):
    """`-x`, `~m`."""

    operator: str
    operand: Node


@dataclass(frozen=True)
class Binary(Node):
    """`+ - * / ** @ & |` and the comparisons."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Transpose(Node):
    """`X.T`."""

    operand: Node


@dataclass(frozen=True)
class Index(Node):
    """`E[w]`: one row."""

    base: Node
    index: Node


@dataclass(frozen=True)
class Spread(Node):
    """`*head`: the members of a family, one argument each."""

    family: Symbol


@dataclass(frozen=True)
class Call(Node):
    """A call of a function from the table of known functions."""

    function: Known
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Each(Node):
    """`body for a_j, h_j in zip(a, H)`, or `body for i in range(N)`: one value per item.

    `index` is the letter that counts the items: the subscript that the items share, or the item of
    `range` itself. `sources` stand beside `items`; for `range` the one source is its limit.
    """

    body: Node
    items: tuple[Symbol, ...]
    sources: tuple[Node, ...]
    index: str
    counted: bool

    @property
    def children(self) -> tuple[Node, ...]:
        return (*self.sources, self.body)


@dataclass(frozen=True)
class Nested(Node):
    """A call of other equations: by their own name, `dot(q, k)`, or of a part, `attention(X, X, mask)`."""

    definition: Equations[..., Any] | None  # None for a part that is not bound
    arguments: tuple[Node, ...]
    keywords: tuple[tuple[str, Node], ...] = ()  # the weights, where the definition is called by its own name
    part: Symbol | None = None

    @property
    def children(self) -> tuple[Node, ...]:
        return (*self.arguments, *(value for _, value in self.keywords))


@dataclass(frozen=True)
class Scan(Node):
    """`scan(cell, X)`: a recurrent part that reads a sequence, its state handed on; the outputs at all positions."""

    definition: Equations[..., Any] | None
    part: Symbol
    source: Node
    backward: bool

    @property
    def children(self) -> tuple[Node, ...]:
        return (self.source,)

    @property
    def arguments(self) -> tuple[Node, ...]:
        return (self.source,)


@dataclass(frozen=True)
class Repeat(Node):
    """`for block in blocks: X = block(X, mask)`: the same lines once for each part.

    `arguments` is what the lines take from outside: first what they carry on from pass to pass, then the rest.
    """

    over: Symbol
    item: Symbol
    lines: tuple[Assign, ...]
    arguments: tuple[Symbol, ...]
    definition: Passes | None = None  # all passes one after the other, once it is bound

    @property
    def children(self) -> tuple[Node, ...]:
        return self.arguments

    @property
    def outside(self) -> dict[str, str]:
        """For the ids inside that stand for something outside: which that is."""
        carried = {f"{symbol.name}^l-1": symbol.id for symbol in self.arguments}
        return carried | {f"{symbol.name}^l": symbol.name for symbol in self.arguments if symbol.role == "state"}


Opens: TypeAlias = "Nested | Scan | Repeat"
"""What opens to equations of its own."""


@dataclass(frozen=True)
class Assign:
    """One line: `i = sigmoid(...)  # the input gate`; several targets only for a call of equations or a loop."""

    targets: tuple[Symbol, ...]
    value: Node
    caption: str


@dataclass(frozen=True)
class Body:
    """A whole function: its arguments, its lines, what it returns."""

    inputs: tuple[Symbol, ...]  # states among them
    weights: tuple[Symbol, ...]  # sizes and parts among them
    lines: tuple[Assign, ...]
    returns: tuple[Node, ...]  # symbols; or one expression, for a function that is a single formula
    return_caption: str

    @property
    def states(self) -> tuple[str, ...]:
        """The names both taken and returned, in the order of taking."""
        return tuple(symbol.name for symbol in self.inputs if symbol.role == "state")

    def statements(self) -> Iterator[tuple[tuple[Symbol, ...], Node, str]]:
        """Every line that computes: targets (none for an unnamed result), expression, caption."""
        for line in self.lines:
            yield line.targets, line.value, line.caption
        if not isinstance(self.returns[0], Symbol):
            yield (), self.returns[0], self.return_caption

    def calls(self) -> Iterator[Opens]:
        """Everything that opens to equations of its own, in the order of the lines."""
        for _, value, _ in self.statements():
            yield from (node for node in value.walk() if isinstance(node, Nested | Scan | Repeat))
