import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from seqloom.layers.cross_entropy import AT_ONCE, CrossEntropy, cross_entropy, total_cross_entropy
from tests.layers.scan import assert_same, randn


@pytest.mark.parametrize("B, T, V", [(1, 1, 1), (2, 3, 4), (4, 2, 7)])
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
def test_cross_entropy_computes_the_mean_of_the_equations(B, T, V, smoothing):
    z, y = randn(B, T, V), torch.randint(V, (B, T))
    words = [cross_entropy(z[b, t], y[b, t], smoothing) for b in range(B) for t in range(T)]
    assert_same([CrossEntropy(smoothing)(z, y)], [torch.stack(words).mean()], [z])


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_cross_entropy_agrees_with_torch(smoothing):
    z, y = randn(2, 3, 5), torch.tensor([[1, 4, 0], [2, 0, 0]])
    expected = F.cross_entropy(z.flatten(0, 1), y.flatten(), label_smoothing=smoothing)
    padded = F.cross_entropy(z.flatten(0, 1), y.flatten(), label_smoothing=smoothing, ignore_index=0)
    assert_close(CrossEntropy(smoothing)(z, y), expected)
    assert_close(CrossEntropy(smoothing, padding=0)(z, y), padded)


def test_a_mask_and_a_padding_word_leave_out_the_same_words():
    z, y = randn(2, 3, 5), torch.tensor([[1, 4, 0], [2, 0, 0]])
    by_mask = CrossEntropy(0.1)(z, y, y != 0)
    assert_same([CrossEntropy(0.1, padding=0)(z, y)], [by_mask], [z])


def test_a_mask_and_a_padding_word_may_come_together():
    z, y = randn(1, 4, 5), torch.tensor([[3, 0, 2, 1]])
    mask = torch.tensor([[True, True, True, False]])
    assert_close(CrossEntropy(padding=0)(z, y, mask), CrossEntropy()(z[:, [0, 2]], y[:, [0, 2]]))


def test_where_no_word_is_real_the_loss_is_zero_and_so_are_its_gradients():
    z, y = randn(2, 3, 5), torch.zeros(2, 3, dtype=torch.long)
    loss = CrossEntropy(0.1, padding=0)(z, y)
    loss.backward()
    assert loss == 0
    assert z.grad is not None and z.grad.eq(0).all()


def test_a_sentence_counts_by_its_words():
    z, y = randn(2, 3, 5), torch.randint(5, (2, 3))
    mask = torch.tensor([[True, True, True], [True, False, False]])
    loss = CrossEntropy()
    each = loss(z[:1], y[:1]), loss(z[1:, :1], y[1:, :1])
    assert_close(loss(z, y, mask), (3 * each[0] + each[1]) / 4)


def test_sentences_may_have_one_label_each():
    z, y = randn(4, 3), torch.tensor([0, 2, 1, 1])
    assert_close(CrossEntropy()(z, y), F.cross_entropy(z, y))


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_gradient_made_beside_the_loss_is_that_of_torch(smoothing, scale):
    z, y = randn(2 * AT_ONCE + 7, 5), torch.randint(5, (2 * AT_ONCE + 7,))
    expected = F.cross_entropy(z, y, reduction="sum", label_smoothing=smoothing)
    assert_same([total_cross_entropy(z, y, smoothing) * scale], [expected * scale], [z])


def test_scores_of_half_precision_are_summed_in_full():
    z, y = torch.randn(9, 700, requires_grad=True), torch.randint(700, (9,))
    low = z.detach().bfloat16().requires_grad_()
    found = total_cross_entropy(low, y, 0.1)
    expected = F.cross_entropy(low.float(), y, reduction="sum", label_smoothing=0.1)
    assert found.dtype == torch.float32
    assert_close(found, expected)
    wanted, got = torch.autograd.grad(expected, low)[0], torch.autograd.grad(found, low)[0]
    assert got.dtype == torch.bfloat16
    assert_close(got, wanted, rtol=0.01, atol=1e-5)


def test_without_gradients_the_loss_is_the_same():
    z, y = randn(6, 4), torch.tensor([0, 1, 2, 3, 3, 0])
    with torch.no_grad():
        assert_close(total_cross_entropy(z, y, 0.3), F.cross_entropy(z, y, reduction="sum", label_smoothing=0.3))
