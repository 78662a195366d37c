"""Sequences of one length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.padding import pad_sequences, truncate


@pytest.mark.parametrize(
    "keep, side, expected",
    [
        ("first", "behind", [[1, 2, 3], [5, 6, 0], [0, 0, 0]]),
        ("last", "behind", [[2, 3, 4], [5, 6, 0], [0, 0, 0]]),
        ("first", "front", [[1, 2, 3], [0, 5, 6], [0, 0, 0]]),
        ("last", "front", [[2, 3, 4], [0, 5, 6], [0, 0, 0]]),
    ],
)
def test_rows_are_cut_and_filled_up(keep, side, expected):
    rows = [[1, 2, 3, 4], [5, 6], []]
    matrix, lengths = pad_sequences(rows, 3, keep=keep, side=side)
    assert matrix.tolist() == expected
    assert lengths.tolist() == [3, 2, 0]
    assert matrix.dtype == lengths.dtype == np.int64


def test_nothing_is_kept_of_length_zero():
    assert truncate([1, 2], 0) == truncate([1, 2], 0, keep="last") == []
    assert pad_sequences([[1, 2], [3]], 0)[0].shape == (2, 0)


def test_frames_are_filled_up_with_frames():
    rows = [np.ones((2, 3), np.float32), np.ones((4, 3), np.float32)]
    matrix, lengths = pad_sequences(rows, filler=-1, dtype=np.float32)
    assert matrix.shape == (2, 4, 3)
    assert matrix[0, :, 0].tolist() == [1, 1, -1, -1]
    assert lengths.tolist() == [2, 4]


def test_no_rows_give_an_empty_matrix():
    matrix, lengths = pad_sequences([])
    assert (matrix.shape, lengths.shape) == ((0, 0), (0,))


@given(
    st.lists(st.lists(st.integers(1, 9), max_size=6), max_size=5),
    st.integers(0, 7),
    st.sampled_from(["front", "behind"]),
)
def test_the_matrix_holds_what_the_lists_hold(rows, length, side):
    matrix, lengths = pad_sequences(rows, length, side=side)
    assert [[number for number in row if number] for row in matrix.tolist()] == [row[:length] for row in rows]
    assert lengths.tolist() == [len(truncate(row, length)) for row in rows]
    assert matrix.shape == ((len(rows), length) if rows else matrix.shape)
    first = 0 if side == "behind" else -1
    assert all(row[first] for row, real in zip(matrix.tolist(), lengths.tolist(), strict=True) if real)
