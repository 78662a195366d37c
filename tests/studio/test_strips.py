"""Gates and states over time, taken from the definition of whatever cell a model has."""

from typing import Any

import numpy as np
import pytest
import torch

import seqloom
from seqloom.explaining.trained import at_work
from seqloom.studio.strips import UNITS, numbers, strips_data


def test_a_lstm_has_three_gates_and_two_states(models):
    model = seqloom.load(models / "mood")
    found = strips_data(at_work(model, "a fine film"))
    assert [(one["symbol"], one["kind"]) for one in found] == [
        ("i", "gate"), ("f", "gate"), ("g", "value"), ("o", "gate"), ("c", "state"), ("h", "state"),
    ]  # fmt: skip
    assert all(one["tokens"] == ["a", "fine", "film"] and one["shape"] == [8, 3] for one in found)
    for gate in found:
        if gate["kind"] == "gate":
            assert min(gate["data"]) >= 0 and max(gate["data"]) <= 1
    with torch.no_grad():
        read, length = torch.tensor([model.task.tokenizers["text"].encode("a fine film")]), torch.tensor([3])
        network: Any = model.network
        hidden = network.encoder(network.embedding(read), length)[0]
    assert pytest.approx(hidden.numpy(), abs=1e-3) == np.reshape(found[-1]["data"], (8, 3)).T


def test_both_sides_of_a_translator_are_told_apart(digits):
    found = strips_data(at_work(seqloom.load(digits), "4 2"))
    cells = list(dict.fromkeys((one["part"], one["path"]) for one in found))
    assert cells == [("encoder", "H/layers/X^1/H_fwd"), ("encoder", "H/layers/X^1/H_bwd"), ("decoder", "s")]
    assert found[0]["tokens"] == ["4", "2", "<eos>"]
    assert found[-1]["tokens"] == ["four", "two", "<eos>"]


def test_of_wide_states_some_units_are_shown_and_named():
    strip = numbers(torch.randn(3, 200))
    assert strip["shape"] == [UNITS, 3] and strip["of"] == 200
    assert strip["units"][0] == 0 and strip["units"][-1] == 199
