"""Segments and the token after each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.segments import random_segments, segments
from seqloom.errors import DataError


@given(st.integers(2, 30), st.integers(1, 8), st.integers(1, 5))
def test_every_segment_is_followed_by_its_token(count, length, stride):
    tokens = np.arange(100, 100 + count)
    expected = [
        (list(tokens[start : start + length]), tokens[start + length]) for start in range(0, count - length, stride)
    ]
    if not expected:
        with pytest.raises(DataError, match=f"{count} tokens are too few for a segment of {length}"):
            segments(tokens, length, stride)
        return
    windows, following = segments(tokens, length, stride)
    assert [(list(window), token) for window, token in zip(windows, following)] == expected


def test_segments_of_the_document_sixty_and_stride_three():
    windows, following = segments(np.arange(600_893), length=60, stride=3)  # 001: a text of so many characters
    assert windows.shape == (200_278, 60)
    assert following.shape == (200_278,)


def test_nothing_is_copied(tmp_path):
    np.arange(1000, dtype=np.uint16).tofile(tmp_path / "tokens.bin")
    tokens = np.memmap(tmp_path / "tokens.bin", dtype=np.uint16, mode="r")
    windows, following = segments(tokens, 64, 2)
    assert np.shares_memory(windows, tokens)
    assert np.shares_memory(following, tokens)


def test_random_segments_come_from_everywhere_and_from_the_seed():
    tokens = np.arange(10)
    windows, following = random_segments(tokens, 3, 400, np.random.default_rng(5))
    assert windows.shape == (400, 3)
    assert (windows[:, 1:] - windows[:, :-1] == 1).all()
    assert (following == windows[:, -1] + 1).all()
    assert set(windows[:, 0]) == set(range(7))
    again, _ = random_segments(tokens, 3, 400, np.random.default_rng(5))
    other, _ = random_segments(tokens, 3, 400, np.random.default_rng(6))
    assert (windows == again).all()
    assert (windows != other).any()


@pytest.mark.parametrize("length, stride, what", [(0, 1, "a segment of 0 tokens"), (2, 0, "a stride of 0")])
def test_sizes_that_make_no_sense_are_errors(length, stride, what):
    with pytest.raises(DataError, match=what):
        segments(np.arange(9), length, stride)
