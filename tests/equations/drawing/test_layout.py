"""Nothing overlaps, lines go from left to right and around what they do not belong to."""

from functools import cache
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqloom.equations.drawing.crossings import Sorter, Strand, order
from seqloom.equations.drawing.graph import graph
from seqloom.equations.drawing.layout import Layout, layout
from seqloom.equations.drawing.routing import Net, assign_tracks
from seqloom.equations.drawing.shapes import Box
from seqloom.equations.drawing.simplex import Distance, solve
from seqloom.equations.drawing.svg import turns
from seqloom.layers.encoder_block import encoder_block as read_block
from seqloom.layers.lstm import lstm
from seqloom.layers.masks import causal_mask
from tests.equations.every import DEFINITIONS, opened

EVERY = [(definition, path) for definition in DEFINITIONS for path in ("", *opened(definition))]
MANY = {"lstm": 4, "transformer": 7, "conv-seq2seq": 7}
"""Crossings where values go to four gates, or to three blocks that take them in order from top to bottom."""

every_figure = pytest.mark.parametrize("definition, path", EVERY, ids=lambda each: getattr(each, "label", each))

encoder_block = read_block.bind()


@cache
def placed(definition, path: str) -> Layout:
    return layout(graph(definition, path))


def sides(box: Box, margin: float = 0) -> tuple[float, float, float, float]:
    w, h = box.width / 2 + margin, box.height / 2 + margin
    return box.x - w, box.y - h, box.x + w, box.y + h


def meet(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@every_figure
def test_every_vertex_and_every_edge_has_its_place(definition, path):
    figure, page = graph(definition, path), placed(definition, path)
    assert sorted(box.vertex.key for box in page.boxes) == sorted(figure.vertices)
    drawn = [route.edge for route in page.routes if route.edge.target]
    assert sorted(drawn, key=str) == sorted(figure.edges, key=str)
    assert [route.edge.source for route in page.routes if not route.edge.target] == list(figure.returns)


@every_figure
def test_boxes_do_not_overlap(definition, path):
    figure = graph(definition, path)
    for a, b in combinations(placed(definition, path).boxes, 2):
        if a.vertex.key not in figure.frames(b.vertex.key) and b.vertex.key not in figure.frames(a.vertex.key):
            assert not meet(sides(a, 2), sides(b)), (a.vertex.key, b.vertex.key)


@every_figure
def test_a_frame_is_around_all_it_holds_and_the_page_around_everything(definition, path):
    page = placed(definition, path)
    figure, boxes = graph(definition, path), {box.vertex.key: box for box in page.boxes}
    for key, box in boxes.items():
        outer = [sides(boxes[frame]) for frame in figure.frames(key)]
        for left, top, right, bottom in [(0.0, 0.0, page.width, page.height), *outer]:
            assert left < sides(box)[0] and sides(box)[2] < right
            assert top < sides(box)[1] and sides(box)[3] < bottom


@every_figure
def test_lines_go_from_left_to_right(definition, path):
    for route in placed(definition, path).routes:
        for (x, _), (next_x, _) in pairwise(route.points):
            assert x <= next_x + 1e-9
        assert route.points[0][0] < route.points[-1][0]


@every_figure
def test_lines_begin_and_end_at_their_vertices(definition, path):
    page = placed(definition, path)
    boxes = {box.vertex.key: box for box in page.boxes}
    for route in page.routes:
        assert meet(sides(boxes[route.edge.source], 1), (*route.points[0], *route.points[0]))
        if route.edge.target:
            assert meet(sides(boxes[route.edge.target], 1), (*route.points[-1], *route.points[-1]))


@every_figure
def test_no_line_passes_through_a_node(definition, path):
    page = placed(definition, path)
    for route in page.routes:
        others = [
            box
            for box in page.boxes
            if not box.vertex.is_frame and box.vertex.key not in (route.edge.source, route.edge.target)
        ]
        for (x, y), (next_x, next_y) in pairwise(route.points):
            piece = (x, min(y, next_y), next_x, max(y, next_y))
            for box in others:
                assert not meet(sides(box, 1), piece), (route.edge, box.vertex.key)


@every_figure
def test_lines_of_different_values_do_not_lie_on_each_other(definition, path):
    pieces = [
        (route.edge.source, (x, min(y, b), a, max(y, b)))
        for route in placed(definition, path).routes
        for (x, y), (a, b) in pairwise(route.points)
    ]
    for (source, (x, y, a, b)), (other, (u, v, c, d)) in combinations(pieces, 2):
        together = min(a, c) - max(x, u), min(b, d) - max(y, v)
        level = abs(y - v) < 3 and y == b and v == d and together[0] > 1
        upright = abs(x - u) < 3 and x == a and u == c and together[1] > 1
        assert source == other or not (level or upright), (source, other)


@every_figure
def test_no_line_bends_by_a_trifle(definition, path):
    for route in placed(definition, path).routes:
        for (_, y), (_, next_y) in pairwise(route.points):
            assert not 0.1 < abs(y - next_y) < 6, route.edge


@every_figure
def test_the_same_figure_every_time(definition, path):
    assert layout(graph(definition, path)) == placed(definition, path)


def test_the_conveyor_belt_of_an_lstm_is_a_straight_line_above_all_gates():
    page = layout(graph(lstm))
    heights = {y for route in page.routes if route.edge.carries for _, y in route.points}
    (belt,) = heights
    gates = [box for box in page.boxes if box.vertex.kind == "result" and box.vertex.id in "ifgoh"]
    assert len(gates) == 5
    assert all(belt < box.y for box in gates)


def test_each_gate_of_an_lstm_is_a_straight_line():
    boxes = {box.vertex.key: box for box in layout(graph(lstm)).boxes}
    for gate in "ifgo":
        row = [boxes[key].y for key in (f"{gate}.4()", f"{gate}()", gate)]  # the sum, its function, the result
        assert max(row) - min(row) <= 1


def test_a_family_and_what_is_made_of_it_are_in_one_line():
    page = layout(graph(causal_mask))
    assert len({box.y for box in page.boxes if not box.vertex.is_frame}) == 1


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda definition: definition.label)
def test_few_lines_cross(definition):
    upright: set[tuple[str, float, float, float, float]] = set()
    level: set[tuple[str, float, float, float, float]] = set()
    for route in placed(definition, "").routes:
        for (x, y), (a, b) in pairwise(turns(route.points)):  # whole pieces: a line may be crossed at any of its points
            (upright if x == a else level).add((route.edge.source, x, a, min(y, b), max(y, b)))
    crossings = {
        (at, y)
        for (source, at, _, top, bottom), (other, left, right, y, _) in product(upright, level)
        if source != other and left < at < right and top < y < bottom
    }
    assert len(crossings) <= MANY.get(definition.label, 2)


