"""One self-contained page: what was derived and recorded in Python, with the view library inside it.

The page computes no mathematics: its numbers are those that Python recorded.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from html import escape
from typing import Any

from seqloom.equations import Equations, nodes
from seqloom.equations.drawing.labels import Labels
from seqloom.equations.drawing.svg import STYLE as FIGURE_STYLE
from seqloom.equations.drawing.svg import draw_graph
from seqloom.explaining.chinese import chinese
from seqloom.explaining.explanation import SEVERAL, Explanation, SymbolNote, View, at_path
from seqloom.explaining.overview import joins
from seqloom.explaining.panels import Experiment, Panel
from seqloom.explaining.recipes import recipes
from seqloom.explaining.values import Value
from seqloom.explaining.walkthrough import Walkthrough
from seqloom.views.document import document, image_address

STYLES = ("base.css", "explanation.css", "heat.css", "chart.css")
ENTRY = 'import "seqloom/page.js";'


def page(explained: Explanation | Experiment | Walkthrough) -> str:
    """A whole HTML file that loads nothing."""
    body, data = page_body(explained), page_data(explained)
    return document(explained.title, body, data, entry=ENTRY, styles=STYLES, style=FIGURE_STYLE)


def page_body(explained: Explanation | Experiment | Walkthrough) -> str:
    """What a page consists of, without its scripts."""
    if isinstance(explained, Experiment):
        return experiment_body(explained)
    return walkthrough_body(explained) if isinstance(explained, Walkthrough) else explanation_body(explained)


def page_data(explained: Explanation | Experiment | Walkthrough) -> dict[str, Any]:
    """The numbers that a page shows, as plain data."""
    if isinstance(explained, Experiment):
        return experiment_data(explained)
    parts = [part for _, part in explained.parts] if isinstance(explained, Walkthrough) else [explained]
    data = walkthrough_data(explained) if isinstance(explained, Walkthrough) else explanation_data(explained)
    return {**data, "texts": {"zh": chinese(text for part in parts for text in texts(part))}}


def texts(explained: Explanation) -> Iterator[str]:
    """What the definitions on a page say of themselves."""
    for view in explained.views:
        yield view.title
        yield from (line.caption for line in view.lines)
        yield from (note.sense for note in view.symbols)
        yield from operations(at_path(explained.definition, view.path), view.path).values()


# --- a definition -------------------------------------------------------------------------------


def explanation_body(explained: Explanation) -> str:
    return f"""<header class="top">
<div class="words">
<h1>{escape(explained.title)}</h1>
<p class="paper">{escape(explained.paper)}</p>
</div>
<div class="tools">
{counted(explained)}
<button type="button" data-copies="latex">Copy LaTeX</button>
<div id="language"></div><div id="theme"></div>
</div>
</header>
<div data-part>{part_body(explained)}</div>"""


def counted(explained: Explanation) -> str:
    total = f"{explained.total:,}" if explained.total else "0"
    sizes = ", ".join(f"{letter} = {size}" for letter, size in explained.sizes.items())
    return (
        f'<span class="total"><b>{total}</b> <span data-text>parameters</span>'
        f"{f' ({escape(sizes)})' if sizes else ''}</span>"
    )


def part_body(explained: Explanation, mark: str = "") -> str:
    """Everything below the heading; `mark` tells the parts of a page apart."""
    alike = repeated(explained)
    views = "".join(
        f'<article data-path="{escape(view.path)}" data-like="{escape(alike[view.path])}" hidden></article>'
        if view.path in alike
        else view_section(view, explained)
        for view in explained.views
    )
    return f"""<section id="time{mark}" class="time" data-place="time" aria-label="Time" hidden></section>
