"""The code pane is the source, character by character."""

import ast
import html
import re
from xml.etree import ElementTree

from seqloom.equations.code import code
from tests.equations.every import every_definition


@every_definition
def test_code_pane_is_the_source_without_its_docstring(definition):
    shown = html.unescape(re.sub(r"<[^>]+>", "", code(definition)))
    tree = ast.parse(definition.source.text)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    docstring = function.body.pop(0)
    assert isinstance(docstring, ast.Expr)
    assert ast.dump(ast.parse(shown)) == ast.dump(tree)
    comments = [line.partition("#")[2] for line in definition.source.lines if "#" in line]
    assert all(comment in shown for comment in comments)


@every_definition
def test_code_pane_is_well_formed_and_marks_each_argument_where_it_stands(definition):
    pane = ElementTree.fromstring(code(definition, "A/"))
    marked = {(span.get("data-id"), "".join(span.itertext())) for span in pane.iter("span") if span.get("data-id")}
    for symbol in (*definition.body.inputs, *definition.body.weights):
        assert (f"A/{symbol.id}", symbol.name) in marked


def test_a_mark_holds_the_whole_operation():
    from seqloom.layers.lstm import lstm

    pane = ElementTree.fromstring(code(lstm))
    texts = ["".join(span.itertext()) for span in pane.iter("span") if span.get("data-id") == "c"]
    assert "f * c + i * g" in texts
