"""What is read off rows or words: every definition against formulas written out by hand."""

from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from seqloom.equations.plain import plain
from seqloom.explaining.catalogue import definitions
from seqloom.layers.heads import mlp
from seqloom.models.answering import Reads, Says, answer_with, projected_frame

Array = NDArray[np.float64]
EVERY = list(product(get_args(Reads), get_args(Says), [False, True]))
T, D, F, V, COLUMNS = 4, 3, 5, 6, 2
MEAN, DEVIATION = 40.0, 7.0


def sigmoid(z: Array) -> Array:
    return 1 / (1 + np.exp(-z))


def softmax(z: Array) -> Array:
    shares: Array = np.exp(z) / np.exp(z).sum()
    return shares


def by_hand(reads: Reads, says: Says, w: dict[str, Array], beside: bool) -> Array:
    rows = w["rows"]
    if reads in ("words", "mlp"):
        found = rows.reshape(-1)
        if reads == "mlp":
            found = np.maximum(found @ w["W_1"] + w["b_1"], 0)
        z = found @ w["W"] + w["b"] + (w["f"] @ w["W_f"] + w["b_f"] if beside else 0)
    else:
        worth = np.exp(rows @ w["q"])
        pooled = {"row": rows[-1], "mean": rows.mean(0), "attention": worth @ rows / worth.sum()}[reads]
        z = np.append(pooled, w["f"] if beside else []) @ w["W"] + w["b"]
    match says:
        case "label":
            return softmax(z)
        case "pair":
            return softmax(np.array([0, z[0]]))
        case "labels":
            return sigmoid(z)
    return MEAN + DEVIATION * z


@pytest.mark.parametrize("reads, says, beside", EVERY)
def test_an_answer_is_what_is_computed_by_hand(reads, says, beside):
    draw = np.random.default_rng(5)
    scores = 1 if says in ("pair", "number") else V
    width = {"words": T * D, "mlp": F}.get(reads, D + COLUMNS * beside)
    shapes = {
        "rows": (T, D), "q": (D,), "f": (COLUMNS,), "W_1": (T * D, F), "b_1": (F,), "W": (width, scores),
        "b": (scores,), "W_f": (COLUMNS, scores), "b_f": (scores,),
    }  # fmt: skip
    w = {name: draw.normal(size=shape) for name, shape in shapes.items()}
    letters: dict[str, Any] = {name: torch.from_numpy(value) for name, value in w.items()}
    rows, definition = letters["rows"], answer_with(reads, says, beside=beside)
    inputs: list[Any] = [rows[-1] if reads == "row" else rows, *([letters["f"]] if beside else [])]
    inputs += [torch.tensor(MEAN), torch.tensor(DEVIATION)] if says == "number" else []
    weights: dict[str, Any] = {"output": {"W_hy": letters["W"], "b_y": letters["b"]}}
    if reads == "attention":
        weights["pool"] = {"q": letters["q"]}
    if reads in ("words", "mlp"):
        taken = {"words": ["W", "b"], "mlp": ["W_1", "b_1"]}[reads] + ["W_f", "b_f"] * beside
        weights = {name: letters[name] for name in taken}
        weights |= {"W_2": letters["W"], "b_2": letters["b"]} if reads == "mlp" else {}
    np.testing.assert_allclose(definition(*inputs, **weights), by_hand(reads, says, w, beside), rtol=1e-9)
    assert all(caption for _, _, caption in definition.body.statements())
    assert definition.legend.title and definition.legend.paper
    entries = (symbol for symbol in (*definition.body.inputs, *definition.body.weights) if symbol.role != "group")
    assert all(definition.legend[symbol.name] for symbol in entries)


def test_every_answer_has_a_name_of_its_own():
    assert len({answer_with(reads, says, beside=beside).name for reads, says, beside in EVERY}) == len(EVERY)
    assert answer_with("mean", "labels") is answer_with("mean", "labels")


def test_an_mlp_for_one_label_reads_as_that_of_the_layers():
    assert plain(answer_with("mlp")) == plain(mlp)


def test_some_of_them_are_listed():
    listed = {"answer", "answer-of-mean", "answer-by-attention", "answers", "number", "projected-frame"}
    assert listed <= definitions().keys()


def test_a_frame_becomes_a_row_as_a_linear_layer_makes_it():
    layer = torch.nn.Linear(3, 5)
    f = torch.randn(3)
    torch.testing.assert_close(projected_frame(f, W=layer.weight.T, b=layer.bias), layer(f))
