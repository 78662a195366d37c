import math
from collections import defaultdict

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seqloom.errors import DataError
from seqloom.vectors import cooccurrence
from seqloom.vectors.cooccurrence import PairCounter, SparseMatrix, ppmi, train_cooccurrence, truncated_svd
from seqloom.vectors.corpus_chunks import chunks
from seqloom.vectors.settings import CooccurrenceConfig

SIZE = 6


def dense(pairs, size=SIZE):
    matrix = np.zeros((size, size))
    matrix[pairs.rows, pairs.columns] = pairs.values
    return matrix


def counted_by_hand(sentences, window, by_distance):
    tally: dict[tuple[int, int], float] = defaultdict(float)
    for sentence in sentences:
        for i, word in enumerate(sentence):
            for j, other in enumerate(sentence):
                if 0 < abs(i - j) <= window:
                    tally[word, other] += 1 / abs(i - j) if by_distance else 1
    matrix = np.zeros((SIZE, SIZE))
    for pair, value in tally.items():
        matrix[pair] = value
    return matrix


@given(
    st.lists(st.lists(st.integers(0, SIZE - 1), max_size=9), max_size=9), st.integers(1, 4), st.booleans(),
    st.integers(10, 40),
)  # fmt: skip
def test_pairs_are_those_of_a_window_in_both_directions(sentences, window, by_distance, size):
    counter = PairCounter(SIZE, window, by_distance)
    for part in chunks(sentences, size):
        counter.add(part)
    pairs = counter.pairs()
    np.testing.assert_allclose(dense(pairs), counted_by_hand(sentences, window, by_distance))
    codes = pairs.rows * SIZE + pairs.columns
    assert (np.diff(codes) > 0).all()


def test_counts_of_a_small_text_by_hand():
    counter = PairCounter(3, 2)
    for part in chunks([[0, 1, 2, 0], [1, 2]]):
        counter.add(part)
    assert dense(counter.pairs(), 3).tolist() == [[0, 1.5, 1.5], [1.5, 0, 2], [1.5, 2, 0]]


def test_too_many_pairs_are_refused_before_memory_is():
    counter = PairCounter(1000, 5, most=4000)
    words = np.random.default_rng(0).integers(1000, size=4000).tolist()
    with pytest.raises(DataError, match=r"(?s)over 4,000 different pairs.*raise min_count"):
        counter.add(next(chunks([words])))


@pytest.mark.parametrize("shift, smoothing", [(1.0, 1.0), (1.0, 0.75), (2.5, 0.5)])
def test_surprise_is_positive_mutual_information(shift, smoothing):
    counts = np.random.default_rng(0).integers(0, 4, (SIZE, SIZE)).astype(float)
    counts += counts.T
    rows, columns = counts.nonzero()
    found = dense(ppmi(SparseMatrix(rows, columns, counts[rows, columns]), SIZE, shift, smoothing))
    total = counts.sum()
    smooth = counts.sum(0) ** smoothing / (counts.sum(0) ** smoothing).sum()
    for i in range(SIZE):
        for j in range(SIZE):
            together = counts[i, j] / total
            chance = counts[i].sum() / total * smooth[j]
            expected = max(0.0, math.log(together / chance) - math.log(shift)) if together else 0.0
            assert found[i, j] == pytest.approx(expected)


def low_rank(size, rank):
    """A sparse matrix of which a few directions say nearly everything."""
    random = np.random.default_rng(0)
    matrix = (random.random((size, rank)) @ np.diag(2.0 ** -np.arange(rank)) @ random.random((rank, size))) * 9
    matrix[random.random((size, size)) < 0.2] = 0
    rows, columns = matrix.nonzero()
    return matrix, SparseMatrix(rows, columns, matrix[rows, columns])


