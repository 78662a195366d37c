"""A definition alone is a layer: held to the definition, looped in float64, and to the fast modules."""

import importlib
import pkgutil
from copy import deepcopy
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from seqloom import layers
from seqloom.decoding.stepper import select_rows
from seqloom.equations import (
    Equations,
    Part,
    append,
    concat,
    dim,
    equations,
    exp,
    flatten,
    interleave,
    mean,
    norm,
    past_mask,
    relu,
    sigmoid,
    softmax,
    sqrt,
    stack,
    tanh,
    where,
)
from seqloom.errors import GrammarError, ShapeError
from seqloom.layers import batched_steps
from seqloom.layers.bidirectional import Bidirectional
from seqloom.layers.derived import DerivedCell, cell_for, cell_from
from seqloom.layers.derived_block import block_from
from seqloom.layers.encoder_block import EncoderBlock, encoder_block, encoder_block_pre_norm
from seqloom.layers.feed_forward import feed_forward
from seqloom.layers.gru import gru
from seqloom.layers.lstm import LSTM, lstm
from seqloom.layers.norms import layer_norm
from seqloom.layers.recurrent import Cell
from seqloom.layers.scores import additive
from seqloom.layers.self_attentive_rnn import self_attentive_rnn
from seqloom.layers.stacked import Stacked
from seqloom.testing import assert_same, check_cell, exact, lifted, randn

D, H = 3, 5


@equations
def min_gru(x, h, *, W_z, b_z, W_h, b_h):
    """Minimal gated recurrent unit.

    x    (D)     the input
    h    (H)     the hidden state
    W_*  (D, H)  from the input to a gate
    b_*  (H)     the bias of a gate
    """
    z = sigmoid(x @ W_z + b_z)  # the update gate
    h_tilde = x @ W_h + b_h  # the candidate
    h = (1 - z) * h + z * h_tilde  # the new state
    return h


@equations
def two_memories(x, h, M, *, normed=layer_norm, W, U, v, K, b, gamma, a):
    """A cell with a vector and a matrix for its state, and most of the grammar.

    x      (D)      the input
    h      (H)      the hidden state
    M      (F, H)   the memory
    W      (D, H)   from the input
    U      (H, H)   from the state
    v      (H)      what the memory is asked for
    K      (F, D)   what its places are found by
    b      (H)      the bias
    gamma  (H)      a scale
    a      ()       a number
    """
    u = normed(x)
    q = tanh(u @ W + h @ U + b) * gamma
    A = M @ q + K @ x - sqrt(dim(h)) * (v @ q)
    s = softmax(A + M @ v)
    r = sum(s_i * m_i for s_i, m_i in zip(s, M))
    R = stack(relu(m_i) + r for m_i in M)
    M = M * (1 - a) + R / (1 + exp(-x @ W)) + M[0]
    y = concat(q @ M.T, r, x)
    h = s @ M + (h @ U) @ U.T
    return y, h, M


@equations
def no_recurrence(x, h, *, W, b):
    """A state that forgets everything, and an output that only the input changes.

    x  (D)     the input
    h  (H)     the state
    W  (D, H)  from the input
    b  (H)     the bias
    """
    y = relu(x @ W)
    z = h + y
    h = b * b
    return z, h


@equations
def rare_functions(x, h, *, W, E, b, a):
    """What no rule is made for is lifted by `torch.vmap`, one operation at a time.

    x  (D)      the input
    h  (H)      the state
    W  (D, H)   from the input
    E  (2, H)   two vectors
    b  (H)      the bias
    a  ()       a number
    """
    u = interleave(h, tanh(x @ W))
    v = where(h > x @ W, norm(h) * b, mean(h) - 1)
    m = flatten(append(E, where(v > 0, norm(v), a)))
    P = where(past_mask(append(E, h)), 1, a)
    c = concat(b, h) @ concat(v, h) + (E @ h) @ (E @ b)
    h = tanh(h * c + E[1] + norm(flatten(P))) ** 2 / (1 + norm(u) + norm(m))
    return h


@equations
def of_parts(x, h, *, cell=gru, blocks=(feed_forward, feed_forward), W):
    """A cell of parts, one of them recurrent, and a loop over others.

    x  (D)     the input
    h  (H)     the state
    W  (D, H)  from the input
    """
    h = cell(x, h)
    y = h + x @ W
    for block in blocks:
        y = block(y)
    return y, h


