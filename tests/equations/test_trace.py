"""The recorded run is the plain run, to the last bit."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from seqloom.equations import State, nodes
from seqloom.equations.trace import trace
from seqloom.errors import ShapeError
from seqloom.explaining.example_inputs import ExampleInputs
from seqloom.layers.lstm import lstm
from seqloom.layers.multi_head import scaled_dot_product
from tests.equations.every import every_definition, explained


@every_definition
def test_recorded_run_is_bit_equal_to_the_plain_one(definition):
    example = explained(definition.label)
    weights = example.traces[0].weights
    inputs = ExampleInputs(definition, example.words)
    values = {**inputs.at(0), **inputs.start()}
    arguments = [values[symbol.name] for symbol in definition.body.inputs]
    plain = definition(*arguments, **weights)
    plain = plain if isinstance(plain, tuple) else (plain,)
    recorded = trace(definition, *arguments, **weights)
    for one, other in zip(numbers(plain), numbers(recorded.results), strict=True):
        assert torch.equal(torch.as_tensor(one), torch.as_tensor(other))


def numbers(value: Any) -> Iterator[Any]:
    """The tensors and numbers in results, states taken apart."""
    if isinstance(value, State | tuple | list):
        for part in value:
            yield from numbers(part)
    else:
        yield value


@every_definition
def test_every_symbol_and_every_operation_is_recorded(definition):
    values = explained(definition.label).traces[0].values
    body = definition.body
    expected = {symbol.id for symbol in (*body.inputs, *body.weights) if symbol.role not in ("part", "parts")}
    for targets, value, _ in body.statements():
        expected |= {target.id for target in targets}
        silent = nodes.Number | nodes.Each | nodes.Spread | nodes.Repeat
        expected |= {node.id for node in value.walk() if not isinstance(node, silent)}
    expected -= {
        name for name in body.states if definition.legend[name].kind == "state"
    }  # states of layers: each has its own
    expected -= {f"{name}.before" for name in body.states if definition.legend[name].kind == "state"}
    expected -= {id for id in expected if id.endswith(".call")}  # several results: each has its own id
    assert expected <= set(values)


def test_recorded_values_are_those_of_the_formula():
    D, H = 3, 2
    x, h, c = torch.randn(D), torch.randn(H), torch.randn(H)
    weights = {
        f"{letter}_{gate}": torch.randn(shape)
        for gate in "ifgo"
        for letter, shape in (("W", (D, H)), ("U", (H, H)), ("b", (H,)))
    }
    values = trace(lstm, x, h, c, **weights).values
    f = torch.sigmoid(x @ weights["W_f"] + h @ weights["U_f"] + weights["b_f"])
    torch.testing.assert_close(values["f"], f)
    torch.testing.assert_close(values["c.before"], c)
    assert not torch.equal(torch.as_tensor(values["c"]), c)


def test_a_family_records_one_value_for_each_member():
    values = explained("multi-head").traces[0].values
    heads, words = 2, 3
    weights = torch.as_tensor(values["head.8/A"])
    assert weights.shape == (heads, words, words)
    torch.testing.assert_close(weights.sum(-1), torch.ones(heads, words))


def test_a_wrong_shape_is_named():
    weights = explained("lstm").traces[0].weights
    with pytest.raises(ShapeError, match=r"lstm: c has shape \(5,\), its definition says \(H\) with H = 3"):
        trace(lstm, torch.zeros(4), torch.zeros(3), torch.zeros(5), **weights)


def test_a_missing_weight_is_named():
    with pytest.raises(ShapeError, match="lstm needs its weight W_i"):
        trace(lstm, torch.zeros(4), torch.zeros(3), torch.zeros(3))


def test_a_missing_input_is_named():
    with pytest.raises(ShapeError, match=r"takes 4 inputs \(Q, K, V, mask\), 1 are given"):
        trace(scaled_dot_product, torch.zeros(2, 3))
