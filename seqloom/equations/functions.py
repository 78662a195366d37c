"""The known functions: what an equations function may call besides other equations functions.

One entry says how a function is computed and how it is written. Equations speak of one example: a
small letter is a row, a capital a matrix of rows, and whatever reduces does so along the last axis.
`torch.vmap` lifts a definition to a batch.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, TypeVar

import torch
from torch import Tensor

from seqloom.equations.part import as_part, shown

Style = Literal["name", "root", "norm", "size", "join", "append", "cases", "positive", "sum", "family", "count", "scan"]
"""How a call is written: `name` as f(x); the others have a sign of their own (see notation.py)."""

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Known:
    """One known function."""

    name: str
    compute: Callable[..., Any]
    style: Style
    latex: str  # the name in LaTeX, for the style `name`
    sign: str  # the same in Unicode: on the page and in a terminal
    rank: Callable[[Sequence[int]], int]  # ranks of the arguments -> rank of the result
    says: str  # the docstring's first line

    def __repr__(self) -> str:
        return f"<known function {self.name}>"


TABLE: dict[Callable[..., Any], Known] = {}


def same(ranks: Sequence[int]) -> int:
    return max(ranks)


def scalar(ranks: Sequence[int]) -> int:
    return 0


def row(ranks: Sequence[int]) -> int:
    return 1


def reduced(ranks: Sequence[int]) -> int:
    return max(ranks[0] - 1, 0)


def stacked(ranks: Sequence[int]) -> int:
    return ranks[0] + 1


def known(
    latex: str = "",
    sign: str = "",
    *,
    style: Style = "name",
    rank: Callable[[Sequence[int]], int] = same,
) -> Callable[[F], F]:
    """Add a function to the table; without a LaTeX name it is written upright under its own."""

    def register(function: F) -> F:
        name = function.__name__
        upright = rf"\operatorname{{{name.replace('_', '-')}}}"
        TABLE[function] = Known(
            name=name,
            compute=function,
            style=style,
            latex=latex or upright,
            sign=sign or name.replace("_", "-"),
            rank=rank,
            says=(function.__doc__ or "").strip().split("\n")[0],
        )
        return function

    return register


@known(r"\sigma", "σ")
def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + e⁻ˣ): any number to one between 0 and 1."""
    return torch.sigmoid(x)


@known(r"\tanh")
def tanh(x: Tensor) -> Tensor:
    """Any number to one between -1 and 1."""
    return torch.tanh(x)


@known(style="positive")
def relu(x: Tensor) -> Tensor:
    """max(0, x): the negative becomes zero."""
    return torch.relu(x)


@known(r"\exp")
def exp(x: Tensor) -> Tensor:
    """eˣ."""
    return torch.exp(x)


@known(r"\log")
def log(x: Tensor) -> Tensor:
    """The natural logarithm."""
    return torch.log(x)


@known(r"\sin")
def sin(x: Tensor) -> Tensor:
    """The sine of an angle in radians."""
    return torch.sin(x)


@known(r"\cos")
def cos(x: Tensor) -> Tensor:
    """The cosine of an angle in radians."""
    return torch.cos(x)


@known(style="root")
def sqrt(x: Tensor | float) -> Tensor | float:
    """The square root."""
    return torch.sqrt(x) if isinstance(x, Tensor) else float(x) ** 0.5


@known()
def softmax(x: Tensor) -> Tensor:
    """eˣ over its sum: numbers to a distribution; where all are -∞ there is none, and it is zero.

    >>> softmax(torch.tensor([[0.0, 0.0], [0.0, -inf], [-inf, -inf]])).tolist()
    [[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]]
    """
    nothing = (x == -inf).all(-1, keepdim=True)
    return torch.softmax(x.masked_fill(nothing, 0.0), -1).masked_fill(nothing, 0.0)


@known(r"\log\sigma", "log σ")
def log_sigmoid(x: Tensor) -> Tensor:
    """The logarithm of the sigmoid."""
    return torch.nn.functional.logsigmoid(x)