@equations
def of_one_part(x, h, *, cell=gru, W):
    """The same without a loop: every operation is lifted by itself.

    x  (D)     the input
    h  (H)     the state
    W  (D, H)  from the input
    """
    h = cell(x, h)
    y = h + x @ W
    return y, h


def recurrent_definitions() -> list[Equations[..., Any]]:
    """Every definition in seqloom.layers that could be a cell, found."""
    found: dict[str, Equations[..., Any]] = {}
    for module in pkgutil.iter_modules(layers.__path__):
        names = vars(importlib.import_module(f"seqloom.layers.{module.name}"))
        found |= {value.name: value for value in names.values() if isinstance(value, Equations)}
    one_input = (each for each in found.values() if len(each.body.inputs) == len(each.body.states) + 1)
    vectors = [each for each in one_input if (entry := each.legend[each.body.inputs[0].name]) and len(entry.shape) == 1]
    shown = [
        each for each in vectors if all((e := each.legend[name]) and e.kind == "real" for name in each.body.states)
    ]
    return [each for each in shown if each.body.states and each is not self_attentive_rnn]  # whose state grows


OWN: list[Equations[..., Any]] = [min_gru, two_memories, no_recurrence, rare_functions, of_parts, of_one_part]
EVERY = [*recurrent_definitions(), *OWN]
every_definition = pytest.mark.parametrize("definition", EVERY, ids=lambda each: each.name)
FAST = [each for each in EVERY if each.layer and issubclass(each.layer, Cell)]


@torch.no_grad()
def copy(source: Any, target: Any) -> None:
    """The same weights, symbol by symbol."""
    for name, value in source.items():
        if isinstance(value, Part):
            copy(value.weights, target[name].weights)
        elif isinstance(value, torch.Tensor):
            target[name].copy_(value)


def test_the_cells_of_the_package_are_found():
    names = {each.name for each in FAST}
    assert {"gru", "gru_reset_after", "lstm", "simple_rnn", "concat_rnn", "linear_rnn", "ssru"} <= names


@every_definition
@pytest.mark.parametrize("T", [1, 6])
def test_cell_computes_its_definition(definition, T):
    check_cell(cell_from(definition, D, H), B=3, T=T)


@pytest.mark.parametrize("definition", FAST, ids=lambda each: each.name)
def test_fast_module_computes_the_same_with_the_same_weights(definition):
    fast = exact(cell_for(definition, D, H))
    assert type(fast) is definition.layer
    slow = cell_from(definition, D, H).double()
    copy(fast.symbols(), slow.symbols())
    x, lengths = randn(3, 7, D), torch.tensor([7, 0, 4])
    for given in (None, lengths):
        (y, end), (expected, expected_end) = slow(x, lengths=given), fast(x, lengths=given)
        assert_same([y, *end], [expected, *expected_end], [x])


@every_definition
def test_what_is_computed_before_the_loop_changes_nothing(definition):
    """A run over all steps equals runs over one step each, where there is nothing to hoist or to merge."""
    cell = exact(cell_from(definition, D, H))
    x = randn(2, 7, D)
    y, end = cell(x)
    state: Any = None
    steps = []
    for t in range(7):
        step, state = cell(x[:, t : t + 1], state)
        steps.append(step)
    assert_same([y, *end], [torch.cat(steps, 1), *state], [x, *cell.parameters()])


@every_definition
def test_without_shortcuts_every_call_is_lifted_by_vmap(definition, monkeypatch):
    monkeypatch.setattr(batched_steps, "ELEMENTWISE", set())
    monkeypatch.setattr(batched_steps, "ALONG_LAST_AXIS", set())
    check_cell(cell_from(definition, D, H), B=3, T=6)


def test_only_what_depends_on_the_state_runs_in_the_loop():
    def names(calls: Any) -> list[str]:
        return [each.function.__name__ for each in calls]

    by_name = {each.name: cell_from(each, D, H).steps for each in EVERY if each.name in ("min_gru", "lstm")}
    assert names(by_name["min_gru"].steps) == ["mul", "add"]
    assert names(by_name["lstm"].steps).count("times") == 4
    assert len(by_name["lstm"].steps) == 4 + 4 + 5
    for name, gates in (("min_gru", 2), ("lstm", 4)):  # the bias is added within the product
        assert names(by_name[name].before).count("times") == gates
        assert "add" not in names(by_name[name].before)


