"""The page at /: a text in, an answer out."""

from __future__ import annotations

from html import escape

from seqloom.serving.server import Server
from seqloom.views.document import document

ENTRY = 'import { start } from "seqloom/predict.js";\nstart();\n'
STYLES = ("base.css", "predict.css")
POLICY = "frame-ancestors 'none'"
"""Beside the policy in the page itself, which knows its scripts."""


def page(server: Server) -> str:
    """One file; it asks the server it came from."""
    entries = list(server.shelf.entries.values())
    choices = "".join(f"<option>{escape(entry.name)}</option>" for entry in entries)
    body = f"""<main class="predict">
<h1>seqloom</h1>
<form id="ask">
<label>Model <select name="model">{choices}</select></label> <span id="about"></span>
<label id="key" hidden>Key <input name="key" type="password" autocomplete="current-password"></label>
<label for="text">Text</label>
<textarea id="text" name="text" rows="5" maxlength="{server.bounds.text_characters}" autofocus></textarea>
<p><button>Predict</button> <span id="state" role="status"></span></p>
</form>
<section aria-live="polite"><h2>Answer</h2><output id="answer"></output></section>
<p class="links"><a href="openapi.json">OpenAPI description</a> · <a href="health">health</a></p>
</main>"""
    data = {"models": [entry.about() for entry in entries], "key": bool(server.key)}
    return document("predict", body, data, entry=ENTRY, styles=STYLES, connects=True)
