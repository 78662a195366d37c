"""The page of a comparison: one self-contained file, with the view modules and the style of the other pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from seqloom.attention.html import attention_run
from seqloom.comparing.charts import Chart
from seqloom.comparing.comparison import table_of
from seqloom.comparing.number_format import capital
from seqloom.comparing.report_text import headline, named, report_text
from seqloom.comparing.results import Findings, ModelResult
from seqloom.comparing.structure import DefinitionDifference, FormulaLine
from seqloom.equations.drawing.svg import STYLE as FIGURE_STYLE
from seqloom.explaining.page import panel_data, size_of, without_ids
from seqloom.views.document import document

STYLES = ("base.css", "explanation.css", "heat.css", "chart.css", "weave/weave.css", "comparison.css")
ENTRY = 'import { comparison } from "seqloom/comparison.js";\ncomparison();'
SECTIONS = {
    "quality": (
        "Quality",
        "How good each model is on data that it has not seen; whiskers are 95 % bootstrap intervals.",
    ),
    "learning": ("Learning", "The same batches in the same order; what differs is what a model makes of them."),
    "cost": ("Cost", "What a model takes: parameters, time, memory."),
    "length": (
        "Cost by the length of a sequence",
        "One training step on one sequence, with fresh weights. Where a step takes too long or too much memory, the "
        "curve ends.",
    ),
    "forgetting": (
        "Forgetting",
        "How strongly the last state of what reads depends on each token before it: the norm of the derivative, a mean "
        "over a few held-out inputs.",
    ),
}


def report_page(found: Findings, charts: Sequence[Chart]) -> str:
    """A whole HTML file that loads nothing."""
    maps = [(one.attention, one.answer) for one in found.models if one.attention is not None]
    data = {
        "panels": [panel_data(chart.panel) for chart in charts],
        "runs": [attention_run(attention, (found.example, answer)) for attention, answer in maps],
    }
    title = f"{found.task}: {len(found.models)} models side by side"
    return document(title, body(found, charts), data, entry=ENTRY, styles=STYLES, style=FIGURE_STYLE)


def body(found: Findings, charts: Sequence[Chart]) -> str:
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in report_text(found))
    sections = "".join(chart_section(name, charts) for name in SECTIONS)
    return f"""<header class="top">
