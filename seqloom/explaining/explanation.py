"""A definition explained: three views of it and of everything it calls, with the numbers of a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from seqloom.equations import Equations, nodes
from seqloom.equations.code import code
from seqloom.equations.count import parameters
from seqloom.equations.drawing.graph import call_paths
from seqloom.equations.drawing.svg import draw as draw_figure
from seqloom.equations.latex import latex
from seqloom.equations.mathml import lines, spell
from seqloom.equations.notation import Notation, notation
from seqloom.equations.plain import plain
from seqloom.equations.trace import Number, Trace, sample
from seqloom.explaining.values import Value, value_of
from seqloom.explaining.words import SENTENCE, Inputs, split


@dataclass(frozen=True)
class Line:
    """One line of a definition."""

    mathml: str
    caption: str
    id: str


@dataclass(frozen=True)
class SymbolNote:
    """What a symbol is: for the table below the panes and the panel beside a value."""

    id: str
    label: str  # MathML
    kind: nodes.Role
    shape: str
    sense: str


@dataclass(frozen=True)
class View:
    """One definition: the whole (path ""), or a call inside it that was opened at its path."""

    path: str
    name: str
    title: str
    paper: str
    figure: str
    lines: tuple[Line, ...]
    code: str
    latex: str
    symbols: tuple[SymbolNote, ...]


@dataclass(frozen=True)
class Step:
    """One moment: a word that is read, or the single run over a whole sentence."""

    label: str
    values: dict[str, Value]


@dataclass(frozen=True, repr=False)
class Explanation:
    """A definition, the words it was run on, and everything that was computed."""

    definition: Equations[..., Any]
    words: list[str]
    traces: tuple[Trace, ...]
    labels: tuple[str, ...]  # the word of each step; a single "" where all words are taken at once
    word_axes: dict[str, tuple[bool, ...]]  # for each id, which axes of its value run over the words

    @property
    def name(self) -> str:
        return self.definition.label

    @property
    def title(self) -> str:
        return self.definition.legend.title

    @property
    def paper(self) -> str:
        return self.definition.legend.paper

    @cached_property
    def latex(self) -> str:
        return latex(self.definition)

    @cached_property
    def formula(self) -> list[str]:
        """The formulas as Unicode text, one string each."""
        return plain(self.definition)

    @cached_property
    def count(self) -> dict[str, tuple[tuple[int, ...], int]]:
        """Shape and number of parameters by symbol, at the sizes of this example."""
        weights = flat(self.traces[0].weights)
        return {name: (tuple(weights[name].shape), number) for name, number in parameters(weights).items()}

    @property
    def total(self) -> int:
        return sum(number for _, number in self.count.values())

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes of this example, for the letters in the shapes of its weights."""
        entries = (self.definition.legend[symbol.name] for symbol in self.definition.body.weights)
        shapes = " ".join(" ".join(entry.shape) for entry in entries if entry)
        letters = re.findall(r"[A-Za-z]+", shapes)
        return {letter: size for letter, size in self.traces[0].sizes.items() if letter in letters}

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The whole first, then everything that opens, outermost first."""
        return tuple(view_of(self.definition, path) for path in ("", *call_paths(self.definition)))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return tuple(
            Step(label, {id: self._value(id, number) for id, number in trace.values.items()})
            for label, trace in zip(self.labels, self.traces, strict=True)
        )

    def _value(self, id: str, number: Number) -> Value:
        axes = self.word_axes.get(id, ())
        rows = self.words if len(axes) > 1 and axes[-2] else None
        return value_of(number, rows, self.words if axes and axes[-1] else None)

    def __repr__(self) -> str:
        return f"<explanation of {self.name}: {' '.join(self.words)}>"

    def _repr_html_(self) -> str:
        from seqloom.explaining.page import frame, page

        return frame(page(self))


def explain_definition(definition: Equations[..., Any], sentence: str = SENTENCE) -> Explanation:
    """Run a definition over a sentence and keep everything."""
    words = split(sentence)
    inputs = Inputs(definition, words)
    traces = run(definition, inputs)
    axes = (
        {} if len(inputs.steps) > 1 else word_axes(traces[0], run(definition, Inputs(definition, [*words, "and"]))[0])
    )
    return Explanation(definition, words, tuple(traces), tuple(inputs.steps), axes)


def word_axes(traced: Trace, longer: Trace) -> dict[str, tuple[bool, ...]]:
    """Which axes run over the words: those that grow by one when there is one word more."""
    return {
        id: tuple(after == before + 1 for before, after in zip(shape_of(number), shape_of(longer.values[id])))
        for id, number in traced.values.items()
    }


def shape_of(number: Number) -> tuple[int, ...]:
    return tuple(getattr(number, "shape", ()))


def run(definition: Equations[..., Any], inputs: Inputs) -> list[Trace]:
    """One trace a step; a state that runs backward is known before the steps forward begin."""
    count = len(inputs.steps)
    behind = [name for name in definition.body.states if name.endswith("_bwd")]
    weights: dict[str, Any] = {}
    start = inputs.start()
    coming: list[dict[str, Tensor]] = [start] * count
    state = start
    for step in reversed(range(count if behind else 0)):
        coming[step] = {name: state[name] for name in behind}
        traced = sample(definition, inputs.at(step, {**start, **coming[step]}), weights, inputs.draw)
        weights, state = traced.weights, after(definition, traced)
    traces, state = [], start
    for step in range(count):
        known = {**state, **{name: coming[step][name] for name in behind}}
        traced = sample(definition, inputs.at(step, known), weights, inputs.draw)
        weights, state = traced.weights, after(definition, traced)
        traces.append(traced)
    return traces


def after(definition: Equations[..., Any], traced: Trace) -> dict[str, Tensor]:
    return {name: torch.as_tensor(traced.values[name]) for name in definition.body.states}


def at_path(definition: Equations[..., Any], path: str) -> Equations[..., Any]:
    """The definition that a path opens."""
    if not path:
        return definition
    first, _, rest = path.partition("/")
    calls = (node for _, value, _ in definition.body.statements() for node in value.walk())
    found = next(node for node in calls if isinstance(node, nodes.Nested) and node.id == first)
    return at_path(found.definition, rest)


def view_of(root: Equations[..., Any], path: str) -> View:
    definition = at_path(root, path)
    prefix = f"{path}/" if path else ""
    formulas = notation(definition, prefix)
    return View(
        path=path,
        name=definition.label,
        title=definition.legend.title,
        paper=definition.legend.paper,
        figure=draw_figure(root, path),
        lines=tuple(Line(lines(formula), formula.caption, formula.id) for formula in formulas),
        code=code(definition, prefix),
        latex=latex(definition),
        symbols=tuple(notes(definition, prefix)),
    )


def notes(definition: Equations[..., Any], prefix: str) -> list[SymbolNote]:
    """Arguments with what the docstring says of them, then values with the comment of their line."""
    write = Notation(definition, prefix)
    found = []
    for symbol in (*definition.body.inputs, *definition.body.weights):
        entry = definition.legend[symbol.name]
        shape = "" if entry is None else "int" if entry.kind == "int" else f"({', '.join(entry.shape)})"
        sense = entry.sense if entry else ""
        if symbol.role == "group":
            inner = definition.groups[symbol.name]
            sense = f"the weights of {inner.label}"
        found.append(note(write, symbol, shape, sense))
    for line in definition.body.lines:
        found += [note(write, target, "", line.caption) for target in line.targets]
    return found


def note(write: Notation, symbol: nodes.Symbol, shape: str, sense: str) -> SymbolNote:
    label = f"<math>{spell(write.symbol(symbol))}</math>"
    return SymbolNote(write.prefix + symbol.id, label, symbol.role, shape, sense)


def flat(weights: Any, prefix: str = "") -> dict[str, Tensor]:
    """Groups taken apart: `attention.W_Q`."""
    found: dict[str, Tensor] = {}
    for name, value in weights.items():
        if isinstance(value, Tensor):
            found[prefix + name] = value
        elif isinstance(value, dict):
            found |= flat(value, f"{prefix}{name}.")
    return found