def test_the_residuals_of_a_transformer_block_are_one_straight_line():
    boxes = {box.vertex.key: box for box in layout(graph(encoder_block)).boxes}
    assert len({boxes[key].y for key in ("X", "Y.1()", "Y()", "Y", "Z.1()", "Z()", "Z")}) == 1


def test_weights_stand_beside_the_operation_that_uses_them():
    page = layout(graph(lstm))
    boxes = {box.vertex.key: box for box in page.boxes}
    for route in page.routes:
        weight, user = boxes[route.edge.source], boxes.get(route.edge.target)
        if user is not None and weight.vertex.kind == "weight":
            assert abs(weight.x - user.x) < 40 and abs(weight.y - user.y) < 40


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_simplex_finds_the_least_sum_of_lengths(data):
    count = data.draw(st.integers(2, 4))
    pairs = list(combinations(range(count), 2))
    numbers = st.lists(st.integers(-1, 2), min_size=len(pairs), max_size=len(pairs))
    least, weight = data.draw(numbers), data.draw(numbers)
    distances = [Distance(a, b, d, max(w, 0)) for (a, b), d, w in zip(pairs, least, weight)]

    def cost(places) -> int:
        return sum(each.weight * (places[each.end] - places[each.start]) for each in distances)

    def keeps(places) -> bool:
        return all(places[each.end] - places[each.start] >= each.least for each in distances)

    found = solve(count, distances)
    assert keeps(found)
    assert cost(found) == min(cost(places) for places in product(range(7), repeat=count) if keeps(places))


def test_columns_are_sorted_until_nothing_crosses():
    strands = [Strand(a, 0, b, 0) for a, b in ("a3", "b2", "c1", "3x", "2y", "1z")]
    found = order([list("abc"), list("213"), list("zxy")], strands, {key: i for i, key in enumerate("abc123xyz")})
    assert found == [list("abc"), list("321"), list("xyz")]


def test_neighbours_are_exchanged_where_their_lines_cross():
    sorter = Sorter([list("ab"), list("12")], [Strand("a", 0, "2", 0), Strand("b", 0, "1", 0)])
    assert sorter.crossings([list("ab"), list("12")]) == 1
    assert sorter.crossings(sorter.swap([list("ab"), list("12")])) == 0


def test_lines_of_one_value_cross_another_value_once():
    sorter = Sorter([list("ab"), list("123")], [Strand("a", 0, "2", 0), Strand("a", 0, "3", 0), Strand("b", 0, "1", 0)])
    assert sorter.crossings([list("ab"), list("123")]) == 2
    assert sorter.seen([list("ab"), list("123")]) == 1
    assert sorter.seen([list("ba"), list("123")]) == 0


def test_tracks_keep_lines_apart():
    down, up = Net(0, [30]), Net(30, [0])  # each ends at the height at which the other begins
    apart = Net(100, [120])
    assert assign_tracks([down, up, apart]) == 2
    assert {down.track, up.track} == {0, 1}
    assert apart.track == 0


def test_tracks_stand_where_they_cross_the_fewest_lines():
    upper, lower = Net(0, [40, 60]), Net(20, [80])  # the other way round there are three crossings
    assign_tracks([upper, lower])
    assert (lower.track, upper.track) == (0, 1)
