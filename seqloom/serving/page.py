"""The page at /: a text in, an answer out."""

from __future__ import annotations

from seqloom.serving.server import Server
from seqloom.views.document import document

ENTRY = 'import { start } from "seqloom/predict.js";\nstart();\n'
STYLES = ("base.css", "predict.css")
POLICY = "frame-ancestors 'none'"
"""Beside the policy in the page itself, which knows its scripts."""


def page(server: Server) -> str:
    """One file; it asks the server it came from."""
    entries = list(server.shelf.entries.values())
    body = f"""<main class="predict">
<h1>seqloom</h1>
<form id="ask">
<label id="key" hidden>Key <input name="key" type="password" autocomplete="off"></label>
<label>Model <select name="model"></select></label> <span id="about"></span>
<label for="text">Text</label>
<textarea id="text" name="text" rows="5" maxlength="{server.bounds.text_characters}" autofocus></textarea>
<p><button>Predict</button> <span id="state" role="status"></span></p>
</form>
<section aria-live="polite"><h2>Answer</h2><output id="answer"></output></section>
<p class="links"><a href="openapi.json">OpenAPI description</a> · <a href="health">health</a></p>
</main>"""
    told = [] if server.key else [entry.about() for entry in entries]  # who has the key may ask for them
    data = {"models": told, "key": bool(server.key)}
    return document("predict", body, data, entry=ENTRY, styles=STYLES, connects=True)
