"""A model at work: what is computed one after the other, each as equations with trained weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from seqloom.equations import Equations, Part
from seqloom.equations.part import Weights
from seqloom.equations.trace import Draw, Trace, sample, trace

Given = Mapping[str, Any]
"""Inputs or states under the names of a definition's arguments."""


@dataclass(frozen=True)
class Stage:
    """One part of a model in use; one that takes a whole sequence at once has a single step."""

    name: str
    part: Part
    steps: Sequence[Given]
    """What comes from outside in each step: a token, its position."""
    given: Given = field(default_factory=dict)
    """The inputs that were made by earlier stages, the same in every step."""
    start: Given = field(default_factory=dict)
    """The states before the first step: zeros, or made by earlier stages."""

    def traces(self, count: int | None = None) -> list[Trace]:
        """Everything that is computed, one trace a step; of the first `count` steps, if so many are asked for."""
        return self.whole if count is None else self.run(count)

    @cached_property
    def whole(self) -> list[Trace]:
        """The traces of all steps: computed once, for whoever looks at them."""
        return self.run(None)

    def run(self, count: int | None) -> list[Trace]:
        steps = [{**self.given, **step} for step in self.steps[:count]]
        return run(self.part.definition, steps, self.start, self.part.weights)


def run(
    definition: Equations[..., Any],
    steps: Sequence[Given],
    start: Given,
    weights: Weights,
    draw: Draw | None = None,
) -> list[Trace]:
    """One trace a step, the states handed on. With `draw`, missing weights are drawn in the first step and kept."""
    names = [getattr(result, "name", "") for result in definition.body.returns]
    traces: list[Trace] = []
    state = dict(start)
    for step in steps:
        given = {**state, **step}
        inputs = tuple(given[symbol.name] for symbol in definition.body.inputs)
        if draw is None:
            traces.append(trace(definition, *inputs, **weights))
        else:
            traces.append(sample(definition, inputs, weights, draw))
            weights = traces[-1].weights
        results = dict(zip(names, traces[-1].results, strict=True))
        state = {name: results[name] for name in definition.body.states}
    return traces


@dataclass(frozen=True)
class VocabularyAxis:
    """Values that run over a whole vocabulary, or over labels: which tokens they stand for."""

    tokens: Sequence[str]
    used: Sequence[int] = ()
    """Token ids whose entries are shown: those of this sentence; without any, the most probable ones."""
    lines: tuple[str, ...] = ()
    """The lines of the definition that speak of all tokens: logits and probabilities."""
    probabilities: str = ""
    """The id of the probabilities among them, if there are any."""
    table: str = "E"
    """The weight that has a vector for each token."""


@dataclass(frozen=True)
class StageExample:
    """A stage with the words around it, and the same stage for a sentence longer or shorter by one word."""

    stage: Stage
    other: Stage
    words: list[str]
    labels: list[str]  # of the steps
    fed: list[str]  # what goes into each step
    axes: Sequence[VocabularyAxis] = ()
    columns: Sequence[str] = ()  # the names of the feature columns `f`
    longer: bool = True  # whether the other sentence is


@dataclass(frozen=True)
class Example:
    """A model at work on one input: a title, and its stages in the order of computation."""

    title: str
    stages: Sequence[StageExample]
    picture: bytes = b""
    """What was read, if it is a picture: a PNG."""