def test_at_padding_state_stays_to_the_bit_whatever_stands_there():
    cell = cell_from(gru, D, H)
    x = torch.randn(2, 6, D)
    x[1, 2:] = float("nan")
    y, end = cell(x, lengths=torch.tensor([6, 2]))
    assert torch.equal(end.h[1], y[1, 1])
    assert torch.equal(y[1, 2:], torch.zeros(4, H))
    y.sum().backward()
    assert all(weight.grad is not None and weight.grad.isfinite().all() for weight in cell.parameters())


def test_numbers_of_16_bits_are_taken():
    cell = cell_from(lstm, D, H)
    x = torch.randn(2, 6, D)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y, _ = cell(x, lengths=torch.tensor([6, 3]))
    assert_close(y.float(), cell(x, lengths=torch.tensor([6, 3]))[0], atol=0.02, rtol=0.02)
    y.sum().backward()


def test_a_copy_has_weights_of_its_own():
    cell = cell_from(min_gru, D, H)
    twin = deepcopy(cell)
    x = torch.randn(2, 6, D)
    assert twin.definition is min_gru
    assert_close(cell(x)[0], twin(x)[0])
    torch.nn.init.ones_(twin.symbols()["W_z"])  # type: ignore[arg-type]
    assert not torch.equal(cell(x)[0], twin(x)[0])
    cell.load_state_dict(twin.state_dict())
    assert_close(cell(x)[0], twin(x)[0])


