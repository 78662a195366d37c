import pytest
import torch
from torch.testing import assert_close

from seqloom.equations import log_sigmoid
from seqloom.layers.word2vec import CBOW, SkipGram, cbow, skip_gram
from seqloom.vectors.word2vec import cbow_gradients, skip_gram_gradients
from tests.layers.lifted import lifted
from tests.layers.scan import assert_same, randn

SIZES = pytest.mark.parametrize("B, S, K, D", [(1, 1, 1, 1), (2, 3, 4, 5), (4, 2, 6, 3)])


@SIZES
def test_skip_gram_computes_the_equations(B, S, K, D):
    v, u, n = randn(B, D), randn(B, D), randn(B, K, D)
    assert_same([SkipGram()(v, u, n)], [lifted(skip_gram, {})(v, u, n)], [v, u, n])


@SIZES
def test_cbow_computes_the_equations(B, S, K, D):
    c, u, n = randn(B, S, D), randn(B, D), randn(B, K, D)
    assert_same([CBOW()(c, u, n)], [lifted(cbow, {})(c, u, n)], [c, u, n])


def test_cbow_leaves_out_padding():
    c, u, n = randn(3, 4, 5), randn(3, 5), randn(3, 2, 5)
    lengths = [4, 1, 3]
    mask = torch.arange(4) < torch.tensor(lengths)[:, None]
    alone = [cbow(c[row, :length], u[row], n[row]) for row, length in enumerate(lengths)]
    assert_same([CBOW()(c, u, n, mask)], [torch.stack(alone)], [c, u, n])


def test_the_loss_is_the_cross_entropy_of_right_and_wrong():
    v, u, n = randn(5), randn(5), randn(3, 5)
    scores, truth = torch.cat([u[None], n]) @ v, torch.tensor([1.0, 0, 0, 0], dtype=torch.float64)
    expected = torch.nn.functional.binary_cross_entropy_with_logits(scores, truth, reduction="sum")
    assert_close(skip_gram(v, u, n), expected)


def test_words_that_know_nothing_lose_a_bit_for_each_guess():
    zero = torch.zeros(4)
    assert_close(skip_gram(zero, zero, torch.zeros(5, 4)), torch.tensor(2.0).log() * 6)


def test_a_very_sure_word_has_a_finite_loss():
    assert log_sigmoid(torch.tensor([-1000.0, 1000.0])).tolist() == [-1000, 0]


def test_what_is_trained_in_blocks_is_the_definition():
    """The trainer of seqloom/vectors, where each word has its own block and as many negatives as it shares."""
    v, u, n = randn(3, 1, 5), randn(3, 4, 5), randn(3, 6, 5)
    pairs = torch.tensor([[[1.0, 0, 1, 1]], [[0, 1, 0, 0]], [[1, 1, 1, 1]]], dtype=torch.float64)
    each = [skip_gram(v[b, 0], u[b, s], n[b]) for b, _, s in pairs.nonzero().tolist()]
    assert_close(skip_gram_gradients(v, u, n, pairs, 6).loss, torch.stack(each).sum())
    each = [cbow(u[b][pairs[b, 0] > 0], v[b, 0], n[b]) for b in range(3)]
    assert_close(cbow_gradients(u, v, n, pairs, 6).loss, torch.stack(each).sum())
