"""Parts, loops over parts and scans: a definition reads alone, and bound to a model every value has its own id."""

from typing import Any

import pytest
import torch
from torch.testing import assert_close

from seqloom.equations import Part, State, concat, equations, scan, scan_back
from seqloom.equations.drawing.graph import call_paths, graph
from seqloom.equations.latex import latex
from seqloom.equations.plain import plain
from seqloom.equations.trace import trace
from seqloom.errors import ShapeError
from seqloom.layers import GRU, LSTM, EncoderBlock, FeedForward, SimpleRNN, Stacked
from seqloom.layers.feed_forward import feed_forward
from seqloom.layers.lstm import lstm
from seqloom.layers.simple_rnn import simple_rnn
from seqloom.layers.stacked import stacked


@equations
def tower(X, *, blocks, norm):
    """Blocks on top of each other, and a norm.

    X  (T, D)  the sequence
    """
    for block in blocks:
        X = block(X)  # each refines the one below
    Y = norm(X)  # normalised
    return Y


@equations
def decoder(x, s, *, cell, W):
    """A cell, and what it shows.

    x  (D)     the input
    s  state   the state of the cell
    W  (H, D)  the output layer
    """
    s = cell(x, s)  # the new state
    y = s @ W  # the output
    return y, s


def networks(count: int) -> list[Part]:
    return [FeedForward(4, 5).part() for _ in range(count)]


# --- reading ----------------------------------------------------------------------------------------


def test_alone_a_definition_reads_with_the_names_of_its_parts():
    assert plain(tower) == ["X⁽ˡ⁾ = blockₗ(X⁽ˡ⁻¹⁾)   (l = 1, …, L)", "   Y = norm(X⁽ᴸ⁾)"]
    assert plain(decoder) == ["sₜ = cell(xₜ, sₜ₋₁)", "yₜ = sₜ W"]
    assert r"X^{(l)} &= \text{block}_l(X^{(l - 1)}) \qquad l = 1, \ldots, L" in latex(tower)
    assert call_paths(tower) == [], "there is nothing to open yet"
    boxes = [
        "".join(run.text for run in vertex.label) for vertex in graph(tower).vertices.values() if vertex.kind == "call"
    ]
    assert boxes == ["block × L", "norm"]


def test_what_a_loop_carries_is_one_value_before_it_and_another_behind_it():
    line, last = tower.body.lines
    assert [symbol.id for symbol in line.targets] == ["X^L"]
    assert [node.id for node in last.value.children] == ["X^L"]


def test_a_part_that_has_no_definition_cannot_be_run():
    with pytest.raises(ShapeError, match="tower needs its part blocks"):
        trace(tower, torch.zeros(2, 4))


# --- binding ----------------------------------------------------------------------------------------


def test_bound_a_loop_stays_short_and_opens_layer_by_layer():
    bound = tower.bind(blocks=(feed_forward,) * 3, norm=feed_forward)
    assert plain(bound)[0].endswith("(l = 1, …, 3)")
    assert call_paths(bound) == ["blocks", "Y", "blocks/X^1", "blocks/X^2", "blocks/X^3"]
    assert bound is tower.bind(blocks=(feed_forward,) * 3, norm=feed_forward), "made once"
    assert tower.body.lines[0].value.definition is None, "what was read stays as it was"  # type: ignore[attr-defined]


def test_every_value_of_every_pass_has_its_own_id():
    blocks, norm, X = networks(3), networks(1)[0], torch.randn(2, 4)
    values = trace(tower, X, blocks=blocks, norm=norm).values
    expected = X
    for number, block in enumerate(blocks, start=1):
        expected = block(expected)
        assert_close(values[f"blocks/X^{number}"], expected)
        assert f"blocks/X^{number}/u" in values, "down to the hidden layer of each"
    assert_close(values["X^L"], expected)
    assert_close(values["Y"], norm(expected))


def test_the_plain_call_computes_what_is_recorded():
    blocks, norm, X = networks(2), networks(1)[0], torch.randn(3, 4)
    assert torch.equal(tower(X, blocks=blocks, norm=norm), trace(tower, X, blocks=blocks, norm=norm).results[0])


