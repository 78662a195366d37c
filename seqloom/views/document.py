"""One self-contained HTML file: a body, its data, and those style sheets and modules of this folder that it needs.

Modules import each other by bare names such as "seqloom/heat.js". A page maps these to `data:` URLs, so that a single
file works from a disk, by mail and in a notebook; a server would map `seqloom/` to a folder.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

VIEWS = files("seqloom") / "views"
IMPORTED = re.compile(r'"seqloom/((?:\w+/)?[\w-]+\.js)"')


def document(
    title: str,
    body: str,
    data: dict[str, Any],
    *,
    entry: str,
    styles: Iterable[str],
    style: str = "",
    connects: bool = False,
) -> str:
    """A whole file that loads nothing.

    entry     the script that begins: what it imports is inside the file
    styles    style sheets by name; `style` is one by its text, before them
    connects  whether it may ask the server that it came from
    """
    sheets = style + "".join((VIEWS / name).read_text(encoding="utf-8") for name in styles)
    modules = json.dumps({"imports": {f"seqloom/{name}": address(text) for name, text in needed(entry).items()}})
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(modules, entry, connects=connects)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} · seqloom</title>
<link rel="icon" href="data:,">
<style>{sheets}</style>
</head>
<body>
{body}
<script type="application/json" id="data">{as_json(data)}</script>
<script type="importmap">{modules}</script>
<script type="module">{entry}</script>
</body>
</html>
"""


def frame(html: str, height: int = 720) -> str:
    """A page inside another, as notebooks show it; it can reach nothing outside its frame."""
    return (
        f'<iframe srcdoc="{escape(html)}" sandbox="allow-scripts" allow="clipboard-write" '
        f'style="width: 100%; height: {height}px; border: 0" title="seqloom"></iframe>'
    )


def needed(entry: str) -> dict[str, str]:
    """The modules that a script imports, and those that they import, by name."""
    found: dict[str, str] = {}
    waiting = IMPORTED.findall(entry)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = (VIEWS / name).read_text(encoding="utf-8")
            waiting += IMPORTED.findall(found[name])
    return dict(sorted(found.items()))


def address(module: str) -> str:
    """A module as an address that carries its text."""
    return f"data:text/javascript;base64,{b64encode(module.encode()).decode()}"


def image_address(png: bytes) -> str:
    """A picture as an address that carries it."""
    return f"data:image/png;base64,{b64encode(png).decode()}"


def policy(*scripts: str, connects: bool = False) -> str:
    """Nothing from outside, and no script but these and the modules they import."""
    asked = "'self'" if connects else "'none'"
    known = (f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts)
    return (
        f"default-src 'none'; script-src {' '.join(known)} data:; style-src 'unsafe-inline'; img-src data:; "
        f"connect-src {asked}; base-uri 'none'; form-action 'none'"
    )


def as_json(data: dict[str, Any]) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")
