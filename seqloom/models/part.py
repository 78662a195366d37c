"""A part of a model in use: its definition, its trained weights, and what it is given step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from seqloom.equations import Equations, nodes
from seqloom.equations.trace import Draw, Trace, Weights, sample, trace

Letters = Mapping[str, Tensor]
"""Values under the letters of a definition."""


@dataclass(frozen=True)
class Part:
    """One view of a model. A part that takes all words at once has a single step."""

    name: str
    definition: Equations[..., Any]
    symbols: Weights
    steps: Sequence[Letters]
    """The inputs of each step that are no states."""
    start: Letters = field(default_factory=dict)
    """The states before the first step; those that run backward, before the last."""

    def traces(self, count: int | None = None) -> list[Trace]:
        """Everything that is computed, one trace a step; of the first `count` steps, if so many are asked for."""
        traces = run(self.definition, self.steps[:count], self.start, self.symbols)
        repeated = dict(weights_in_families(self.definition))
        for traced in traces:
            for id, rank in repeated.items():
                value = torch.as_tensor(traced.values[id])
                traced.values[id] = value[(0,) * (value.ndim - rank)]
        return traces


def weights_in_families(
    definition: Equations[..., Any], path: str = "", inside: bool = False
) -> Iterator[tuple[str, int]]:
    """Ids of the weights of calls that are made once for every word, and their ranks: one copy of them is enough."""
    for _, value, _ in definition.body.statements():
        families = {node.id for each in value.walk() if isinstance(each, nodes.Each) for node in each.body.walk()}
        for node in value.walk():
            if not isinstance(node, nodes.Nested):
                continue
            many, prefix = inside or node.id in families, f"{path}{node.id}/"
            for symbol in node.definition.body.weights if many else ():
                entry = node.definition.legend[symbol.name]
                if symbol.role == "weight" and entry is not None:
                    yield prefix + symbol.id, len(entry.shape)
            yield from weights_in_families(node.definition, prefix, many)


def run(
    definition: Equations[..., Any],
    steps: Sequence[Letters],
    start: Letters,
    weights: Weights,
    draw: Draw | None = None,
) -> list[Trace]:
    """One trace a step; a state that runs backward is known before the steps forward begin.

    With `draw`, the weights that are missing are drawn in the first step and kept.
    """
    behind = [name for name in definition.body.states if name.endswith("_bwd")]
    coming: list[dict[str, Tensor]] = [{} for _ in steps]

    def once(step: int, states: Letters) -> Trace:
        nonlocal weights
        given = {**states, **steps[step]}
        inputs = tuple(given[symbol.name] for symbol in definition.body.inputs)
        if draw is None:
            return trace(definition, *inputs, **weights)
        traced = sample(definition, inputs, weights, draw)
        weights = traced.weights
        return traced

    state: Letters = start
    for step in reversed(range(len(steps) if behind else 0)):
        coming[step] = {name: state[name] for name in behind}
        state = after(definition, once(step, {**start, **coming[step]}))
    traces: list[Trace] = []
    state = start
    for step in range(len(steps)):
        traces.append(once(step, {**state, **coming[step]}))
        state = after(definition, traces[-1])
    return traces


def after(definition: Equations[..., Any], traced: Trace) -> dict[str, Tensor]:
    """The states after a step."""
    return {name: torch.as_tensor(traced.values[name]) for name in definition.body.states}
