"""A definition of a whole sequence alone is an encoder layer, run for each sequence of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from seqloom.equations import Equations
from seqloom.errors import GrammarError, ShapeError
from seqloom.layers.base import Layer, Symbols
from seqloom.layers.derived_weights import DerivedWeights, dry_run, entry_of, example

X_ONLY = (("T", "D"), "real")
MASK = (("T", "T"), "bool")


def block_from(definition: Equations[..., Any], width: int, sizes: Mapping[str, int] | None = None) -> DerivedBlock:
    """A definition of a whole sequence, X (T, D) and perhaps a mask (T, T) -> (T, D), as a layer; D is the width."""
    return DerivedBlock(definition, width, sizes)


class DerivedBlock(Layer):
    """A definition X (T, D) [, mask (T, T)] -> (T, D), run for each sequence of a batch."""

    def __init__(self, definition: Equations[..., Any], width: int, sizes: Mapping[str, int] | None = None) -> None:
        super().__init__()
        self.definition = definition  # type: ignore[misc]  # of this one, not of the class
        self.width = self.output_size = width
        self.takes_mask = check_block(definition)
        known = {"D": width, **(sizes or {}), "T": 3}  # any length will do
        inputs = [example(definition, symbol, known, width) for symbol in definition.body.inputs]
        run = dry_run(definition, inputs, known, width)
        self.weights = DerivedWeights(definition, run.weights)
        if len(run.results) > 1 or run.results[0].shape != (3, width):
            shape = tuple(run.results[0].shape) if len(run.results) == 1 else "several results"
            raise GrammarError(
                f"{definition.name} makes {shape} of X (3, {width}); a block gives (T, D) back",
                where=definition.source.place(),
                remedy="return one matrix of the shape of X",
            )

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Apply the definition to each sequence; padding is never seen.

        x     (B, T, D)  the vectors
        mask  (B, T)     bool, True for real positions; or (B, T, T), True where a query may attend; or None
        ->    (B, T, D)  zeros at padding
        """
        if x.dim() != 3 or x.shape[-1] != self.width:
            raise ShapeError(
                f"x has shape {tuple(x.shape)}, {self.definition.name} reads (B, T, {self.width})",
                remedy="put the batch first and the width last",
            )
        B, T = x.shape[:2]
        if B == 0 or T == 0:
            return torch.zeros_like(x)
        step = torch.vmap(partial(self.definition.function, **self.weights.symbols()))
        if self.takes_mask:
            allowed = x.new_ones(B, T, T, dtype=torch.bool) if mask is None else mask
            if allowed.dim() == 3:
                y: Tensor = step(x, allowed)
                return y
            y = step(x.masked_fill(~allowed[..., None], 0), allowed[:, None].expand(B, T, T))
            return y.masked_fill(~allowed[..., None], 0)
        if mask is None:
            y = step(x)
            return y
        return self.by_length(step, x, mask)

    def by_length(self, step: Any, x: Tensor, mask: Tensor) -> Tensor:
        """Sequences of one length together, each without its padding."""
        if mask.dim() != 2:
            raise ShapeError(
                f"{self.definition.name} takes no mask (T, T), one of shape {tuple(mask.shape)} is given",
                remedy="give a padding mask (B, T), or let the definition take a mask",
            )
        y = torch.zeros_like(x)
        lengths = mask.sum(1)
        for length in lengths.unique().tolist():
            if length:
                real = mask & (lengths == length)[:, None]
                y = y.masked_scatter(real[..., None], step(x[real].view(-1, length, self.width)))
        return y

    def symbols(self) -> Symbols:
        return self.weights.symbols()

    def extra_repr(self) -> str:
        return f"{self.definition.name}, {self.width}"


def check_block(definition: Equations[..., Any]) -> bool:
    """Whether the definition takes a mask; an error where it is no block."""
    symbols = definition.body.inputs
    entries = [entry_of(definition, symbol.name) for symbol in symbols]
    shapes = [(entry.shape, entry.kind) for entry in entries]
    if definition.body.states or shapes not in ([X_ONLY], [X_ONLY, MASK]):
        taken = ", ".join(f"{symbol.name} ({', '.join(entry.shape)})" for symbol, entry in zip(symbols, entries))
        raise GrammarError(
            f"{definition.name} takes {taken}; a block takes X (T, D), and perhaps mask (T, T)",
            where=definition.source.place(),
            remedy="write `X  (T, D)  ...` and `mask  (T, T)  bool, ...` in the docstring",
        )
    return len(symbols) == 2