<nav id="trail{mark}" class="trail" data-place="trail" aria-label="Where you are" hidden></nav>
<main class="stage">
<div class="views">{views}</div>
<aside id="value{mark}" class="value" data-place="value" aria-label="Value"></aside>
</main>
<section class="latex">
<header><h2>LaTeX</h2><button type="button" data-copies="latex{mark}">Copy</button></header>
<pre tabindex="0"><code id="latex{mark}" data-place="latex">{escape(explained.latex)}</code></pre>
</section>"""


def repeated(explained: Explanation) -> dict[str, str]:
    """Views that are as another one but for the layer they stand in: the page copies them when they are opened."""
    first: dict[tuple[Equations[..., Any], str], str] = {}
    alike: dict[str, str] = {}
    for view in explained.views if len(explained.views) > SEVERAL else ():
        block, _, inside = layer_in(view.path)
        if block and inside:
            same = first.setdefault((at_path(explained.definition, block), inside), view.path)
            alike |= {view.path: same} if same != view.path else {}
    return alike


def layer_in(path: str) -> tuple[str, str, str]:
    """A path as what leads to the last layer on it, a slash, and what is inside: `blocks/X^2`, `/`, `Y.1`."""
    pieces = path.split("/")
    last = max((at for at, piece in enumerate(pieces) if "^" in piece), default=-1)
    return "/".join(pieces[: last + 1]), "/", "/".join(pieces[last + 1 :])


def view_section(view: View, explained: Explanation) -> str:
    inner = f'<header class="inner"><h2>{escape(view.title)}</h2><p class="paper">{escape(view.paper)}</p></header>'
    lines = "".join(
        f'<li><div class="scroll">{line.mathml}</div><p class="caption">{escape(line.caption)}</p></li>'
        for line in view.lines
    )
    wide, high = size_of(view.figure)
    form = "small" if wide < 480 else "tall" if wide < 1.8 * high else "wide"
    return f"""
<article data-path="{escape(view.path)}" aria-label="{escape(view.title)}"{" hidden" if view.path else ""}>
{inner if view.path else ""}
<div class="view {form}">
<div class="pane figure" data-rove style="--wide: {wide}px"><h2>Figure</h2><div class="scroll">{view.figure}</div></div>
<div class="pane formula" data-rove><h2>Formula</h2><ol class="lines">{lines}</ol></div>
<div class="pane code" data-rove><h2>Code</h2>{view.code}</div>
<div class="pane symbols" data-rove><h2>Symbols</h2>{symbol_table(view, explained)}</div>
</div>
</article>"""


def size_of(figure: str) -> tuple[int, int]:
    """Width and height of a drawing, as it states them."""
    found = re.search(r'viewBox="0 0 (\d+) (\d+)"', figure)
    assert found, "a figure begins with its size"
    return int(found[1]), int(found[2])


def symbol_table(view: View, explained: Explanation) -> str:
    numbers = parameters(view, explained)
    rows = "".join(
        f'<tr data-id="{escape(note.id)}"><th scope="row">{heard(note)}</th>'
        f'<td class="kind">{note.kind}</td><td class="shape">{escape(note.shape)}</td><td>{escape(note.sense)}</td>'
        f'<td class="number">{f"{numbers[note.id]:,}" if numbers.get(note.id) else ""}</td></tr>'
        for note in view.symbols
    )
    total = sum(numbers.values())
    foot = (
        f'<tfoot><tr><th colspan="4" scope="row">parameters in all</th><td class="number">{total:,}</td></tr></tfoot>'
    )
    return f"""<div class="scroll"><table class="plain">
