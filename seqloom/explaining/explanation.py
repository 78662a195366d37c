"""A definition explained: three views of it and of everything it calls, with the numbers of a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import prod
from typing import Any

from torch import Tensor

from seqloom.equations import Equations, nodes
from seqloom.equations.code import code
from seqloom.equations.count import flat, parameters
from seqloom.equations.definition import Passes
from seqloom.equations.drawing.graph import call_paths
from seqloom.equations.drawing.svg import draw as draw_figure
from seqloom.equations.latex import latex
from seqloom.equations.mathml import lines, spell
from seqloom.equations.notation import Notation, notation
from seqloom.equations.plain import plain
from seqloom.equations.trace import Number, Trace
from seqloom.errors import ShapeError
from seqloom.explaining.example_inputs import ALIKE, SENTENCE, SIZES, ExampleInputs, split
from seqloom.explaining.naming import Naming, naming, shape_of
from seqloom.explaining.shown_as_page import ShownAsPage
from seqloom.explaining.values import Value, held, part_of
from seqloom.explaining.vocabulary_axis import BEST, ShownTokens
from seqloom.models.stage import run as run_steps

SEVERAL = 12
"""Calls that open in a definition; with more of them a figure shows the surroundings of the open one only."""


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
    trail: str  # what the way to it calls it: `block 2: encoder-block`
    title: str
    paper: str
    figure: str
    lines: tuple[Line, ...]
    code: str
    latex: str
    symbols: tuple[SymbolNote, ...]


@dataclass(frozen=True)
class TracedStep:
    """One moment: a word that is read, or the single run over a whole sentence."""

    label: str
    values: dict[str, Value]


@dataclass(frozen=True, repr=False)
class Explanation(ShownAsPage):
    """A definition, the words it was run on, and everything that was computed."""

    definition: Equations[..., Any]
    words: list[str]
    traces: tuple[Trace, ...]
    labels: tuple[str, ...]  # the word of each step; a single "" where all words are taken at once
    naming: Naming
    tokens: tuple[ShownTokens, ...] = ()  # of a trained model: which tokens are shown of a whole vocabulary
    limit: int | None = None  # entries that are shown of an axis, where there are very many numbers

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
        """Shape and number of parameters by symbol at the sizes of this example; tied weights count once."""
        weights = flat(self.traces[0].weights)
        first = {place_in_memory(weight): name for name, weight in reversed(weights.items())}
        own = {name: weight for name, weight in weights.items() if first[place_in_memory(weight)] == name}
        return {name: (tuple(own[name].shape), number) for name, number in parameters(own).items()}

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
    def steps(self) -> tuple[TracedStep, ...]:
        """What each step shows; a value that is the same tensor as before is made once, unless tokens are chosen."""
        steps: list[TracedStep] = []
        before: dict[str, Number] = {}
        for step, (label, trace) in enumerate(zip(self.labels, self.traces, strict=True)):
            values = {}
            for id, number in trace.values.items():
                same = before.get(id) is number and id not in self.naming.growing and id not in self._by_token
                values[id] = steps[-1].values[id] if same else self._value(step, id, number)
            steps.append(TracedStep(label, values))
            before = trace.values
        return tuple(steps)

    @cached_property
    def _by_token(self) -> set[str]:
        """The ids of values that run over a vocabulary."""
        return {
            id
            for id, number in self.traces[0].values.items()
            if any(tokens.axes(id, shape_of(number)) for tokens in self.tokens)
        }

    def _value(self, step: int, id: str, number: Number) -> Value:
        shape = shape_of(number)
        names = self.naming.names(step, id, shape)
        for tokens in self.tokens:
            if value := tokens.value(step, id, number, self.limit, names):
                return value
        return part_of(number, names, self.limit, self.naming.newest(id, len(shape)))

    def size(self, limit: int | None) -> int:
        """How many numbers would be shown with this limit, those that do not change once."""
        total, vocabularies = 0, [tokens.size for tokens in self.tokens]
        for step, (before, trace) in enumerate(zip((None, *self.traces), self.traces)):
            for id, number in trace.values.items():
                if before is None or before.values.get(id) is not number:
                    shape = shape_of(number)
                    names = self.naming.names(step, id, shape)
                    kept = held(shape, names, limit, self.naming.newest(id, len(shape)))
                    sizes = (len(range(*places.indices(size))) for places, size in zip(kept, shape))
                    total += prod(BEST if size in vocabularies else size for size in sizes)
        return total

    def __repr__(self) -> str:
        return f"<explanation of {self.name}: {' '.join(self.words)}>"


def explain_definition(definition: Equations[..., Any], sentence: str = SENTENCE) -> Explanation:
    """Run a definition over a sentence and keep everything."""
    definition = definition.bind()
    words = split(sentence)
    try:
        return explain_words(definition, words, SIZES)
    except ShapeError:
        return explain_words(definition, words, ALIKE)


def explain_words(definition: Equations[..., Any], words: list[str], sizes: Mapping[str, int]) -> Explanation:
    inputs = ExampleInputs(definition, words, sizes)
    traces = run(definition, inputs)
    longer = ExampleInputs(definition, [*words, words[-1]], sizes)
    names = naming(traces[0], run(definition, longer, count=2), words, inputs.steps)
    traces = by_position(traces, words)
    labels = tuple(words if len(traces) == len(words) else inputs.steps)
    return Explanation(definition, words, tuple(traces), labels, names)


def run(definition: Equations[..., Any], inputs: ExampleInputs, count: int | None = None) -> list[Trace]:
    """One trace a step, of the first `count` steps if so many are asked for; weights are drawn."""
    steps = [inputs.at(step) for step in range(len(inputs.steps))[:count]]
    return run_steps(definition, steps, inputs.start(), {}, inputs.draw)


def by_position(traces: list[Trace], words: Sequence[str], always: bool = False) -> list[Trace]:
    """A single run over a sentence as a trace for each word, if it was read word by word or this is asked for."""
    scans = [steps for trace in traces for steps in trace.steps.values() if len(steps) == len(words)]
    if len(traces) != 1 or len(words) < 2 or not (scans or always):
        return traces
    whole = traces[0]
    return [
        replace(whole, values={**whole.values, **{id: value for steps in scans for id, value in steps[at].items()}})
        for at in range(len(words))
    ]


def at_path(definition: Equations[..., Any], path: str) -> Equations[..., Any]:
    """The definition that a path opens."""
    if not path:
        return definition
    first, _, rest = path.partition("/")
    found = call_of(definition, first)
    assert found.definition is not None
    return at_path(found.definition, rest)


def call_of(definition: Equations[..., Any], id: str) -> nodes.Opens:
    return next(call for call in definition.body.calls() if call.id == id)


def view_of(root: Equations[..., Any], path: str) -> View:
    definition = at_path(root, path)
    prefix = f"{path}/" if path else ""
    formulas = notation(definition, prefix)
    outer = at_path(root, path.rpartition("/")[0])
    title, paper = headings(definition)
    return View(
        path=path,
        name=definition.label,
        trail=trail_name(outer, path.rpartition("/")[2]) if path else definition.label,
        title=title,
        paper=paper,
        figure=figure_of(root, path),
        lines=tuple(Line(lines(formula), formula.caption, formula.id) for formula in formulas),
        code=code(definition, prefix),
        latex=latex(definition),
        symbols=tuple(notes(definition, prefix, outer)),
    )


def trail_name(outer: Equations[..., Any], id: str) -> str:
    """What a call is called on the way to it: `block × 4`, `block 2: encoder-block`, `scaled-dot-product`."""
    call = call_of(outer, id)
    assert call.definition is not None
    if isinstance(call, nodes.Repeat) or call.part is None:
        return call.definition.label
    part = f"{call.part.name} {call.part.layer}".strip().replace("_", " ")
    return part if part == call.definition.label else f"{part}: {call.definition.label}"


def headings(definition: Equations[..., Any]) -> tuple[str, str]:
    """Title and paper; of a loop, those of what is repeated."""
    if not isinstance(definition, Passes):
        return definition.legend.title, definition.legend.paper
    titles = dict.fromkeys(layer.legend.title for layer in definition.layers)
    papers = dict.fromkeys(layer.legend.paper for layer in definition.layers)
    return f"{definition.label}: {'; '.join(titles)}", " ".join(papers)


def figure_of(root: Equations[..., Any], path: str) -> str:
    """The whole with a call open in it; in a large model, what is around the call and no more."""
    outer, _, inner = path.rpartition("/")
    if not outer or len(call_paths(root)) <= SEVERAL:
        return drawn(root, path)
    return re.sub(r'(data-(?:id|from|to|opens))="([^"]*)"', rf'\1="{outer}/\2"', drawn(at_path(root, outer), inner))


@lru_cache(maxsize=256)
def drawn(definition: Equations[..., Any], path: str) -> str:
    """The same block stands in a model many times, and is drawn once."""
    return draw_figure(definition, path)


def place_in_memory(weight: Tensor) -> tuple[int, int]:
    """The same for an embedding and the readout that is tied to it, which is its transpose."""
    return weight.data_ptr() or id(weight), weight.numel()


def notes(definition: Equations[..., Any], prefix: str, outer: Equations[..., Any]) -> list[SymbolNote]:
    """Arguments with what the docstring says of them, then values with the comment of their line.

    What goes into a loop has a comment of its own in the definition around it.
    """
    write = Notation(definition, prefix)
    around = {target.name: line.caption for line in reversed(outer.body.lines) for target in line.targets}
    found = []
    for symbol in (*definition.body.inputs, *definition.body.weights):
        entry = definition.legend[symbol.name]
        shape = "" if entry is None else "int" if entry.kind == "int" else f"({', '.join(entry.shape)})"
        if symbol.role == "state" and not (entry and entry.shape):
            shape = ""  # that of the parts inside
        sense = entry.sense if entry else around.get(symbol.name, "") if isinstance(definition, Passes) else ""
        if symbol.role in ("part", "parts"):
            sense = part_sense(definition, symbol)
        found.append(note(write, symbol, shape, sense))
    for line in definition.body.lines:
        found += [note(write, target, "", line.caption) for target in line.targets]
    return found


def note(write: Notation, symbol: nodes.Symbol, shape: str, sense: str) -> SymbolNote:
    mark = write.part_name(symbol) if symbol.role in ("part", "parts") else write.symbol(symbol)
    label = f"<math>{spell(mark)}</math>"
    return SymbolNote(write.prefix + symbol.id, label, symbol.role, shape, sense)


def part_sense(definition: Equations[..., Any], symbol: nodes.Symbol) -> str:
    """What a part is: the title of its definition."""
    if isinstance(definition, Passes):
        return str(definition.layers[int(symbol.layer) - 1].legend.title)
    part = definition.bound_to.get(symbol.name)
    if isinstance(part, tuple):
        return f"{len(part)} times: {part[0].legend.title}" if part else ""
    return "" if part is None else str(part.legend.title)
