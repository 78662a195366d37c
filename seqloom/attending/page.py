"""Attention as one self-contained page: lines between words, heat maps, a choice of layer and head.

The modules and style sheets of seqloom/views are inside it, as in the pages of `explaining`; it loads nothing and
computes nothing: the means it offers are made here.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from seqloom.attending.map import AttentionMap
from seqloom.attending.words import right_to_left

VIEWS = files("seqloom") / "views"
STYLES = ("base.css", "heat.css", "attention.css")
MODULES = ("dom.js", "theme.js", "heat.js", "attention.js")
ENTRY = 'import { attention } from "seqloom/attention.js";\nattention();'


def page(maps: Sequence[AttentionMap]) -> str:
    """A whole HTML file."""
    style = "".join((VIEWS / name).read_text(encoding="utf-8") for name in STYLES)
    modules = json.dumps({"imports": {f"seqloom/{name}": address(name) for name in MODULES}})
    data = json.dumps({"maps": [map_data(one) for one in maps]}, ensure_ascii=False, separators=(",", ":"))
    harmless = data.replace("<", "\\u003c")  # cannot end the script element it stands in
    sections = "".join(
        f'<section class="attention"><h2><bdi>{escape(" ".join(one.source))}</bdi><span class="arrow">→</span>'
        f"<bdi>{escape(' '.join(one.target))}</bdi></h2><div data-map></div></section>\n"
        for one in maps
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(modules, ENTRY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Attention · seqloom</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<header class="top">
<div class="words"><h1>Attention</h1>
<p class="paper">How much each word below looked at each word above when it was written: the wider, the more.</p></div>
<div class="tools"><div id="theme"></div></div>
</header>
<main>
{sections}</main>
<script type="application/json" id="data">{harmless}</script>
<script type="importmap">{modules}</script>
<script type="module">{ENTRY}</script>
</body>
</html>
"""


def address(module: str) -> str:
    """A module as an address that carries its text."""
    return f"data:text/javascript;base64,{b64encode((VIEWS / module).read_bytes()).decode()}"


def policy(*scripts: str) -> str:
    """Nothing from outside, and no script but these and the modules they import."""
    known = (f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts)
    return (
        f"default-src 'none'; script-src {' '.join(known)} data:; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def map_data(one: AttentionMap) -> dict[str, Any]:
    """Names to choose from, and the weights of each choice; a mean comes first where there are several."""
    layers, heads = choices(one.layers), choices([f"head {n + 1}" for n in range(one.heads)])
    return {
        "source": one.source,
        "target": one.target,
        "source_rtl": right_to_left(one.source),
        "target_rtl": right_to_left(one.target),
        "layers": [name for name, _ in layers],
        "heads": [name for name, _ in heads],
        "weights": [
            [np.round(one.of(layer, head).ravel().astype(np.float64), 4).tolist() for _, head in heads]
            for _, layer in layers
        ],
    }


def choices(names: Sequence[str]) -> list[tuple[str, int | None]]:
    """Every name with its number; before them the mean of all, which has none."""
    each: list[tuple[str, int | None]] = [(name, number) for number, name in enumerate(names)]
    return each if len(each) == 1 else [("mean of all", None), *each]
