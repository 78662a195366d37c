"""What a model is made of, as equations; and what it adds to another one: which equations are new, changed or gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from seqloom.equations import Equations, nodes
from seqloom.equations.definition import Passes
from seqloom.equations.drawing.svg import draw
from seqloom.equations.mathml import line as as_mathml
from seqloom.equations.notation import notation
from seqloom.equations.plain import spell
from seqloom.models.stage import Example

Fate = Literal["new", "gone", "kept"]


@dataclass(frozen=True)
class FormulaLine:
    """One equation, and what became of it."""

    plain: str
    mathml: str
    caption: str
    id: str
    fate: Fate = "kept"


@dataclass(frozen=True)
class DefinitionDifference:
    """A definition of one model that another lacks or has otherwise."""

    name: str
    title: str
    paper: str
    change: Literal["new", "changed", "gone"]
    lines: Sequence[FormulaLine]
    figure: str
    """Its drawing, with what is new in it marked; of one that is gone, as it was."""


Structure = Mapping[str, Equations[..., Any]]
"""The definitions of a model: its stages under their names (`decoder`), what they call under theirs (`lstm`)."""


def structure_of(example: Example) -> dict[str, Equations[..., Any]]:
    """Every definition in a model, bound to its parts: stages first, then what stands in them, outermost first."""
    stages = {each.stage.name: each.stage.part.bound for each in example.stages}
    inside = {inner.name: inner for stage in stages.values() for inner in called(stage)}
    return {**stages, **inside}


def called(definition: Equations[..., Any]) -> Iterator[Equations[..., Any]]:
    """The definitions that one calls, and those that these call; loops are passed through."""
    waiting = list(opened(definition))
    while waiting:
        found = waiting.pop(0)
        if not isinstance(found, Passes):
            yield found
        waiting += opened(found)


def opened(definition: Equations[..., Any]) -> Iterator[Equations[..., Any]]:
    for call in definition.body.calls():
        if call.definition is not None:
            yield call.definition


def recurrent_layers(example: Example) -> int:
    """Layers of a model that read their sequence position by position, each after the one before it."""
    stages = (each.stage.part.bound for each in example.stages)
    layers = (inner for stage in stages for inner in (stage, *called(stage)))
    return sum(any(isinstance(call, nodes.Scan) for call in layer.body.calls()) for layer in layers)


def differences(before: Structure | None, after: Structure) -> list[DefinitionDifference]:
    """What one model adds to, changes in and leaves out of the one before it; of the first, all that it has."""
    before = before or {}
    found = []
    for name, definition in after.items():
        old = before.get(name)
        if old is None:
            found.append(difference(definition, "new", marked(formulas(definition), set())))
        elif texts(old) != texts(definition):
            found.append(difference(definition, "changed", merged(formulas(old), formulas(definition))))
    for name, definition in before.items():
        if name not in after:
            lines = [with_fate(line, "gone") for line in formulas(definition)]
            found.append(difference(definition, "gone", lines))
    return found


def difference(
    definition: Equations[..., Any], change: Literal["new", "changed", "gone"], lines: Sequence[FormulaLine]
) -> DefinitionDifference:
    lit = {line.id for line in lines if line.fate == "new"} if change == "changed" else set()
    legend = definition.legend
    return DefinitionDifference(
        definition.label, legend.title, legend.paper, change, lines, figure(definition, lit)
    )  # fmt: skip


def figure(definition: Equations[..., Any], lit: set[str]) -> str:
    """The drawing of a definition; the nodes of lines that are new are lit."""
    drawn = draw(definition)
    for id in lit:
        drawn = drawn.replace(f' data-id="{id}"', f' data-id="{id}" data-lit')
    return drawn


def formulas(definition: Equations[..., Any]) -> list[FormulaLine]:
    return [
        FormulaLine(f"{spell(one.left)} = {spell(one.right)}", as_mathml(one), one.caption, one.id)
        for one in notation(definition)
    ]


def texts(definition: Equations[..., Any]) -> list[str]:
    return [line.plain for line in formulas(definition)]


def marked(lines: Sequence[FormulaLine], known: set[str]) -> list[FormulaLine]:
    return [line if line.plain in known else with_fate(line, "new") for line in lines]


def merged(old: Sequence[FormulaLine], new: Sequence[FormulaLine]) -> list[FormulaLine]:
    """The lines of the new definition, those marked that the old one lacks; and before each what it replaces."""
    now, then = {line.plain for line in new}, {line.plain for line in old}
    gone = [with_fate(line, "gone") for line in old if line.plain not in now]
    return [*gone, *marked(new, then)]


def with_fate(line: FormulaLine, fate: Fate) -> FormulaLine:
    return FormulaLine(line.plain, line.mathml, line.caption, line.id, fate)
