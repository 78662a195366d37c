"""The drawing says everything in its markup: what is tied to what, and what opens."""

import re
from functools import cache
from xml.etree import ElementTree

import pytest

from seqloom.equations.drawing.graph import graph
from seqloom.equations.drawing.layout import layout
from seqloom.equations.drawing.svg import STYLE, draw, rounded, turns
from seqloom.layers.encoder_block import encoder_block as read_block
from seqloom.layers.gru import gru
from seqloom.layers.lstm import lstm
from seqloom.layers.masks import padding_mask
from seqloom.layers.multi_head import multi_head
from tests.equations.every import DEFINITIONS, every_definition, opened

EVERY = [(definition, path) for definition in DEFINITIONS for path in ("", *opened(definition))]
every_figure = pytest.mark.parametrize("definition, path", EVERY, ids=lambda each: getattr(each, "label", each))
SPACE = "{http://www.w3.org/2000/svg}"

encoder_block = read_block.bind()


@cache
def drawn(definition, path: str = "") -> ElementTree.Element:
    return ElementTree.fromstring(draw(definition, path))


def classes(element: ElementTree.Element) -> set[str]:
    return set(element.get("class", "").split())


def nodes(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [element for element in root.iter(f"{SPACE}g") if "node" in classes(element)]


def node(root: ElementTree.Element, id: str, kind: str) -> ElementTree.Element:
    (found,) = [each for each in nodes(root) if each.get("data-id") == id and kind in classes(each)]
    return found


@every_figure
def test_every_vertex_is_a_node_that_can_be_reached_and_read_aloud(definition, path):
    found = nodes(drawn(definition, path))
    assert sorted(element.get("data-id", "") for element in found) == sorted(
        vertex.id for vertex in graph(definition, path).vertices.values()
    )
    for element in found:
        assert element.get("tabindex") == "0"
        assert element.get("role") == "button"
        title = element.find(f"{SPACE}title")
        assert title is not None and title.text and title.text in element.get("aria-label", "")


@every_figure
def test_every_line_says_which_values_it_ties(definition, path):
    root, figure = drawn(definition, path), graph(definition, path)
    lines = [each for each in root.iter(f"{SPACE}path") if "edge" in classes(each)]
    ties = sorted((line.get("data-from", ""), line.get("data-to", "")) for line in lines)
    ids = {key: vertex.id for key, vertex in figure.vertices.items()} | {"": ""}
    ends = [(ids[edge.source], ids[edge.target]) for edge in figure.edges]
    assert ties == sorted([*ends, *((ids[key], "") for key in figure.returns)])
    heads = [each for each in root.iter(f"{SPACE}path") if "head" in classes(each)]
    assert sorted((head.get("data-from", ""), head.get("data-to", "")) for head in heads) == ties


@every_figure
def test_an_opened_call_is_drawn_with_what_is_inside_it(definition, path):
    root = drawn(definition, path)
    for element in nodes(root):
        if opens := element.get("data-opens"):
            assert ("frame" in classes(element)) == f"{path}/".startswith(f"{opens}/")
    inside = {id for element in root.iter() if (id := element.get("data-id", "")).startswith(f"{path}/")}
    assert bool(inside) == bool(path)


@every_definition
def test_the_page_gives_the_colours(definition):
    figure = draw(definition)
    assert not re.search(r"#[0-9a-f]{3}|rgb|fill=|stroke=|style|<script|href|url\(", figure)
    assert STYLE in draw(definition, standalone=True)


def test_every_colour_can_be_changed_from_outside():
    colours = re.findall(r"(?:fill|stroke): ([^;]+);", STYLE)
    assert all(re.fullmatch(r"none|var\(--[a-z-]+, #[0-9a-f]{6}\)", colour) for colour in colours)


def test_the_size_is_stated_and_scales():
    root, page = drawn(lstm), layout(graph(lstm))
    assert root.get("viewBox") == f"0 0 {page.width:.0f} {page.height:.0f}"
    assert (root.get("width"), root.get("height")) == (f"{page.width:.0f}", f"{page.height:.0f}")


def test_kinds_differ_by_shape():
    def corner(id: str, kind: str) -> tuple[float, bool]:
        rect = node(drawn(lstm), id, kind).find(f"{SPACE}rect")
        assert rect is not None
        height, width = float(rect.get("height", "")), float(rect.get("width", ""))
        return float(rect.get("rx", "")) / height, width == height

    assert corner("x", "input") == (0.5, False)
    assert corner("W_i", "weight") == (0, False)
    assert corner("i", "operation") == (0.5, True)
    assert 0 < corner("i", "result")[0] < 0.5


def test_names_are_mathematics():
    def label(definition, id: str, kind: str) -> list[tuple[str | None, bool]]:
        return [(span.text, "dy" in span.attrib) for span in node(drawn(definition), id, kind).iter(f"{SPACE}tspan")]

    assert label(lstm, "h.before", "state") == [("h", False), ("t", True), ("−1", False)]
    assert label(lstm, "W_i", "weight") == [("W", False), ("i", True)]
    accents = node(drawn(gru), "h_tilde", "result").findall(f"{SPACE}path")
    assert [accent.get("class") for accent in accents] == ["accent"]


def test_what_is_set_lower_comes_back_to_the_line():
    spans = node(drawn(multi_head), "head.1", "family").iter(f"{SPACE}tspan")
    assert {span.get("dy") for span in spans} == {None}
    opened = node(drawn(encoder_block, "A"), "A/W_Q", "weight")
    (shift,) = [float(span.get("dy", "")) for span in opened.iter(f"{SPACE}tspan") if span.get("dy")]
    assert shift > 0  # downwards


def test_a_value_in_a_label_has_its_own_id():
    frame = node(drawn(multi_head), "head.1", "family")
    assert {span.get("data-id"): span.text for span in frame.iter(f"{SPACE}tspan") if span.get("data-id")} == {
        "head.1:n": "n",
        "N": "N",
    }


def test_signs_of_the_markup_are_escaped():
    (compare,) = [each for each in nodes(drawn(padding_mask)) if "<" in "".join(each.itertext())][:1]
    assert compare.get("data-id") == "m"


def test_what_is_outside_an_opened_call_is_dimmed():
    root = drawn(encoder_block, "A")
    dimmed = {element.get("data-id") for element in nodes(root) if "dim" in classes(element)}
    light = {element.get("data-id", "") for element in nodes(root)} - dimmed
    assert {"X", "Y", "Z"} <= dimmed
    assert {"A/X", "A/Y"} <= light
    (group,) = [each for each in root if classes(each) == {"dim"}]
    ends = {(line.get("data-from"), line.get("data-to")) for line in group}
    assert ("X", "A/X") in ends and ("A/head", "A/Y.1") not in ends


def test_lines_turn_in_round_corners():
    assert turns(((0, 0), (5, 0), (5, 0), (10, 0), (10, 30), (20, 30))) == [(0, 0), (10, 0), (10, 30), (20, 30)]
    assert rounded([(0, 0), (10, 0), (10, 30)]) == "M0 0L5 0Q10 0 10 7L10 30"


@pytest.mark.browser
def test_labels_fit_into_their_shapes(new_page):
    page = new_page()
    for definition in DEFINITIONS:
        page.set_content(f"<style>{STYLE}</style>{draw(definition)}")
        room = page.evaluate(
            """() => [...document.querySelectorAll(".node:not(.frame)")].map((node) => {
                const [text, shape] = ["text", ".shape"].map((part) => node.querySelector(part).getBBox())
                return [text.x - shape.x, shape.x + shape.width - text.x - text.width, node.textContent]
            })"""
        )
        assert all(left > 2 and right > 2 for left, right, _ in room), room
