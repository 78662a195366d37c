"""The page at /: a form that sends a text to a model and shows its answer."""

from __future__ import annotations

from seqloom.serving.service import InferenceService
from seqloom.views.document import document

ENTRY_SCRIPT = 'import { start } from "seqloom/predict.js";\nstart();\n'
STYLES = ("base.css", "predict.css")
CONTENT_SECURITY_POLICY = "frame-ancestors 'none'"
"""Beside the policy in the page itself, which knows its scripts."""


def index_page(service: InferenceService) -> str:
    """The page as one file; its script calls the server it came from."""
    entries = list(service.model_store.entries.values())
    body = f"""<main class="predict">
<h1>seqloom</h1>
<form id="ask">
<label id="key" hidden>Key <input name="key" type="password" autocomplete="off"></label>
<label>Model <select name="model"></select></label> <span id="about"></span>
<label for="text">Text</label>
<textarea id="text" name="text" rows="5" maxlength="{service.bounds.text_characters}" autofocus></textarea>
<p><button>Predict</button> <span id="state" role="status"></span></p>
</form>
<section aria-live="polite"><h2>Answer</h2><output id="answer"></output></section>
<p class="links"><a href="openapi.json">OpenAPI description</a> · <a href="health">health</a></p>
</main>"""
    models = [] if service.key else [entry.info() for entry in entries]  # with the key, /api/models lists them
    data = {"models": models, "key": bool(service.key)}
    return document("predict", body, data, entry=ENTRY_SCRIPT, styles=STYLES, connects=True)
