"""What ties a fast module to its equations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, TypeVar

from torch import Tensor, nn

from seqloom.equations import Equations, Part

Symbols: TypeAlias = "Mapping[str, Tensor | int | Part | Sequence[Part]]"
"""Weights under the letters of a definition; a part with weights of its own, or a list of them for a loop."""

M = TypeVar("M", bound="Layer")


class Layer(nn.Module):
    """A module that computes what its definition says, faster."""

    definition: ClassVar[Equations[..., Any]]

    def symbols(self) -> Symbols:
        """The trained weights under the letters that the definition gives them."""
        return {}

    def part(self) -> Part:
        """The definition together with the trained weights."""
        return Part(self.definition, self.symbols())


def layer(definition: Equations[..., Any]) -> Callable[[type[M]], type[M]]:
    """Tie a module to the equations it computes, so that tests and explanations find the pair."""

    def tie(cls: type[M]) -> type[M]:
        cls.definition = definition
        definition.layer = cls
        return cls

    return tie
