"""Attention as the studio draws it: exact where it is small, bounded and pooled where it is not."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seqloom.attention.weave_data import CELLS, pooled, sharpness, weave_data
from tests.attention.maps import example


def test_a_small_map_has_every_head_and_every_mean():
    one = example(list("abcde"), list("xyz"), layers=2, heads=3)
    data = weave_data(one)
    assert len(data["matrices"]) == 1 + 2 + 6
    for key, found in data["matrices"].items():
        layer, head = (None if part == "mean" else int(part) for part in key.split("."))
        assert found["shape"] == [3, 5]
        assert np.abs(np.reshape(found["data"], (3, 5)) - one.of(layer, head)).max() <= 1e-4
    assert np.allclose(data["sharpness"], sharpness(one), atol=1e-4)
    assert sharpness(one)[1, 2] == one.weights[1, 2].max(-1).mean()


def test_of_a_large_map_a_head_is_sent_when_it_is_asked_for():
    words = [str(number) for number in range(200)]
    one = example(words, words[:120], layers=2, heads=3)
    assert list(weave_data(one)["matrices"]) == ["mean.mean"]
    data = weave_data(one, 1, 2)
    assert list(data["matrices"]) == ["mean.mean", "1.2"]
    assert data["matrices"]["1.2"]["shape"] == [120, 200]
    assert all(small["shape"] == [24, 23] for heads in data["small"] for small in heads)


def test_a_file_has_all_heads_within_its_bound():
    words = [str(number) for number in range(300)]
    data = weave_data(example(words, words, layers=3, heads=2), numbers=50_000)
    assert len(data["matrices"]) == 1 + 3 + 6
    assert sum(len(found["data"]) for found in data["matrices"].values()) <= 50_000


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 12), st.integers(1, 12))
def test_pooling_keeps_the_largest_weight_of_every_block(T, S, rows, columns):
    weights = np.random.default_rng(T * 41 + S).random((T, S), np.float32)
    found = pooled(weights, rows, columns)
    tall, wide = -(-T // rows), -(-S // columns)
    assert found.shape[0] <= rows and found.shape[1] <= columns
    for row in range(found.shape[0]):
        for column in range(found.shape[1]):
            block = weights[row * tall : (row + 1) * tall, column * wide : (column + 1) * wide]
            assert found[row, column] == block.max()


def test_one_matrix_is_never_larger_than_its_bound():
    words = [str(number) for number in range(700)]
    data = weave_data(example(words, words))
    assert len(data["matrices"]["mean.mean"]["data"]) <= CELLS
