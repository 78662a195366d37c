"""What the recurrent layers share: one way to call them, their treatment of padding, their weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import torch
from torch import Tensor, nn

from seqloom.equations import State
from seqloom.errors import ShapeError
from seqloom.layers.base import Layer
from seqloom.layers.dropout import Dropout

S = TypeVar("S", bound=tuple[Any, ...])

SATURATE = 1e4
"""Added to a gate it gives exactly 1, taken from it exactly 0, in every floating type down to half."""


class Recurrent(Layer, Generic[S]):
    """A layer that reads a sequence and hands on a state: a cell, a stack of them, or a pair."""

    input_size: int
    output_size: int

    def forward(self, x: Tensor, state: S | None = None, lengths: Tensor | None = None) -> tuple[Tensor, S]:
        """Read a sequence; `y, state = layer(x, state)` again reads on where it ended.

        x        (B, T, D)  the tokens; after the end of a sequence may stand anything
        state               the state before the first token; None for zeros
        lengths  (B)        int, how many tokens of each sequence are real; None for all T
        -> y     (B, T, H)  the output at each token, zeros after the end of a sequence
           state            after the last real token of each sequence
        """
        raise NotImplementedError

    def check(self, x: Tensor, lengths: Tensor | None) -> None:
        """A kernel would read past the end of what does not fit."""
        if x.dim() != 3 or x.shape[-1] != self.input_size:
            raise ShapeError(
                f"x has shape {tuple(x.shape)}, {type(self).__name__} reads (B, T, {self.input_size})",
                remedy="put the batch first and the width of a vector last",
            )
        if lengths is None:
            return
        if lengths.shape != x.shape[:1] or lengths.is_floating_point():
            raise ShapeError(
                f"lengths has shape {tuple(lengths.shape)} and type {lengths.dtype}, x has {len(x)} sequences",
                remedy="give one whole number for each sequence",
            )
        # On a GPU, asking for the values would make the program wait for it.
        if lengths.is_cpu and not bool(((lengths >= 0) & (lengths <= x.shape[1])).all()):
            raise ShapeError(
                f"lengths {lengths.tolist()} do not all lie between 0 and the {x.shape[1]} tokens of x",
                remedy="count the real tokens of each sequence",
            )


class Cell(Recurrent[S]):
    """A recurrent layer with one cell. A subclass says how tokens are read, and what is handed on."""

    state_type: Any  # a named tuple; each field (B, H), unless `start` says otherwise

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.input_size, self.output_size = input_size, hidden_size

    def start(self, x: Tensor) -> S:
        """The state before the first of the tokens x (B, T, D)."""
        state: S = self.state_type(*x.new_zeros(len(self.state_type._fields), x.shape[0], self.output_size))
        return state

    def read(self, x: Tensor, state: S, real: Tensor | None) -> tuple[Tensor, S]:
        """The outputs at all tokens, those at padding being of no account, and the state after the last.

        x     (B, T, D)  one token at least; zeros at padding
        real  (B, T, 1)  bool, True for tokens and False for padding; None for tokens only
        """
        raise NotImplementedError

    def forward(self, x: Tensor, state: S | None = None, lengths: Tensor | None = None) -> tuple[Tensor, S]:
        self.check(x, lengths)
        if state is None:
            state = self.start(x)
        self.check_state(x, state)
        if x.shape[0] == 0 or x.shape[1] == 0:  # nothing to read; torch's kernels refuse it
            return x.new_zeros(*x.shape[:2], self.output_size), state
        if lengths is None:
            return self.read(x, state, None)
        real = token_mask(lengths, x)
        y, state = self.read(x.masked_fill(~real, 0), state, real)
        return y.masked_fill(~real, 0), state

    def check_state(self, x: Tensor, state: S) -> None:
        expected = (len(x), self.output_size)
        if any(field.shape != expected for field in state):
            shapes = ", ".join(str(tuple(field.shape)) for field in state)
            raise ShapeError(
                f"the state has shape {shapes}, {type(self).__name__} takes {expected}",
                remedy="hand on the state of the same layer and the same batch",
            )

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.output_size}"


class Gated(Cell[S]):
    """A cell whose every gate is a product with the input, one with the state, and one bias.

    weight_x (gates*H, D), weight_h (gates*H, H) and bias (gates*H) hold the gates one below the other.
    """

    gates: ClassVar[str]
    symbol_names: ClassVar[tuple[str, str, str]] = ("W_x{}", "W_h{}", "b_{}")

    def __init__(self, input_size: int, hidden_size: int, weight_dropout: float = 0.0) -> None:
        super().__init__(input_size, hidden_size)
        self.weight_dropout = Dropout(weight_dropout)
        rows = len(self.gates) * hidden_size
        self.weight_x = nn.Parameter(torch.empty(rows, input_size))
        self.weight_h = nn.Parameter(torch.empty(rows, hidden_size))
        self.bias = nn.Parameter(torch.empty(rows))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw the weights: Glorot for the input, orthogonal for the state, each gate by itself."""
        for from_word, from_state in zip(self.by_gate(self.weight_x), self.by_gate(self.weight_h)):
            nn.init.xavier_uniform_(from_word)
            nn.init.orthogonal_(from_state)
        nn.init.zeros_(self.bias)

    def recurrent_weight(self) -> Tensor:
        """weight_h; while training without those of its entries that are dropped for this whole sequence.

        Paper: S. Merity, N. Keskar, R. Socher, Regularizing and optimizing LSTM language models, ICLR 2018.
        """
        return self.weight_dropout(self.weight_h)  # type: ignore[no-any-return]

    def by_gate(self, weight: Tensor) -> tuple[Tensor, ...]:
        return weight.chunk(len(self.gates))

    def symbols(self) -> dict[str, Tensor]:
        held = zip(self.symbol_names, (self.weight_x, self.weight_h, self.bias))
        return {
            name.format(gate): part.t() for name, weight in held for gate, part in zip(self.gates, self.by_gate(weight))
        }


