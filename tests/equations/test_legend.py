"""Docstrings say the shapes, in the letters of the project."""

import re

import pytest

from seqloom.equations.legend import LETTERS, read_legend, size_of
from seqloom.errors import ShapeError
from tests.equations.every import every_definition

SPELLED = {
    "window",
    "steps",
    "negatives",
    "memory",
    "characters",
    "columns",
    "rows",
    "places",
    "height",
    "width",
}  # where a letter would mislead; fmt: skip


@every_definition
def test_every_symbol_has_a_shape_and_a_sense_in_letters_of_the_project(definition):
    for symbol in (*definition.body.inputs, *definition.body.weights):
        if symbol.role in ("part", "parts"):
            continue
        entry = definition.legend[symbol.name]
        assert entry is not None, f"{symbol.name} is not in the docstring"
        assert entry.sense
        letters = set(re.findall(r"[A-Za-z]+", " ".join(entry.shape)))
        assert letters <= set(LETTERS) | SPELLED


@every_definition
def test_every_definition_has_its_paper_and_every_line_its_caption(definition):
    assert re.search(r"\b(19|20)\d\d\b", definition.legend.paper), "a paper has a year"
    assert definition.legend.title
    assert all(caption for _, _, caption in definition.body.statements())


def test_a_docstring_is_taken_apart():
    legend = read_legend(
        """A title that
        goes on.

        Paper: Someone, Something,
        2001.

        x, y  (D)       two rows
        W_*   (H+D, H)  a weight
        m     (T, S)    bool, where to look
        N     int       how many
        """
    )
    assert (legend.title, legend.paper) == ("A title that goes on", "Someone, Something, 2001.")
    y, weight, mask, size = legend["y"], legend["W_anything"], legend["m"], legend["N"]
    assert y and weight and mask and size
    assert (y.shape, weight.shape, mask.kind, mask.sense) == (("D",), ("H+D", "H"), "bool", "where to look")
    assert size.kind == "int"
    assert legend["z"] is None


def test_a_size_that_is_not_known_is_named():
    with pytest.raises(ShapeError, match="the size Q is not known"):
        size_of("D+Q", {"D": 3})