def test_a_definition_trains():
    torch.manual_seed(0)
    cell = cell_from(min_gru, 1, 8)
    head = torch.nn.Linear(8, 1)
    optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], 0.03)
    x = torch.randn(32, 9, 1)
    losses = []
    for _ in range(60):
        loss = (head(cell(x)[1].h) - x.mean(1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 10


def test_weights_have_their_names_their_shapes_and_are_initialised_by_kind():
    cell = cell_from(two_memories, D, H, {"F": 4})
    symbols: Any = cell.symbols()
    assert {name: tuple(value.shape) for name, value in symbols.items() if name != "normed"} == {
        "W": (D, H), "U": (H, H), "v": (H,), "K": (4, D), "b": (H,), "gamma": (H,), "a": (),
    }  # fmt: skip
    assert_close(symbols["U"] @ symbols["U"].T, torch.eye(H))
    assert not symbols["b"].any() and symbols["v"].all() and symbols["W"].any()
    assert (symbols["gamma"] == 1).all() and (symbols["normed"].weights["gamma"] == 1).all()
    assert set(dict(cell.weights.named_parameters())) >= {"W", "U", "normed.gamma"}
    assert cell.output_size == 4 + H + D


def test_state_is_a_named_tuple_that_decoding_can_pick_from():
    cell = cell_from(lstm, D, H)
    _, state = cell(torch.randn(3, 2, D))
    assert type(state)._fields == ("h", "c")
    assert type(state) is type(cell_from(lstm, D, 2).start(torch.zeros(1, 1, D)))
    picked = select_rows(state, torch.tensor([2, 2]))
    assert_close(picked.c, state.c[[2, 2]])
    assert cell(torch.randn(2, 1, D), picked)[0].shape == (2, 1, H)


def test_stacks_and_pairs_hold_derived_cells():
    layer = Stacked([Bidirectional.of(lambda: cell_from(min_gru, D, 4)), cell_from(lstm, 8, H)])
    y, _ = layer(torch.randn(2, 6, D), lengths=torch.tensor([6, 3]))
    assert y.shape == (2, 6, H)
    assert not y[1, 3:].any()


def test_fast_module_takes_the_place_where_there_is_one():
    assert isinstance(cell_for(lstm, D, H), LSTM)
    assert isinstance(cell_for(min_gru, D, H), DerivedCell)


# --- what cannot be a cell ----------------------------------------------------------------------


@equations
def no_shape(x, h, *, W):
    """A weight whose shape nobody states.

    x  (D)  the input
    h  (H)  the state
    """
    h = tanh(x @ W + h)
    return h


@equations
def misfit(x, h, *, W):
    """A weight whose shape does not fit.

    x  (D)     the input
    h  (H)     the state
    W  (H, H)  not from the input
    """
    h = tanh(x @ W + h)
    return h


@equations
def no_hidden_size(x, h, *, b):
    """A state as wide as the input.

    x  (D)  the input
    h  (D)  the state
    b  (D)  the bias
    """
    h = tanh(x + h + b)
    return h


@equations
def grows(x, H, *, W):
    """A state that grows.

    x  (D)         the input
    H  (steps, H)  all states
    W  (D, H)      from the input
    """
    h = x @ W
    H = append(H, h)
    return h, H


@pytest.mark.parametrize(
    "definition, sizes, message",
    [
        (feed_forward, {}, "feed_forward has no state, so it cannot be a cell"),
        (additive, {}, "additive has no state"),
        (no_shape, {}, r"the docstring of no_shape does not state the shape of W\n    -> add a line like `W  \(D, H\)"),
        (misfit, {}, r"test_derived.py:\d+: `h = tanh\(x @ W \+ h\)` cannot be computed"),
        (
            no_hidden_size,
            {},
            r"no shape in the docstring of no_hidden_size has an H, the hidden size of 5",
        ),
        (grows, {}, r"the size steps is not known\n    -> give it: sizes=\{'steps': ...\}"),
        (
            grows,
            {"steps": 2},
            r"the state H of grows is taken as \(2, 5\) and returned as \(3, 5\)\n    -> let it keep",
        ),
    ],
)
def test_what_cannot_be_a_cell_says_why(definition, sizes, message):
    with pytest.raises((GrammarError, ShapeError), match=message):
        cell_from(definition, D, H, sizes)


def test_state_of_another_width_is_an_error():
    with pytest.raises(ShapeError, match=r"min_gru takes \(2, 5\)"):
        cell_from(min_gru, D, H)(torch.zeros(2, 3, D), (torch.zeros(2, 4),))


# --- blocks -------------------------------------------------------------------------------------


@equations
def mixer(X, *, W, b, gamma):
    """Every position gets the mean of all: no mask, so padding would be seen.

    X      (T, D)  the vectors
    W      (D, D)  of the mean
    b      (D)     the bias
    gamma  (D)     a scale
    """
    c = sum(x_j for x_j in X) / len(X)
    Y = X * gamma + tanh(c @ W + b)
    return Y


@pytest.mark.parametrize("definition", [encoder_block, encoder_block_pre_norm, mixer], ids=lambda each: each.name)
def test_block_computes_its_definition_and_never_sees_padding(definition):
    block = exact(block_from(definition, 6, {"N": 2, "F": 7}))
    x, lengths = randn(4, 5, 6), torch.tensor([3, 5, 0, 3])
    mask = torch.arange(5) < lengths[:, None]
    junk = x.masked_fill(~mask[..., None], 100.0)
    y = block(junk, mask)
    rows = []
    for row, length in enumerate(lengths.tolist()):
        seen = x[row : row + 1, :length]
        square = [torch.ones(1, length, length, dtype=torch.bool)] if len(definition.body.inputs) == 2 else []
        alone = lifted(definition, block.symbols())(seen, *square) if length else seen
        rows.append(torch.cat([alone, alone.new_zeros(1, 5 - length, 6)], 1))
    assert_same([y], [torch.cat(rows)], [x, *block.parameters()])
    assert_close(block(x[1:2]), block(x[1:2], mask[1:2]))


def test_block_computes_what_the_fast_module_does():
    fast = exact(EncoderBlock(6, 2, 7))
    block = block_from(encoder_block, 6, {"N": 2, "F": 7}).double()
    copy(fast.symbols(), block.symbols())
    x, causal = randn(2, 4, 6), torch.ones(4, 4, dtype=torch.bool).tril().expand(2, 4, 4)
    assert_same([block(x, causal)], [fast(x, causal[:, None])], [x])


def test_what_cannot_be_a_block_says_why():
    with pytest.raises(GrammarError, match=r"min_gru takes x \(D\), h \(H\); a block takes X \(T, D\)"):
        block_from(min_gru, 6)
    with pytest.raises(ShapeError, match=r"the size N is not known\n    -> give it: sizes=\{'N': ...\}"):
        block_from(encoder_block, 6)
