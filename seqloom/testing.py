"""Hold a module to its definition: values and gradients in float64, for layers of this package and of others.

from seqloom.testing import check_cell, check_layer

def test_my_cell_computes_its_equations():
    check_cell(MyCell(3, 5))

def test_my_layer_computes_its_equations():
    check_layer(MyLayer(6), randn(2, 4, 6))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.autograd import grad
from torch.testing import assert_close

from seqloom.equations import Equations, nodes
from seqloom.layers.base import Layer, Symbols
from seqloom.layers.recurrent import Cell

L = TypeVar("L", bound=nn.Module)

__all__ = [
    "assert_same", "check_cell", "check_encoder", "check_layer", "check_translator", "exact", "gradients", "lifted",
    "randn", "scan", "tensors",
]  # fmt: skip


def check_layer(layer: Layer, *inputs: Tensor) -> None:
    """A layer gives what its definition gives for each example of a batch; the weights become random numbers.

    inputs  (B, ...)  those of the definition, in its order, the batch first

    >>> from seqloom.layers import FeedForward
    >>> check_layer(FeedForward(4, 6), randn(2, 3, 4))
    """
    exact(layer).eval()
    inputs = tuple(leaf(value) for value in inputs)
    leaves = [*(value for value in inputs if value.requires_grad), *layer.parameters()]
    slow = lifted(layer.definition, layer.symbols())(*inputs)
    assert_same(as_tuple(layer(*inputs)), as_tuple(slow), leaves)


def check_cell(cell: Cell[Any], B: int = 2, T: int = 5) -> None:
    """A cell gives what its definition gives step by step, from any state, with padding and without.

    At padding the output is zero and the state stays. The weights become random numbers.

    >>> from seqloom.layers import LSTM
    >>> check_cell(LSTM(3, 5))
    """
    exact(cell).eval()
    states = cell.definition.body.states
    with torch.no_grad():
        _, start = cell(randn(B, 2, cell.input_size))  # a state that it can be in
    for value in tensors(start):
        value.requires_grad_()
    x = randn(B, T, cell.input_size)
    leaves = [x, *(getattr(start, name) for name in states), *cell.parameters()]
    before = [getattr(start, name) for name in states]

    y, end = cell(x, start)
    expected, after = scan(cell.definition, x, before, cell.symbols())
    assert_same([y, *(getattr(end, name) for name in states)], [expected, *after], leaves)

    lengths = torch.arange(B) % (T + 1)  # from none at all
    y, end = cell(x, start, lengths)
    got: list[Tensor] = [y]
    wanted = [torch.zeros_like(y)]
    for row, length in enumerate(lengths.tolist()):
        values = [value[row : row + 1] for value in before]
        if length:
            alone, values = scan(cell.definition, x[row : row + 1, :length], values, cell.symbols())
            wanted[0] = torch.cat([wanted[0][:row], grown(alone, T), wanted[0][row + 1 :]])
        for name, value in zip(states, values, strict=True):
            state = getattr(end, name)[row : row + 1]
            if state.shape == value.shape:  # one that grows has entries for padding too
                got.append(state)
                wanted.append(value)
    assert_same(got, wanted, leaves)


def check_encoder(encoder: Any, width: int, T: int = 5) -> None:
    """An `Encoder` of vectors so wide gives what its definition gives for each text, and zeros at padding.

    >>> from seqloom.models.encoders.bag_of_words import BagOfWords
    >>> check_encoder(BagOfWords(4), 4)
    """
    exact(encoder).eval()
    x, lengths = randn(2, T, width), [T, T - 2]
    slow = [encoder.part(length)(vectors[:length]) for vectors, length in zip(x, lengths, strict=True)]
    padded = torch.stack([grown(y[None], T)[0] for y in slow])
    assert_same([encoder(x, torch.tensor(lengths))], [padded], [x, *encoder.parameters()])


def check_translator(model: Any, source: Sequence[int], written: Sequence[int]) -> None:
    """A `Seq2Seq` gives what the definition of its decoder gives step by step, all steps at once and one by one.

    source, written  token ids; `written` is what the decoder reads, <bos> first
    """
    exact(model).eval()
    w, y = torch.tensor([source]), torch.tensor([written])
    length = torch.tensor([len(source)])
    slow = torch.stack([trace.results[-1] for trace in model.stages(w, written)[-1].traces()])
    logits = model(w, length, y, torch.ones_like(y, dtype=torch.bool))
    assert_same([logits.softmax(-1)], [slow], list(model.parameters()))
    state, steps = model.start(w, length), []
    for token in written:
        step = model.step(torch.tensor([token]), state)
        state = step.state
        steps.append(step.logits[0].softmax(-1))
    assert_close(torch.stack(steps), slow)


def scan(
    definition: Equations[..., Any], x: Tensor, state: Sequence[Tensor], weights: Symbols, output: str | None = None
) -> tuple[Tensor, list[Tensor]]:
    """A recurrent definition step by step over x (B, T, D): the outputs, and the states after the last step.

    `output` is the name of a result; None for the first. `torch.vmap` lifts the definition to the batch.
    """
    step = torch.vmap(partial(definition, **weights))
    returned = [node.name for node in definition.body.returns if isinstance(node, nodes.Symbol)]
    place = returned.index(output) if output else 0
    outputs, state = [], list(state)
    for vectors in x.unbind(1):
        results = as_tuple(step(vectors, *state))
        state = [results[returned.index(name)] for name in definition.body.states]
        outputs.append(results[place])
    return torch.stack(outputs, 1), state


def lifted(
    definition: Equations[..., Any], weights: Symbols, *axes: int | tuple[int | None, ...]
) -> Callable[..., Any]:
    """A definition of one example over axes of its inputs, the outermost first; one axis 0 by default."""
    function: Callable[..., Any] = partial(definition, **weights)
    for axis in reversed(axes or (0,)):
        function = torch.vmap(function, in_dims=axis)
    return function


def exact(layer: L) -> L:
    """The layer in float64, with random numbers for all weights: new ones have zeros, which hide mistakes."""
    for parameter in layer.parameters():
        nn.init.normal_(parameter)
    return layer.double()


def randn(*shape: int) -> Tensor:
    """A random leaf in float64: there, equal means the same mathematics and not nearly the same."""
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def assert_same(fast: Sequence[Tensor], slow: Sequence[Tensor], leaves: Sequence[Tensor]) -> None:
    """Equal values, and equal gradients at every leaf, of a loss that every single entry changes."""
    assert_close(list(fast), list(slow))
    slopes = [torch.randn_like(value) for value in slow]
    assert_close(gradients(fast, leaves, slopes), gradients(slow, leaves, slopes))


def gradients(values: Sequence[Tensor], leaves: Sequence[Tensor], slopes: Sequence[Tensor]) -> list[Tensor]:
    """The gradients at the leaves of the sum of all values, each entry times its slope."""
    loss = sum((value * slope).sum() for value, slope in zip(values, slopes, strict=True))
    return list(grad(loss, leaves, retain_graph=True, materialize_grads=True))  # type: ignore[arg-type]


def tensors(state: Any) -> list[Tensor]:
    """All tensors of a state that a gradient can reach, however it is nested."""
    if isinstance(state, Tensor):
        return [state] if state.is_floating_point() else []
    return [tensor for part in state for tensor in tensors(part)]


def as_tuple(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def leaf(value: Tensor) -> Tensor:
    return value.detach().double().requires_grad_() if value.is_floating_point() else value


def grown(y: Tensor, T: int) -> Tensor:
    """y (B, t, H) with zeros up to T steps."""
    return torch.cat([y, y.new_zeros(len(y), T - y.shape[1], y.shape[2])], 1)
