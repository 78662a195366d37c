"""Answers as one self-contained page: the views of the studio, with what was recorded inside it.

A run is what the studio draws: rows of tokens, attention between them, steps. The page loads and asks nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from seqloom.attention.attention_weights import AttentionMap
from seqloom.attention.display_text import right_to_left
from seqloom.attention.weave_data import weave_data
from seqloom.views.document import document

STYLES = ("base.css", "explanation.css", "weave/weave.css")
ENTRY = 'import { weavePage } from "seqloom/weave/page.js";\nweavePage();'
NUMBERS = 600_000
"""Weights that are kept in a file at most; beyond, heads are pooled by maximum."""
EMPTY: dict[str, Any] = {
    "answer": {}, "text": "", "rows": {}, "attention": [], "stepped": "", "steps": [], "tree": [], "importance": {},
}  # fmt: skip
"""A run of which nothing is known."""


def render_html(maps: Sequence[AttentionMap]) -> str:
    """A whole HTML file of attention maps, one below the other."""
    return run_page("Attention", [attention_run(one, NUMBERS // len(maps)) for one in maps])


def attention_run(one: AttentionMap, numbers: int = NUMBERS) -> dict[str, Any]:
    """What is known of a run by its attention alone."""
    rows = {name: row_data(tokens) for name, tokens in (("source", one.source), ("target", one.target))}
    title = [" ".join(one.source), " ".join(one.target)]
    attention = {"group": "cross", "rows": "target", "columns": "source", **weave_data(one, numbers=numbers)}
    return {**EMPTY, "title": title, "rows": rows, "attention": [attention]}


def row_data(tokens: Sequence[str]) -> dict[str, Any]:
    """A row of tokens, and whether it is read from the right."""
    return {"tokens": list(tokens), "rtl": right_to_left(tuple(tokens))}


def run_page(title: str, runs: Sequence[dict[str, Any]]) -> str:
    """A whole HTML file of runs; each has a `title`: what was read, and what was written."""
    sections = "".join(
        f'<section class="run"><h2 class="run-title">{heading(run["title"])}</h2><div class="panels-grid" data-run>'
        "</div></section>\n"
        for run in runs
    )
    body = f"""<header class="top">
<div class="words"><h1>{escape(title)}</h1></div>
<div class="tools"><div id="language"></div><div id="theme"></div></div>
</header>
<main>
{sections}</main>"""
    return document(title, body, {"runs": list(runs)}, entry=ENTRY, styles=STYLES)


def heading(title: Sequence[str]) -> str:
    return '<span class="arrow">→</span>'.join(f"<bdi>{escape(part)}</bdi>" for part in title)
