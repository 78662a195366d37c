"""What a map holds, and pieces put together to words."""

import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seqloom.attention.attention_weights import AttentionMap, attention_map
from seqloom.errors import ShapeError
from tests.attention.maps import example, random_weights

WEIGHTS = random_weights(2, 3, 4, 5)
MAP = attention_map("abcde", "wxyz", WEIGHTS, ["low", "high"])


def test_means_and_choices_are_of_the_right_axes():
    assert MAP.mean() == pytest.approx(WEIGHTS.mean((0, 1)))
    assert MAP.of(1, 2) == pytest.approx(WEIGHTS[1, 2])
    assert MAP.of(layer=1) == pytest.approx(WEIGHTS[1].mean(0))
    assert MAP.of(head=0) == pytest.approx(WEIGHTS[:, 0].mean(0))
    assert MAP.only(1, 0).layers == ("high",)
    assert MAP.only(1, 0).mean() == pytest.approx(WEIGHTS[1, 0])
    assert MAP.heads == 3


@pytest.mark.parametrize("shape", [(2, 3), (4, 2, 3), (5, 4, 2, 3)])
def test_fewer_axes_are_one_layer_and_one_head(shape):
    found = attention_map("abc", "xy", torch.from_numpy(random_weights(*shape)))
    assert found.weights.shape == (1,) * (4 - len(shape)) + shape
    assert found.weights.dtype == np.float32
    assert found.layers[0] == "layer 1"


def test_padding_behind_the_words_is_cut_off():
    padded = np.zeros((6, 9), np.float32)
    padded[:4, :5] = WEIGHTS[0, 0]
    assert attention_map("abcde", "wxyz", padded).mean() == pytest.approx(WEIGHTS[0, 0])


@pytest.mark.parametrize(
    "source, target, weights, says",
    [
        ("abc", "xy", np.ones((2, 3)) / 4, "not normalised"),
        ("ab", "x", [[1.5, -0.5]], "not normalised"),
        ("ab", "x", [[np.nan, 1]], "not normalised"),
        ("ab", "x", np.ones((1, 3)) / 3, "not normalised"),  # weight on what would be padding
        ("abc", "xy", np.eye(3)[:, :2], "2 target and 3 source"),
        ("", "x", np.ones((1, 1)), "0 source"),
        ("a", "x", [1.0], "of shape"),
    ],
)
def test_what_is_no_attention_is_refused(source, target, weights, says):
    with pytest.raises(ShapeError, match=says):
        attention_map(source, target, weights)


def test_layers_and_heads_that_are_not_there_are_refused():
    for choice in ((2, None), (None, 3), (-1, None)):
        with pytest.raises(ShapeError, match=r"(?s)no (layer|head) .*choose from 0 to"):
            MAP.of(*choice)
    with pytest.raises(ShapeError, match="1 layers"):
        AttentionMap(("a",), ("x",), random_weights(2, 1, 1, 1), ("only",))


def test_words_by_hand():
    weights = np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [1.0, 0.0, 0.0]])
    found = attention_map(["▁un", "happy", "▁cat"], ["ka", "tze", "."], weights).by_word([4, 4, 7], [0, 0, 1])
    assert (found.source, found.target) == (("unhappy", "cat"), ("katze", "."))
    assert found.mean() == pytest.approx(np.array([[0.45, 0.55], [1.0, 0.0]]))


WORDS = st.lists(st.integers(0, 4), min_size=1, max_size=7)


@given(WORDS, WORDS, st.integers(0, 9))
def test_rows_of_words_still_sum_to_one(source_words, target_words, seed):
    weights = random_weights(2, 3, len(target_words), len(source_words), seed=seed)
    found = attention_map(["s"] * len(source_words), ["t"] * len(target_words), weights)
    words = found.by_word(source_words, target_words)
    assert words.weights.shape == (2, 3, len(set(target_words)), len(set(source_words)))
    assert words.weights.sum(-1) == pytest.approx(1, abs=1e-5)
    total = weights.sum(2)  # what each source piece gets of all rows, each target word weighed by its pieces
    size = [target_words.count(word) for word in dict.fromkeys(target_words)]
    by_source = np.einsum("lnts,t->lns", words.weights, size)
    for place, word in enumerate(dict.fromkeys(source_words)):
        pieces = [at for at, other in enumerate(source_words) if other == word]
        assert by_source[..., place] == pytest.approx(total[..., pieces].sum(-1), abs=1e-4)


def test_every_piece_its_own_word_changes_nothing():
    same = MAP.by_word(range(5), range(4))
    assert same.weights == pytest.approx(MAP.weights)
    assert (same.source, same.target, same.layers) == (MAP.source, MAP.target, MAP.layers)


def test_texts_of_words_can_be_given_and_are_counted():
    pieces = example(["<0xE6>", "<0x88>", "x"], ["a", "b"])
    assert pieces.by_word([0, 0, 1], [0, 1], source_texts=["我", "x"]).source == ("我", "x")
    with pytest.raises(ShapeError, match="1 texts for 2 words"):
        pieces.by_word([0, 0, 1], [0, 1], source_texts=["我"])
    with pytest.raises(ShapeError, match="2 word indices for 3 pieces"):
        pieces.by_word([0, 0], [0, 1])


def test_json_holds_all_of_it():
    data = json.loads(json.dumps(MAP.json()))
    assert (data["source"], data["target"], data["layers"]) == (list("abcde"), list("wxyz"), ["low", "high"])
    assert np.array(data["weights"]) == pytest.approx(WEIGHTS, abs=1e-6)
