"""The page at /: the studio, as one file that talks to the server it came from."""

from __future__ import annotations

from seqloom.equations.drawing.svg import STYLE as FIGURE_STYLE
from seqloom.serving.service import InferenceService
from seqloom.tasks.stages import LONGEST
from seqloom.views.document import document

ENTRY_SCRIPT = 'import { studio } from "seqloom/studio/studio.js";\nstudio();\n'
STYLES = ("base.css", "explanation.css", "heat.css", "chart.css", "weave/weave.css", "studio/studio.css")
CONTENT_SECURITY_POLICY = "frame-ancestors 'none'"
"""Beside the policy in the page itself, which knows its scripts."""
MARK = "M2 3c4 0 4 10 12 10M2 8h12M2 13c4 0 4-10 12-10"
"""Three threads that cross."""
BODY = f"""<a class="skip" href="#view">↓</a>
<header class="top-bar">
<p class="mark"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="{MARK}"/></svg>seqloom</p>
<nav data-place="tabs" aria-label="seqloom studio"></nav>
<div class="tools"><button type="button" class="quiet" data-place="tour"></button>
<div data-place="language"></div><div data-place="theme"></div></div>
</header>
<main>
<h1 class="spoken">seqloom studio</h1>
<section class="ask">
<p class="facts"><select data-place="models"></select><span data-place="about"></span>
<label data-place="key-field" hidden><span data-place="key-label"></span> <input data-place="key" type="password"
autocomplete="off"></label><button type="button" class="quiet" data-place="another" hidden></button>
<span class="took" data-place="took"></span></p>
<div class="question"><div class="given"><textarea rows="1" maxlength="LENGTH" dir="auto" spellcheck="false"
autocomplete="off"></textarea><div data-place="picture" class="picture-input" hidden></div></div>
<span class="arrow" aria-hidden="true">→</span><div data-place="answer" class="answer"></div></div>
<p class="trouble" data-place="trouble" role="alert" hidden></p>
</section>
<div class="stage-view" id="view" data-place="view"></div>
</main>
<footer class="foot"><a href="openapi.json">OpenAPI</a> · <a href="health">health</a></footer>"""


def studio_page(service: InferenceService) -> str:
    """The page; what it shows it asks for."""
    entries = service.model_store.entries.values()
    models = [] if service.key else [entry.info() for entry in entries]  # with the key, /api/models lists them
    data = {"models": models, "key": bool(service.key), "opened": LONGEST}
    body = BODY.replace("LENGTH", str(service.bounds.text_characters))
    return document("studio", body, data, entry=ENTRY_SCRIPT, styles=STYLES, style=FIGURE_STYLE, connects=True)