@known(r"\log\operatorname{softmax}", "log softmax")
def log_softmax(x: Tensor) -> Tensor:
    """The logarithm of softmax."""
    return torch.log_softmax(x, -1)


@known(r"\log\sum\exp", "log ∑ exp", rank=reduced)
def log_sum_exp(x: Tensor) -> Tensor:
    """The logarithm of the sum of eˣ over a row; of each row of a matrix."""
    return torch.logsumexp(x, -1)


@known(rank=reduced)
def mean(x: Tensor) -> Tensor:
    """The mean of the entries of a row; of each row of a matrix, in a column beside it."""
    return x.mean(-1, keepdim=True)


@known(style="norm", rank=reduced)
def norm(x: Tensor) -> Tensor:
    """The length of a row: the root of the sum of its squares."""
    length: Tensor = torch.linalg.vector_norm(x, dim=-1)
    return length


@known(r"\dim", "dim", rank=scalar)
def dim(x: Tensor) -> int:
    """How many entries a row has."""
    return x.shape[-1]


@known(rank=row)
def flatten(X: Tensor) -> Tensor:
    """The rows of a matrix one behind the other."""
    return X.flatten()


@known(style="join")
def concat(*parts: Tensor) -> Tensor:
    """Rows put end to end."""
    return torch.cat(parts, -1)


@known(style="append", rank=lambda ranks: 2)
def append(X: Tensor, x: Tensor) -> Tensor:
    """A matrix with one more row below.

    >>> append(torch.zeros(0, 2), torch.ones(2)).tolist()
    [[1.0, 1.0]]
    """
    return torch.cat([X, x.unsqueeze(-2)], -2)


@known(rank=lambda ranks: 2)
def as_row(x: Tensor) -> Tensor:
    """A vector as the only row of a matrix."""
    return x[None]


@known(rank=row)
def last(X: Tensor) -> Tensor:
    """The last row of a matrix."""
    return X[-1]


@known(rank=row)
def first(X: Tensor) -> Tensor:
    """The first row of a matrix."""
    return X[0]


@known(rank=same)
def but_first(X: Tensor) -> Tensor:
    """All but the first entry, or row."""
    return X[1:]


@known(rank=same)
def but_last(X: Tensor) -> Tensor:
    """All but the last entry, or row."""
    return X[:-1]