Kernel = Callable[..., tuple[Tensor, ...]]


def fused(kernel: Kernel, x: Tensor, start: Any, weight_x: Tensor, weight_h: Tensor, bias: Tensor) -> Any:
    """Run one layer of `torch.rnn_tanh`, `torch.gru` or `torch.lstm`, batch first.

    x      (B, T, D)  the tokens
    start  (1, B, H)  the state, with torch's axis of layers; a pair of such for `torch.lstm`
    """
    weights = [weight_x, weight_h, bias, torch.zeros_like(bias)]  # a second bias would say nothing new
    if x.is_cuda:
        weights = in_one_block(weights)
    # torch takes `train` for "gradients may be asked for": so they may, outside of training too.
    return kernel(
        x,
        start,
        weights,
        has_biases=True,
        num_layers=1,
        dropout=0.0,
        train=torch.is_grad_enabled(),
        bidirectional=False,
        batch_first=True,
    )


def in_one_block(weights: list[Tensor]) -> list[Tensor]:
    """The same weights one behind the other in memory: cuDNN wants that, and warns where it is not so."""
    block = torch.cat([weight.flatten() for weight in weights])
    parts = block.split([weight.numel() for weight in weights])
    return [part.view_as(weight) for part, weight in zip(parts, weights)]


def token_mask(lengths: Tensor, x: Tensor) -> Tensor:
    """Which entries of x (B, T, D) are tokens: (B, T, 1), bool, False for padding."""
    places = torch.arange(x.shape[1], device=x.device)
    return (places < lengths.to(x.device)[:, None])[..., None]


def at_end(y: Tensor, start: Tensor, real: Tensor) -> Tensor:
    """The outputs at the last real tokens.

    y      (B, T, H)  outputs
    start  (B, H)     what stands for a sequence without tokens
    real   (B, T, 1)  bool, True for tokens
    -> (B, H)
    """
    length = real.sum(1, keepdim=True)  # (B, 1, 1)
    end = y.gather(1, (length - 1).clamp(min=0).expand(-1, -1, y.shape[2]))
    return torch.where(length[:, 0] == 0, start, end[:, 0])


def example_state(state: Any, layer: Layer) -> State:
    """The state of the first example of a batch, under the names of the layer's definition."""
    definition = layer.definition
    values = [getattr(state, name)[0] for name in definition.body.states]
    return State(values[0], values)


def last(y: Tensor, lengths: Tensor | None = None) -> Tensor:
    """The outputs at the last real tokens, zeros for sequences without any: for those who need no others.

    y        (B, T, H)  the outputs of a recurrent layer
    lengths  (B)        int, how many tokens of each sequence are real; None for all T
    -> (B, H)

    >>> y = torch.tensor([[[1.0], [2.0], [3.0]], [[4.0], [0.0], [0.0]]])
    >>> last(y, torch.tensor([3, 1])).tolist()
    [[3.0], [4.0]]
    """
    if lengths is None:
        return y[:, -1]
    return at_end(y, torch.zeros_like(y[:, 0]), token_mask(lengths, y))