@pytest.mark.parametrize("exact", [True, False])
def test_the_largest_singular_values_are_those_of_numpy(monkeypatch, exact):
    monkeypatch.setattr(cooccurrence, "EXACT", 1000 if exact else 0)
    matrix, pairs = low_rank(90, 12)
    u, s = truncated_svd(pairs, 90, 5)
    expected = np.linalg.svd(matrix)
    assert (u.gather(0, u.abs().argmax(0, keepdim=True)) > 0).all()
    rows, values = u.numpy(), s.numpy()
    np.testing.assert_allclose(values, expected.S[:5], rtol=1e-4 if exact else 1e-3)
    np.testing.assert_allclose(np.abs(rows[:, :1]), np.abs(expected.U[:, :1]), atol=1e-4)
    np.testing.assert_allclose((rows * values) @ (rows * values).T, low(expected, 5), atol=2e-2 * expected.S[4] ** 2)
    np.testing.assert_allclose(rows.T @ rows, np.eye(5), atol=1e-4)


def low(svd, width):
    kept = svd.U[:, :width] * svd.S[:width]
    return kept @ kept.T


def test_the_sparse_matrix_is_the_matrix():
    matrix, pairs = low_rank(40, 5)
    np.testing.assert_allclose(cooccurrence.sparse(pairs, 40).to_dense().numpy(), matrix, rtol=1e-6)


NAMES = [f"w{at}" for at in range(20)]


@pytest.fixture(scope="module")
def text():
    """Sentences in two circles of words that never meet: 0-9 and 10-19."""
    random = np.random.default_rng(0)
    return [(random.integers(10, size=8) + 10 * random.integers(2)).tolist() for _ in range(500)]


def test_words_that_stand_together_become_alike(text):
    vectors = train_cooccurrence(text, NAMES, CooccurrenceConfig(width=2, window=3))
    alike = vectors.directions @ vectors.directions.T
    assert alike[:10, :10].min() > 0.9 and alike[10:, 10:].min() > 0.9
    assert alike[:10, 10:].abs().max() < 0.1


def test_power_says_how_much_large_directions_count(text):
    plain, full = (
        train_cooccurrence(text, NAMES, CooccurrenceConfig(width=3, singular_power=power)).matrix for power in (0, 1)
    )
    assert torch.allclose(plain.norm(dim=0), torch.ones(3), atol=1e-5)
    assert (full.norm(dim=0).diff() < 0).all()
    assert torch.allclose(plain * full.norm(dim=0), full, atol=1e-5)


def test_the_seed_decides_everything(text, monkeypatch):
    monkeypatch.setattr(cooccurrence, "EXACT", 0)
    monkeypatch.setattr(cooccurrence, "MORE", 1)
    monkeypatch.setattr(cooccurrence, "ROUNDS", 0)  # far from exact: what is drawn shows
    one, again, other = (
        train_cooccurrence(text, NAMES, CooccurrenceConfig(width=3, seed=seed)).matrix for seed in (1, 1, 2)
    )
    assert torch.equal(one, again)
    assert not torch.allclose(one, other, atol=1e-4)


def test_settings_reach_what_they_set(text):
    base = {"width": 3, "window": 2}
    first = train_cooccurrence(text, NAMES, CooccurrenceConfig(**base)).matrix
    for change in ({"window": 4}, {"by_distance": False}, {"shift": 1.5}, {"smoothing": 0.3}):
        other = train_cooccurrence(text, NAMES, CooccurrenceConfig(**{**base, **change})).matrix
        assert not torch.allclose(first, other, atol=1e-4), change


def test_rare_words_are_left_out_and_vectors_cannot_be_wider_than_there_are_words(text):
    config = CooccurrenceConfig(width=20, min_count=2)
    assert train_cooccurrence([*text, [20]], [*NAMES, "rare"], config).words == tuple(NAMES)
    with pytest.raises(DataError, match=r"(?s)20 words cannot have vectors of 21.*20 or less"):
        train_cooccurrence(text, NAMES, CooccurrenceConfig(width=21))
    with pytest.raises(DataError, match=r"word id \d+, and there are 5 words"):
        train_cooccurrence(text, NAMES[:5])