<thead><tr><th scope="col">symbol</th><th scope="col">kind</th><th scope="col">shape</th><th scope="col">meaning</th>
<th scope="col" class="number">parameters</th></tr></thead>
<tbody>{rows}</tbody>{foot if total else ""}
</table></div>"""


def heard(note: SymbolNote) -> str:
    """A symbol as a formula, and its name for who hears the page."""
    formula = without_ids(note.label).replace("<math", '<math aria-hidden="true"', 1)
    return f'<span class="spoken">{escape(note.id.rpartition("/")[2])}</span>{formula}'


def without_ids(mathml: str) -> str:
    """A label whose row has the id, so that the row is one place and not two."""
    return re.sub(r' data-id="[^"]*"', "", mathml)


def parameters(view: View, explained: Explanation) -> dict[str, int]:
    """How many parameters each symbol stands for; a part for all that are in it."""
    prefix = prefix_of(explained.definition, view.path)
    counted: dict[str, int] = {}
    for note in (note for note in view.symbols if prefix is not None and note.kind in ("weight", "part", "parts")):
        name = note.id.removeprefix(view.path).lstrip("/")
        name = f"{prefix}{name.partition('^')[2] or name}"  # of the parts of a loop, their numbers
        counted[note.id] = sum(
            number for key, (_, number) in explained.count.items() if key == name or key.startswith(f"{name}.")
        )
    return counted


def prefix_of(definition: Equations[..., Any], path: str) -> str | None:
    """What the count writes before the weights of a call: `attention.`; None if it is handed them singly."""
    prefix = ""
    for piece in path.split("/") if path else ():
        call = next(call for call in definition.body.calls() if call.id == piece)
        part = call.over if isinstance(call, nodes.Repeat) else call.part
        if part is None or call.definition is None:
            return None
        prefix += f"{part.layer or part.name}."
        definition = call.definition
    return prefix


def explanation_data(explained: Explanation) -> dict[str, Any]:
    kinds: Kinds = {}
    labels = [step.label for step in explained.steps]
    values = list(changes(explained, kinds))
    return {
        "page": "explanation",
        "views": [
            {
                "path": view.path,
                "name": view.name,
                "trail": view.trail,
                "latex": view.latex,
                "lines": [{"id": line.id, "caption": line.caption} for line in view.lines],
                "symbols": [
                    {"id": note.id, "kind": note.kind, "shape": note.shape, "sense": note.sense}
                    for note in view.symbols
                ],
                "operations": operations(at_path(explained.definition, view.path), view.path),
                "recipes": recipes(at_path(explained.definition, view.path), view.path),
            }
            for view in explained.views
        ],
        "steps": [{"label": label, "values": changed} for label, changed in zip(labels, values, strict=True)],
        "kinds": [json.loads(kind) for kind in kinds],
    }


def operations(definition: Equations[..., Any], path: str) -> dict[str, str]:
    """What every operation is, in words, by its id."""
    prefix = f"{path}/" if path else ""
    labels = Labels(definition, prefix)
    found = {}
    for node in expressions(definition):
        if isinstance(node, nodes.Nested | nodes.Scan | nodes.Repeat):
            found[prefix + node.id] = node.definition.legend.title if node.definition is not None else "a part"
        elif isinstance(node, nodes.Call | nodes.Unary | nodes.Binary | nodes.Transpose | nodes.Index):
            found[prefix + node.id] = labels.operation(node)[2]
    return found


def expressions(definition: Equations[..., Any]) -> Iterator[nodes.Node]:
    for _, value, _ in definition.body.statements():
        yield from value.walk()


Kinds = dict[str, int]
"""What values have beside their numbers, each written once (as JSON): many values have the same shape and words."""


def changes(explained: Explanation, kinds: Kinds) -> Iterable[dict[str, Any]]:
    """The values of each step, without those that are as they were in the step before.

    What is handed on from call to call, as a mask is, is written once; where it comes again stands its first id.
    """
    before: dict[str, Value] = {}
    for step in explained.steps:
        changed: dict[str, Any] = {id: None for id in before if id not in step.values}
        first: dict[Any, str] = {}
        for id, value in step.values.items():
            if before.get(id) is not value and before.get(id) != value:
                kind, numbers = value_data(value, kinds)
                same = first.setdefault((kind, tuple(numbers)), id)
                changed[id] = [kind, numbers] if same == id else same
        yield changed
        before = step.values


def value_data(value: Value, kinds: Kinds) -> tuple[int, list[float | str]]:
    """The number of its kind, and its numbers."""
    kind = {name: entry for name, entry in vars(value).items() if name != "data" and entry not in (None, "")}
    numbers = [int(each) if isinstance(each, float) and each.is_integer() else each for each in value.data]
    return kinds.setdefault(json.dumps(kind), len(kinds)), numbers


# --- a trained model ----------------------------------------------------------------------------


def walkthrough_body(walk: Walkthrough) -> str:
    last = len(walk.parts) - 1
    tabs = "".join(
        f'<button type="button" role="tab" aria-selected="{str(number == last).lower()}" aria-controls="part-{number}"'
        f' tabindex="{0 if number == last else -1}">{escape(name)}</button>'
        for number, (name, _) in enumerate(walk.parts)
    )
    parts = "".join(
        f"""