@known(rank=lambda ranks: 2)
def add_at_ends(X: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """A matrix with one vector added to its first row and another to its last.

    >>> add_at_ends(torch.zeros(3, 1), torch.tensor([1.0]), torch.tensor([2.0])).flatten().tolist()
    [1.0, 0.0, 2.0]
    """
    places = torch.arange(len(X), device=X.device)[:, None]
    return X + (places == 0) * a + (places == len(X) - 1) * b


@known(rank=row)
def highest(X: Tensor) -> Tensor:
    """The largest entry of each column."""
    return X.amax(-2)


@known(rank=lambda ranks: 2)
def tail(X: Tensor, size: int) -> Tensor:
    """The last rows of a matrix, so many of them; zeros in front where there are fewer.

    >>> tail(torch.tensor([[1.0]]), 2).tolist()
    [[0.0], [1.0]]
    """
    return torch.nn.functional.pad(X, (0, 0, max(size - len(X), 0), 0))[-size:]


@known(rank=lambda ranks: 3)
def windows(X: Tensor, before: int, behind: int) -> Tensor:
    """For each row the rows around it, so many before and behind it; zeros beyond the ends.

    >>> windows(torch.tensor([[1.0], [2.0]]), 1, 0).flatten(1).tolist()
    [[0.0, 1.0], [1.0, 2.0]]
    """
    padded = torch.nn.functional.pad(X, (0, 0, before, behind))
    return torch.stack([padded[at : at + before + behind + 1] for at in range(len(X))])


@known(rank=lambda ranks: 4)
def shifts(P: Tensor, window: int) -> Tensor:
    """A picture moved by each offset of a square window, row by row; zeros beyond the edges.

    >>> shifts(torch.tensor([[[1.0], [2.0]]]), 3)[3:6].flatten(1).tolist()
    [[0.0, 1.0], [1.0, 2.0], [2.0, 0.0]]
    """
    before, behind = (window - 1) // 2, window // 2
    padded = torch.nn.functional.pad(P, (0, 0, before, behind, before, behind))
    moved = [padded[i : i + len(P), j : j + P.shape[1]] for i in range(window) for j in range(window)]
    return torch.stack(moved)


@known(rank=lambda ranks: 3)
def max_pool(P: Tensor, size: int) -> Tensor:
    """The largest entry of each square of so many places a side; what fills no square is left out.

    >>> max_pool(torch.arange(12.0).reshape(3, 4, 1), 2).flatten().tolist()
    [5.0, 7.0]
    """
    rows, columns = len(P) // size, P.shape[1] // size
    squares = P[: rows * size, : columns * size].reshape(rows, size, columns, size, P.shape[2])
    return squares.amax((1, 3))


@known(rank=lambda ranks: 2)
def regions(G: Tensor) -> Tensor:
    """The vectors of a grid one below the other, row by row."""
    return G.flatten(0, 1)


@known(rank=lambda ranks: 2)
def full_mask(Q: Tensor, K: Tensor) -> Tensor:
    """True everywhere: each row of the first may attend to each row of the second."""
    return torch.ones(len(Q), len(K), dtype=torch.bool, device=Q.device)


@known(rank=lambda ranks: 2)
def past_mask(X: Tensor) -> Tensor:
    """True where the second index is not above the first: a position attends to itself and to those before it."""
    return full_mask(X, X).tril()


@known(style="cases")
def where(condition: Tensor, x: Tensor | float, y: Tensor | float) -> Tensor:
    """x where the condition holds, y elsewhere."""
    return torch.where(condition, x, y)


@known(rank=lambda ranks: ranks[0] + 1)
def one_hot(w: Tensor, size: int) -> Tensor:
    """A vector of zeros with a single 1 at place w; all zeros for a w below 0 (nothing known)."""
    hot = torch.eq(torch.arange(size, device=w.device), w[..., None])
    return hot.to(torch.get_default_dtype())


@known(style="count", rank=row)
def arange(size: int) -> Tensor:
    """The numbers 0, 1, 2, ... below the size."""
    return torch.arange(size)


@known(rank=row)
def interleave(x: Tensor, y: Tensor) -> Tensor:
    """x at the even places, y at the odd ones.

    >>> interleave(torch.tensor([1, 3]), torch.tensor([2, 4])).tolist()
    [1, 2, 3, 4]
    """
    return torch.stack([x, y], -1).flatten(-2)


@known(style="family", rank=stacked)
def stack(values: Any) -> Tensor:
    """The values of a family `f(k_j) for k_j in K`, one below the other."""
    return torch.stack(list(values))


@known(style="scan", rank=lambda ranks: 2)
def scan(cell: Any, X: Tensor) -> Tensor:
    """A recurrent part reads the vectors of X one after the other; its outputs, one below the other."""
    state, outputs = as_part(cell).start(like=X), []
    for x in X:
        state = as_part(cell)(x, state)
        outputs.append(shown(state))
    return torch.stack(outputs)


@known(style="scan", rank=lambda ranks: 2)
def scan_back(cell: Any, X: Tensor) -> Tensor:
    """As `scan`, from the last vector to the first."""
    return scan(cell, X.flip(0)).flip(0)


TABLE[builtins.sum] = Known("sum", builtins.sum, "sum", r"\sum", "∑", same, "The sum of a family.")
TABLE[builtins.len] = Known("len", builtins.len, "size", "", "", scalar, "How many rows a matrix has.")
