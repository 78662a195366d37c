"""The graph of a figure is the data flow of the function, told from its syntax tree alone."""

import ast
import inspect
import textwrap

import pytest

from seqloom.equations import concat, equations, nodes, sigmoid, stack
from seqloom.equations.drawing.graph import Graph, call_paths, graph
from seqloom.errors import UnknownName
from seqloom.layers.cross_entropy import cross_entropy
from seqloom.layers.encoder_block import encoder_block as read_block
from seqloom.layers.gru import gru
from seqloom.layers.lstm import lstm
from seqloom.layers.multi_head import multi_head, scaled_dot_product
from seqloom.layers.norms import layer_norm
from seqloom.layers.positions import sinusoidal
from seqloom.layers.simple_rnn import simple_rnn
from tests.equations.every import every_definition

encoder_block = read_block.bind()


def shown(figure: Graph, key: str) -> set[str]:
    """The ids that a vertex and the frames around it show, those inside a label among them."""
    vertices = [figure.vertices[each] for each in (key, *figure.frames(key))]
    return {id for vertex in vertices for id in (vertex.id, *(run.id for run in vertex.label)) if id}


def ancestors(figure: Graph, key: str) -> set[str]:
    before = [edge.source for edge in figure.into(key)]
    return set(before).union(*(ancestors(figure, each) for each in before))


def text(figure: Graph, key: str) -> str:
    return "".join(run.text for run in figure.vertices[key].label)


