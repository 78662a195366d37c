"""Definitions of one query lifted to a batch, and the symbols of a layer in order."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from seqloom.equations import Equations
from seqloom.layers.base import Layer, Symbols
from seqloom.testing import exact, lifted

__all__ = ["by_queries", "counted", "exact", "lifted", "values"]


def by_queries(definition: Equations[..., Any], weights: Symbols, others: int = 1) -> Callable[..., Tensor]:
    """A definition of one query: over a batch, and over the queries of its first input."""
    return lifted(definition, weights, 0, (0, *[None] * others))


def values(layer: Layer) -> list[Any]:
    """The symbols without their letters, in the order of the definition's arguments."""
    return [layer.symbols()[symbol.name] for symbol in layer.definition.body.weights]


def counted(layer: nn.Module) -> int:
    return sum(parameter.numel() for parameter in layer.parameters())
