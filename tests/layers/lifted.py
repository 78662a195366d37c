"""A definition lifted to a batch, and layers whose every weight matters."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from seqloom.equations import Equations
from seqloom.layers.base import Layer, Symbols

L = TypeVar("L", bound=Layer)


def lifted(
    definition: Equations[..., Any], weights: Symbols, *axes: int | tuple[int | None, ...]
) -> Callable[..., Tensor]:
    """The definition of one example over axes of its inputs, the outermost first; one axis 0 by default."""
    function: Callable[..., Tensor] = partial(definition, **weights)
    for axis in reversed(axes or (0,)):
        function = torch.vmap(function, in_dims=axis)
    return function


def by_queries(definition: Equations[..., Any], weights: Symbols, others: int = 1) -> Callable[..., Tensor]:
    """A definition of one query: over a batch, and over the queries of its first input."""
    return lifted(definition, weights, 0, (0, *[None] * others))


def exact(layer: L) -> L:
    """The layer in float64, with random numbers for all weights: new ones have zeros, which hide mistakes."""
    for parameter in layer.parameters():
        nn.init.normal_(parameter)
    return layer.double()


def values(layer: Layer) -> list[Any]:
    """The symbols without their letters, in the order of the definition's arguments."""
    return [layer.symbols()[symbol.name] for symbol in layer.definition.body.weights]


def counted(layer: nn.Module) -> int:
    return sum(parameter.numel() for parameter in layer.parameters())