def used_by_lines(definition) -> dict[str, set[str]]:
    """For each result the symbols it is made of, by reading the source anew."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(definition.function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    last = tree.body[-1]
    assert isinstance(last, ast.Return) and last.value is not None
    returned = {node.id for node in ast.walk(last.value) if isinstance(node, ast.Name)}
    positional = {argument.arg for argument in tree.args.args}
    ids = {name: f"{name}.before" if name in returned else name for name in positional}
    ids |= {argument.arg: argument.arg for argument in tree.args.kwonlyargs if argument.arg not in definition.parts}
    made_of: dict[str, set[str]] = {}
    for line in tree.body:
        lines = line.body if isinstance(line, ast.For) else [line] if isinstance(line, ast.Assign) else []
        names = [node.id for each in lines for node in ast.walk(each.value) if isinstance(node, ast.Name)]  # type: ignore[attr-defined]
        direct = {ids[name] for name in names if name in ids}
        results = [target for each in lines for target in ast.walk(each.targets[0])]  # type: ignore[attr-defined]
        plain = {target.id for target in results if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)}
        states = {target.value.id for target in results if isinstance(target, ast.Subscript)}  # type: ignore[attr-defined]
        made = {name: f"{name}^L" if isinstance(line, ast.For) else name for name in plain} | {s: s for s in states}
        of_all = direct.union(*(made_of.get(id, set()) for id in direct))
        ids |= made
        made_of |= dict.fromkeys(made.values(), of_all)
    return made_of


@every_definition
def test_every_symbol_is_in_the_figure_under_its_id(definition):
    figure = graph(definition)
    ids = set().union(*(shown(figure, key) for key in figure.vertices))
    body = definition.body
    symbols = (*body.inputs, *body.weights, *(target for line in body.lines for target in line.targets))
    assert {symbol.id for symbol in symbols if symbol.role not in ("part", "parts")} <= ids
    assert {call.id for call in body.calls()} <= ids


@every_definition
def test_a_result_comes_from_what_its_lines_use(definition):
    figure = graph(definition)
    expected = used_by_lines(definition)
    names = set().union(*expected.values())
    for result, made_of in expected.items():
        (key,) = [key for key, vertex in figure.vertices.items() if vertex.id == result and vertex.kind == "result"]
        found = set().union(*(shown(figure, each) for each in ancestors(figure, key))) & names
        assert found - {result} == made_of  # the operation before a result has the same id


@every_definition
def test_a_line_ends_in_an_operation_and_its_result_of_one_id(definition):
    figure = graph(definition)
    for line in definition.body.lines:
        for target in line.targets if not isinstance(line.value, nodes.Symbol) else ():
            (edge,) = figure.into(target.id)
            assert figure.vertices[edge.source].kind in ("operation", "call")
            assert figure.vertices[edge.source].id == line.value.id


def test_a_chain_of_plus_is_one_sum():
    figure = graph(lstm)
    (into_sigmoid,) = figure.into("i()")
    assert text(figure, into_sigmoid.source) == "+"
    assert [edge.source for edge in figure.into(into_sigmoid.source)] == ["i.1()", "i.2()", "b_i"]


def test_operands_keep_their_places():
    figure = graph(layer_norm)
    (into_square,) = figure.into("v.2()")
    assert [(edge.source, edge.place) for edge in figure.into(into_square.source)] == [("x", 0), ("mu", 1)]
    assert figure.vertices["v.1()"].in_order
    assert not figure.vertices["y()"].in_order  # a sum


@pytest.mark.parametrize(
    "definition, key, expected",
    [
        (gru, "h.2()", "1 −"),
        (scaled_dot_product, "E()", "÷ √dim(K)"),
        (scaled_dot_product, "A.2()", "where, else −∞"),
        (layer_norm, "v.2()", "( )2"),
        (layer_norm, "y.2()", "+ 10−5"),
        (sinusoidal, "i()", "(0, 1, …, ⌊D/2⌋ − 1)"),
        (sinusoidal, "theta.3()", "10000( )"),
        (cross_entropy, "loss.3()", "[y]"),
        (cross_entropy, "u.1", "v = 1,…,V"),
        (multi_head, "head.1", "n = 1,…,N"),
        (multi_head, "head.2()", "[n]"),
    ],
)
def test_constants_stand_in_the_label_of_their_operation(definition, key, expected):
    assert text(graph(definition), key) == expected


def test_a_family_is_a_frame_with_its_items_inside():
    @equations
    def mixture(a, H):
        c = sum(a_j * h_j for a_j, h_j in zip(a, H))
        return c

    figure = graph(mixture)
    inside = [key for key, vertex in figure.vertices.items() if vertex.parent == "c.1"]
    assert inside == ["c.1:a_j", "c.1:h_j", "c.2()"]
    assert [edge.source for edge in figure.into("c.1:h_j")] == ["H"]
    assert [(edge.source, edge.target) for edge in figure.out_of("c.2()")] == [("c.2()", "c()")]
    assert figure.vertices["c()"].parent == ""


def test_a_weight_used_in_a_family_only_stands_in_its_frame():
    figure = graph(multi_head)
    assert {name: figure.vertices[name].parent for name in ("W_Q", "W_O")} == {"W_Q": "head.1", "W_O": ""}


def test_the_belt_runs_from_a_state_to_itself_by_sums_and_plain_products():
    def belt(definition):
        return [(edge.source, edge.target) for edge in graph(definition).edges if edge.carries]

    assert belt(lstm) == [("c.before", "c.1()"), ("c.1()", "c()"), ("c()", "c")]
    assert belt(gru) == [("h.before", "h.1()"), ("h.1()", "h()"), ("h()", "h")]
    assert belt(simple_rnn) == []  # a matrix and tanh are in its way


def test_calls_that_open_are_listed_from_the_outside_in():
    assert call_paths(encoder_block) == ["A", "Y", "F", "Z", "A/head.8"]
    assert call_paths(lstm) == []


def test_an_opened_call_shows_its_own_figure_in_place():
    figure = graph(encoder_block, "A")
    assert figure.vertices["A()"].is_open
    inner = {key.removeprefix("A/"): vertex for key, vertex in figure.vertices.items() if key.startswith("A/")}
    assert {key: vertex.kind for key, vertex in inner.items()} == {
        key: vertex.kind for key, vertex in graph(multi_head).vertices.items()
    }
    assert all(vertex.id.startswith("A/") for vertex in inner.values())
    assert [edge.source for edge in figure.into("A/X")] == ["X"]
    assert [edge.source for edge in figure.into("A")] == ["A/Y"]


def test_all_but_the_innermost_opened_call_is_dimmed():
    figure = graph(encoder_block, "A/head.8")
    light = {key for key, vertex in figure.vertices.items() if not vertex.dim}
    assert light == {key for key in figure.vertices if key.startswith("A/head.8")}
    assert not any(vertex.dim for vertex in graph(encoder_block).vertices.values())


def test_an_unknown_call_is_named_with_those_that_exist():
    with pytest.raises(UnknownName, match="no call in encoder_block is called 'Q'"):
        graph(encoder_block, "Q")


@equations
def two_results(x, y):
    s = x + y
    d = x - y
    return s, d


def test_several_results_of_a_call_go_to_their_own_names():
    @equations
    def outer(x, y):
        a, b = two_results(x, y)
        return concat(a, b)

    closed, opened = graph(outer), graph(outer, "a.call")
    assert [(edge.source, edge.target) for edge in closed.out_of("a.call()")] == [("a.call()", "a"), ("a.call()", "b")]
    assert [opened.into(name)[0].source for name in ("a", "b")] == ["a.call/s", "a.call/d"]
    assert closed.returns == ("result",)


def test_families_stand_in_families():
    @equations
    def pairs(X, Y):
        E = stack(sum(sigmoid(x_i * y_j) for y_j in Y) for x_i in X)
        return E

    figure = graph(pairs)
    (inner,) = [key for key, vertex in figure.vertices.items() if vertex.kind == "family" and vertex.parent]
    product = next(key for key, vertex in figure.vertices.items() if text(figure, key) == "⊙")
    assert figure.frames(product) == [inner, figure.vertices[inner].parent]