def test_parts_of_parts_are_bound_too():
    block = EncoderBlock(4, 2, 5)
    bound = Part(tower, {"blocks": [], "norm": block.part()}).bound
    assert {"Y", "Y/A", "Y/A/head.8"} <= set(call_paths(bound))


# --- states -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", [SimpleRNN(4, 3), GRU(4, 3), LSTM(4, 3)])
def test_the_state_of_any_cell_is_one_value_that_shows_its_first(cell):
    part, x, W = cell.part(), torch.randn(4), torch.randn(3, 4)
    y, s = decoder(x, part.start(), cell=part, W=W)
    expected, _ = cell(x[None, None])
    assert_close(s.shown, expected[0, 0])
    assert_close(y, expected[0, 0] @ W)
    recorded = trace(decoder, x, part.start(), cell=part, W=W)
    assert torch.equal(recorded.results[0], y)
    assert torch.equal(torch.as_tensor(recorded.values["s"]), s.shown)
    assert len(s.values) == len(cell.definition.body.states)


def test_a_cell_may_be_a_stack_of_cells():
    layers = Stacked([LSTM(4, 3), GRU(3, 2)])
    part = layers.part()
    state, (x, z) = part.start(), torch.randn(2, 4)
    for word in (x, z):
        state = part(word, state)
    expected, _ = layers(torch.stack([x, z])[None])
    assert_close(torch.as_tensor(state.shown.shown), expected[0, -1])
    values = trace(decoder, x, part.start(), cell=part, W=torch.randn(2, 4)).values
    assert {"s/cells/s^1/f", "s/cells/s^2/r"} <= set(values), "each layer down to its gates"


def test_states_that_are_handed_in_stay_as_they_were():
    part = Stacked([SimpleRNN(4, 3), SimpleRNN(3, 2)]).part()
    before = part.start().values[0]
    first = before[0]
    stacked(torch.randn(4), before, **part.weights)
    assert before[0] is first


def test_a_state_is_what_it_shows_in_an_expression():
    state: Any = State(torch.ones(2), (torch.ones(2), torch.zeros(2)))
    two = torch.full((2,), 2.0)
    for value in (state + state, state * two, two * state, state / 0.5):
        assert value.tolist() == [2.0, 2.0]
    assert concat(state, state).tolist() == [1.0] * 4
    assert (state - two).tolist() == (-state).tolist() == [-1.0, -1.0]


# --- scans ------------------------------------------------------------------------------------------


@equations
def both_ways(X, *, fwd=simple_rnn, bwd=lstm):
    """Two readers.

    X  (T, D)  the sequence
    """
    H_fwd = scan(fwd, X)  # from the left
    H_bwd = scan_back(bwd, X)  # from the right
    Y = concat(H_fwd, H_bwd)  # side by side
    return Y


def test_a_scan_is_written_by_one_of_its_steps():
    assert plain(both_ways)[:2] == ["h⃗ₜ = fwd(xₜ, h⃗ₜ₋₁)   (t = 1, …, T)", "h⃖ₜ = bwd(xₜ, h⃖ₜ₊₁)   (t = 1, …, T)"]


def test_a_scan_reads_as_the_layer_does_and_records_every_position():
    fwd, bwd, X = GRU(4, 3), LSTM(4, 2), torch.randn(5, 4)
    recorded = trace(both_ways, X, fwd=fwd.part(), bwd=bwd.part())
    left, right = fwd(X[None])[0][0], bwd(X.flip(0)[None])[0][0].flip(0)
    assert_close(recorded.results[0], torch.cat([left, right], -1))
    assert_close(recorded.values["H_bwd/h"], right)
    assert recorded.values["H_bwd/f"].shape == (5, 2), "a gate at each position"  # type: ignore[union-attr]
    assert recorded.values["H_bwd/W_f"].shape == (4, 2), "a weight once"  # type: ignore[union-attr]
    assert_close(torch.stack([torch.as_tensor(step["H_bwd/h"]) for step in recorded.steps["H_bwd"]]), right)