<div data-part id="part-{number}" role="tabpanel" aria-label="{escape(name)}"{"" if number == last else " hidden"}>
<header class="inner"><h2>{escape(explained.title)}</h2><p class="paper">{escape(explained.paper)}</p>
{counted(explained)}</header>
{part_body(explained, "" if number == last else f"-{number}")}</div>"""
        for number, (name, explained) in enumerate(walk.parts)
    )
    return f"""<header class="top">
<div class="words">
<h1>{escape(walk.title)}</h1>
<p class="paper">{escape(walk.about)}</p>
</div>
{picture_of(walk)}<div class="tools"><div id="language"></div><div id="theme"></div></div>
</header>
{overview_of(walk)}<nav id="parts" class="parts" role="tablist" aria-label="Parts of the model">{tabs}</nav>
{parts}"""


def overview_of(walk: Walkthrough) -> str:
    """The figure of the whole model: a box opens its part."""
    if walk.overview is None:
        return ""
    figure = draw_graph(walk.overview, "Whole model")
    width = size_of(figure)[0]
    return f"""<section id="whole" class="pane figure whole" style="--wide: {width}px" aria-labelledby="whole-model">
<h2 id="whole-model">Whole model</h2><div class="scroll">{figure}</div></section>
"""


def picture_of(walk: Walkthrough) -> str:
    """The picture that was read, as the model sees it."""
    if not walk.picture:
        return ""
    return f'<img class="read" alt="the picture that is described" src="{image_address(walk.picture)}">\n'


def walkthrough_data(walk: Walkthrough) -> dict[str, Any]:
    parts = [explanation_data(explained) for _, explained in walk.parts]
    return {"page": "walkthrough", "parts": parts, "joins": joins(walk.overview) if walk.overview else []}


# --- an experiment ------------------------------------------------------------------------------


def experiment_body(experiment: Experiment) -> str:
    text = "".join(f"<p>{prose(paragraph)}</p>" for paragraph in experiment.text)
    panels = "".join(
        f'<figure class="pane"><h2>{escape(panel.title)}</h2><div data-panel></div></figure>'
        for panel in experiment.panels
    )
    return f"""<header class="top">
<div class="words">
<p class="eyebrow">{escape(experiment.title)}</p>
<h1>{escape(experiment.question)}</h1>
</div>
<div class="tools"><div id="theme"></div></div>
</header>
<main class="experiment">
<div class="text">{text}</div>
<div class="panels">{panels}</div>
</main>"""


def prose(text: str) -> str:
    """Plain text, with `names` set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def experiment_data(experiment: Experiment) -> dict[str, Any]:
    return {"page": "experiment", "panels": [panel_data(panel) for panel in experiment.panels]}


def panel_data(panel: Panel) -> dict[str, Any]:
    """A panel's fields under their own names, and its kind; what is no finite number is null."""
    data: dict[str, Any] = finite(asdict(panel))
    return {"kind": type(panel).__name__, **data}


def finite(data: Any) -> Any:
    match data:
        case int() | float():
            return data if math.isfinite(data) else None
        case dict():
            return {name: finite(entry) for name, entry in data.items()}
        case str():
            return data
        case Sequence():
            return [finite(entry) for entry in data]
    return data
