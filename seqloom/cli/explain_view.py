"""`seqloom explain` in a terminal: definitions, experiments, and trained models with an input."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from seqloom.cli.console import console
from seqloom.equations import Equations, nodes
from seqloom.equations.notation import Notation, notation
from seqloom.equations.plain import columns, spell
from seqloom.explaining import experiments, panels
from seqloom.explaining.catalogue import definitions, is_model
from seqloom.explaining.explanation import Explanation
from seqloom.explaining.influence import fraction
from seqloom.explaining.values import Value
from seqloom.explaining.walkthrough import Walkthrough

WIDEST = 8
"""Numbers of a row that are shown, and rows of a matrix."""
ROOMY = 110
"""Columns of a terminal that has room for the file of each definition."""
BEST = 4
"""Tokens of a step that are named with their probabilities."""


def show_catalogue() -> None:
    """The list of definitions, by the file they stand in, and of experiments."""
    models = {label: definition for label, definition in definitions().items() if is_model(definition)}
    layers = {label: definition for label, definition in definitions().items() if label not in models}
    for kind, group in (("definitions of layers", layers), ("definitions of models", models)):
        console.print(f"[bold]{len(group)} {kind}[/bold]")
        console.print(by_file(group))
        console.print()
    console.print(f"[bold]{len(experiments.NAMES)} experiments[/bold]")
    table = grid()
    for name, question in experiments.NAMES.items():
        table.add_row("", Text(name, style="cyan"), Text(question))
    console.print(table)
    console.print("\nLook at one: [bold]seqloom explain lstm[/bold]", highlight=False)
    console.print('Look at your own model: [bold]seqloom explain FOLDER "a sentence"[/bold]', highlight=False)


def by_file(group: Mapping[str, Equations[..., Any]]) -> Table:
    """Definitions; where there is room, with the file they stand in before the first of each."""
    table, before = grid(), ""
    roomy = console.width >= ROOMY
    for no_wrap in (False, True, False) if roomy else (True, False):  # a name stays in one piece
        table.add_column(no_wrap=no_wrap, min_width=max(map(len, group)) if no_wrap else None)
    for label, definition in group.items():
        module = definition.__module__
        ours = module.startswith("seqloom.layers.")
        home = module.removeprefix("seqloom.layers.").replace("_", " ") if ours else module.partition(".")[0]
        if is_model(definition):
            home = "seq2seq" if ".seq2seq." in definition.__module__ else "one sequence"
        file = [Text(home if home != before else "", style="dim")] if roomy else []
        table.add_row(*file, Text(label, style="cyan"), Text(definition.legend.title))
        before = home
    return table


def show(explained: Explanation) -> None:
    """Formula, code, parameters, and the numbers of the last step."""
    heading(explained.title, explained.paper)
    show_formula(explained)
    section("code")
    code = fitted(source(explained), console.width - 4)
    console.print(Padding(Syntax(code, "python", background_color="default", word_wrap=True), (0, 2)))
    show_count(explained)
    show_numbers(explained)


def heading(title: str, below: str) -> None:
    console.print(Text(title, style="bold"))
    if below:
        console.print(Text(below, style="dim"))


def section(name: str) -> None:
    console.print()
    console.print(Text(name, style="bold magenta"))


def grid() -> Table:
    return Table.grid(padding=(0, 2, 0, 1))


def show_formula(explained: Explanation) -> None:
    section("formula")
    captions = [formula.caption for formula in notation(explained.definition)]
    width = max(map(columns, explained.formula)) + 3
    for formula, caption in zip(explained.formula, captions, strict=True):
        text = Text("  " + formula)
        if caption:
            fits = 2 + width + len(caption) <= console.width
            text.append(" " * (width - columns(formula)) if fits else "\n      ")
            text.append(caption, style="dim italic")
        console.print(text, soft_wrap=True)


def source(explained: Explanation) -> str:
    """The code without its docstring."""
    definition = explained.definition
    lines = definition.source.lines
    first = definition.source.tree.body[0]
    if ast.get_docstring(definition.source.tree) is not None:
        lines = [*lines[: first.lineno - 1], *lines[first.end_lineno :]]
    return "\n".join(lines)


def fitted(code: str, width: int) -> str:
    """Code whose lines are not wider, as a person would break them: a comment goes above, arguments go on below.

    >>> print(fitted("def f(x, *, W, b):\\n    y = x @ W + b  # the logits of all labels", 24))
    def f(x, *, W, b):
        # the logits of all labels
        y = x @ W + b
    """
    lines: list[str] = []
    for line in code.split("\n"):
        text, mark, comment = line.partition("  # ")
        if mark and columns(line) > width:
            lines.append(f"{' ' * (len(text) - len(text.lstrip()))}# {comment}")
            line = text
        below = " " * (len(line) - len(line.lstrip()) + 8)
        while columns(line) > width and (at := line.rfind(", ", len(below), width)) > 0:
            lines.append(line[: at + 1])
            line = below + line[at + 2 :]
        lines.append(line)
    return "\n".join(lines)


def show_count(explained: Explanation) -> None:
    sizes = ", ".join(f"{letter} = {size}" for letter, size in explained.sizes.items())
    section(f"parameters ({sizes})" if sizes else "parameters")
    if not explained.count:
        console.print("  none: nothing to learn")
        return
    table = grid()
    for name, (shape, number) in explained.count.items():
        table.add_row(
            "",
            name,
            Text(" × ".join(map(str, shape)) or "1", style="dim"),
            Text(f"{number:,}", justify="right"),
        )
    table.add_row("", Text("together", style="bold"), "", Text(f"{explained.total:,}", style="bold", justify="right"))
    console.print(table)


def show_numbers(explained: Explanation) -> None:
    """What went in and what each line computed, for the last word or for the whole sentence."""
    last = explained.steps[-1]
    which = f"step {len(explained.steps)}: {last.label}" if last.label else " ".join(explained.words)
    section(f"numbers ({which})")
    body = explained.definition.body
    symbols = [*body.inputs, *(target for line in body.lines for target in line.targets)]
    if not isinstance(body.returns[0], nodes.Symbol):
        symbols.append(nodes.Symbol("result", body.returns[0].span, "result", "value"))
    write, table = Notation(explained.definition, ""), grid()
    for symbol in symbols:
        if value := last.values.get(symbol.id):
            label = spell(write.symbol(symbol))
            shape = " × ".join(map(str, value.shape)) or "number"
            table.add_row("", label, Text(shape, style="dim"), numbers(value))
    console.print(table)


def numbers(value: Value) -> Text:
    """A value in a few lines: colours by sign, cut where it is too wide or too long."""
    if not value.shape:
        return Text(number(value.data[0]))
    if 0 in value.shape:
        return Text("nothing yet", style="dim")
    width = value.shape[-1]
    rows = [value.data[start : start + width] for start in range(0, len(value.data), width)]
    labels = value.rows if value.rows and len(value.rows) == len(rows) else [""] * len(rows)
    margin = max(len(label) for label in labels) + 1 if any(labels) else 0
    text = Text()
    for position, (label, row) in enumerate(zip(labels, rows, strict=True)):
        if position == WIDEST:
            text.append(f"\n… {len(rows) - WIDEST} more rows", style="dim")
            break
        text.append("\n" if position else "")
        text.append(f"{label:<{margin}}" if margin else "", style="dim")
        for entry in row[:WIDEST]:
            negative = isinstance(entry, float) and entry < 0
            text.append(f"{number(entry):>7} ", style="red" if negative else "")
        text.append(" …" if width > WIDEST else "", style="dim")
    return text


def number(entry: float | str) -> str:
    if isinstance(entry, str):
        return entry
    return f"{entry:.3f}" if entry != int(entry) or abs(entry) > 9999 else str(int(entry))


def show_walkthrough(walk: Walkthrough, folder: str) -> None:
    """The formulas of every part of a trained model, and what it finds most probable in every step."""
    heading(walk.title, walk.about)
    for name, explained in walk.parts:
        section(f"{name}: {explained.title}")
        show_formula(explained)
    for id in (tokens.axis.probabilities for tokens in walk.last.tokens if tokens.axis.probabilities):
        section("most probable")
        table = grid()
        found = {most_probable(step.values[id]) for step in walk.last.steps}
        one = len(walk.last.steps) > len(found) == 1  # a sentence has one answer, however many words it has
        for step in walk.last.steps[-1:] if one else walk.last.steps:
            table.add_row("", Text("" if one else step.label, style="cyan"), Text(most_probable(step.values[id])))
        console.print(table)
    text = f"\nOpen it down to a single gate: [bold]seqloom explain {folder} --html page.html[/bold]"
    console.print(text, highlight=False)


def most_probable(probabilities: Value) -> str:
    names = probabilities.rows or []
    likeliest = list(zip(names, probabilities.data, strict=True))[:BEST]
    return "  ".join(f"{name} {fraction(float(p or 0))}" for name, p in likeliest)


def show_experiment(experiment: panels.Experiment, command: str = "") -> None:
    """The question, the answer, and the numbers behind it as tables."""
    heading(experiment.question, experiment.title)
    for paragraph in experiment.text:
        console.print()
        console.print(Padding(Text(plain_words(paragraph)), (0, 2)))
    for panel in experiment.panels:
        section(panel.title)
        show_panel(panel)
    console.print(
        f"\nAs a page: [bold]seqloom explain {command or experiment.name} --html {experiment.name}.html[/bold]",
        highlight=False,
    )


def plain_words(paragraph: str) -> str:
    return re.sub(r"<[^>]+>", "", paragraph)


def show_panel(panel: panels.Panel) -> None:
    match panel:
        case panels.LineChart(series=series, x_label=x_label):
            xs = sorted({x for line in series for x in line.x})
            shown = xs[:: max(1, len(xs) // 10)]
            at = [dict(zip(line.x, line.y, strict=True)) for line in series]
            rows = [[f"{x:g}", *("" if x not in line else f"{line[x]:.3g}" for line in at)] for x in shown]
            console.print(cells([x_label, *(line.name for line in series)], rows))
        case panels.BarChart(series=bars, categories=categories):
            rows = [[name, *(f"{y:.3g}" for y in ys)] for name, ys in bars]
            console.print(cells(["", *categories], rows))
        case panels.HeatMap(value=value):
            console.print(Padding(numbers(value), (0, 2)))
        case panels.Table(columns=heads, rows=rows):
            console.print(cells(heads, rows))


def cells(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Padding:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for position, head in enumerate(heads):
        table.add_column(head, justify="left" if position == 0 else "right")
    for row in rows:
        table.add_row(*map(Text, row))
    return Padding(table, (0, 2))