<div class="words">
<p class="eyebrow">{escape(found.task)} · {escape(found.data)} · {len(found.models)} models side by side</p>
<h1>{escape(headline(found))}</h1>
</div>
<div class="tools"><div id="theme"></div></div>
</header>
<main class="experiment comparison">
<div class="text">{paragraphs}</div>
{overview(found)}
{sections}
{through_all(found)}
{additions(found)}
{made(found)}
</main>"""


def section(title: str, lead: str, inside: str, name: str) -> str:
    return (
        f'<section class="chapter" id="{name}" aria-label="{escape(title)}"><h2>{escape(title)}</h2>'
        f'<p class="lead">{escape(lead)}</p>{inside}</section>'
    )


def overview(found: Findings) -> str:
    header, rows = table_of(found)
    best = found.best.label
    heads = "".join(f'<th scope="col"{number_class(place)}>{escape(cell)}</th>' for place, cell in enumerate(header))
    lines = "".join(
        f'<tr{" class=best" if row[0] == best else ""}><th scope="row">{escape(row[0])}</th>'
        + "".join(f'<td class="number">{escape(cell)}</td>' for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    table = table_pane(f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody>")
    lead = (
        f"{capital(named(found.measure))} on {found.examples:,} held-out examples ({found.part}); p: whether a model "
        "differs from the one above it by more than chance (approximate randomisation); tokens/s in training; memory "
        "of a training step."
    )
    return section("All models", lead, table, "models")


def table_pane(inside: str) -> str:
    return f'<div class="scroll pane"><table class="plain">{inside}</table></div>'


def number_class(place: int) -> str:
    return ' class="number"' if place else ""


def chart_section(name: str, charts: Sequence[Chart]) -> str:
    """The places of the charts; they stand in the order of the data."""
    drawn = [chart for chart in charts if chart.section == name]
    if not drawn:
        return ""
    figures = "".join(
        f'<figure class="pane"><h3>{escape(chart.panel.title)}</h3><div data-panel></div></figure>' for chart in drawn
    )
    return section(*SECTIONS[name], f'<div class="panels">{figures}</div>', name)


def through_all(found: Findings) -> str:
    """One input, the answer of every model, and where each attends."""
    cards = "".join(card(one) for one in found.models)
    lead = found.example or "The same input for all."
    return section("One input through all of them", lead, f'<div class="cards">{cards}</div>', "example")


def card(one: ModelResult) -> str:
    inside = '<div class="panels-grid" data-run></div>' if one.attention is not None else (
        '<p class="none">It has no attention: nothing says which part of the input an answer comes from.</p>'
    )  # fmt: skip
    return (
        f'<section class="card pane"><h3>{escape(one.label)}</h3>'
        f'<p class="answer"><bdi>{escape(shortened(one.answer))}</bdi></p>{inside}</section>'
    )


def shortened(text: str, longest: int = 240) -> str:
    return text if len(text) <= longest else f"{text[:longest]} …"


# --- what each model adds ---------------------------------------------------------------------------


def additions(found: Findings) -> str:
    blocks = []
    for place, one in enumerate(found.models):
        before = found.models[place - 1].label if place else ""
        blocks.append(addition(one, before))
    lead = (
        "Taken from the equations of the models: which definitions are new, which lines of others changed, which are "
        "gone. Open one to see its formulas and its figure."
    )
    return section("What each model adds to the one before it", lead, "".join(blocks), "adds")


def addition(one: ModelResult, before: str) -> str:
    title = f"{one.label}, beside {before}" if before else f"{one.label}: the first of the line"
    if not one.adds:
        same = "Its equations are those of the model before it; it differs in size or in settings."
        return f'<div class="adds"><h3>{escape(title)}</h3><p class="none">{same}</p></div>'
    return f'<div class="adds"><h3>{escape(title)}</h3>{"".join(definition(each) for each in one.adds)}</div>'


def definition(each: DefinitionDifference) -> str:
    wide, _ = size_of(each.figure)
    lines = "".join(formula(line) for line in each.lines)
    open_ = " open" if each.change == "changed" else ""
    return f"""<details class="difference {each.change}"{open_}>
<summary><span class="change">{each.change}</span> <b>{escape(each.name)}</b>
<span class="title">{escape(each.title)}</span></summary>
<div class="inside"><ol class="lines">{lines}</ol>
<div class="pane figure" style="--wide: {wide}px"><div class="scroll">{still(each.figure)}</div></div></div>
</details>"""


def formula(line: FormulaLine) -> str:
    return (
        f'<li class="{line.fate}"><div class="scroll">{without_ids(line.mathml)}</div>'
        f'<p class="caption">{escape(line.caption)}</p></li>'
    )


def still(figure: str) -> str:
    """A figure that is looked at, not opened: its nodes are no buttons."""
    return figure.replace(' tabindex="0" role="button"', "")


def made(found: Findings) -> str:
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in found.facts
    )
    names = list(dict.fromkeys(name for one in found.models for name in one.settings))
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    lines = "".join(
        f'<tr><th scope="row">{escape(one.label)}</th>'
        + "".join(f"<td>{escape(str(one.settings.get(name, '')))}</td>" for name in names)
        + "</tr>"
        for one in found.models
    )
    inside = table_pane(f"<tbody>{rows}</tbody>") + table_pane(
        f'<thead><tr><th scope="col">model</th>{heads}</tr></thead><tbody>{lines}</tbody>'
    )
    return section("How it was made", "What all models share, and the settings in which they differ.", inside, "made")
