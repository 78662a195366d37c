"""MathML says what LaTeX says: an independent reader of LaTeX and a real browser agree."""

import re
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path
from xml.etree import ElementTree

import latex2mathml.converter
import pytest
from playwright.sync_api import Page

from seqloom.equations.latex import line as latex_line
from seqloom.equations.mathml import mathml
from seqloom.equations.notation import notation
from tests.equations.every import DEFINITIONS, every_definition

SAME = {"−": "-", "⋯": "…", "⊤": "⊤", "∥": "‖", "ϵ": "ε", "∣": "|", "⟶": "→", "⃗": "→"}
UNWRITTEN = re.compile(r"[\s\u2061\u2062\u2003~^¯→←]|&")


def tokens(markup: str) -> str:
    """The characters that a reader sees, in order; what is drawn above a letter is told by another test."""
    root = ElementTree.fromstring(re.sub(r' xmlns="[^"]+"', "", markup))
    for script in root.iter("msubsup"):  # a transposed symbol: order of the two scripts does not matter here
        assert len(script) == 3
    text = UNWRITTEN.sub("", "".join(root.itertext()))
    return "".join(SAME.get(character, character) for character in text)


@every_definition
def test_an_independent_reader_of_our_latex_sees_what_our_mathml_shows(definition):
    for formula, ours in zip(notation(definition), mathml(definition), strict=True):
        theirs = latex2mathml.converter.convert(latex_line(formula).replace(" &= ", " = "))
        assert "merror" not in theirs
        assert tokens(ours) == tokens(theirs)


@every_definition
def test_mathml_is_well_formed_and_its_ids_carry_the_prefix(definition):
    for markup in mathml(definition, "A/"):
        ids = [element.get("data-id") for element in ElementTree.fromstring(markup).iter() if element.get("data-id")]
        assert ids
        assert all(id and id.startswith("A/") for id in ids)


@pytest.mark.browser
def test_a_browser_draws_every_formula(new_page: Callable[..., Page]):
    page = new_page()
    page.set_content(f"<body>{''.join(''.join(mathml(definition)) for definition in DEFINITIONS)}</body>")
    drawn = page.evaluate(
        """[...document.querySelectorAll('math')].map(math => ({
            box: math.getBoundingClientRect(),
            flat: [...math.querySelectorAll('[data-id]')].some(part => !part.getBoundingClientRect().width),
            native: math instanceof MathMLElement}))"""
    )
    assert len(drawn) == sum(len(notation(definition)) for definition in DEFINITIONS)
    assert all(entry["box"]["height"] > 10 and entry["native"] and not entry["flat"] for entry in drawn)


@pytest.mark.browser
def test_mathjax_reads_every_formula(new_page: Callable[..., Page], tmp_path: Path):
    files = distribution("sphinx-mathjax-offline").files or []
    script = next(Path(str(file.locate())) for file in files if file.name == "tex-mml-chtml.js")
    lines = [latex_line(formula).replace("&=", "=") for definition in DEFINITIONS for formula in notation(definition)]
    body = "".join(f"<p>\\[{line.replace('&', '&amp;').replace('<', '&lt;')}\\]</p>" for line in lines)
    file = tmp_path / "mathjax.html"
    file.write_text(f'<meta charset="utf-8"><body>{body}<script src="{script.as_uri()}"></script>', encoding="utf-8")
    page = new_page()
    page.goto(file.as_uri())
    page.wait_for_function("document.querySelectorAll('mjx-container').length > 0 && MathJax.startup.promise")
    page.evaluate("MathJax.startup.promise")
    assert page.locator("mjx-container").count() == len(lines)
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
