import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from seqloom.layers.cross_entropy import AT_ONCE
from seqloom.layers.r_drop import RDrop, divergence, r_drop
from tests.layers.scan import assert_same, randn


@pytest.mark.parametrize("B, T, V", [(1, 1, 1), (2, 3, 4), (4, 2, 7)])
def test_disagreement_computes_the_mean_of_the_equations(B, T, V):
    z, s = randn(B, T, V), randn(B, T, V)
    words = [r_drop(z[b, t], s[b, t]) for b in range(B) for t in range(T)]
    assert_same([RDrop()(z, s)], [torch.stack(words).mean()], [z, s])


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_gradient_made_beside_the_divergence_is_that_of_torch(scale):
    rows = 2 * AT_ONCE + 7
    z, s = randn(rows, 5), randn(rows, 5)
    p, q = z.log_softmax(-1), s.log_softmax(-1)
    there, back = (F.kl_div(a, b, reduction="sum", log_target=True) for a, b in ((p, q), (q, p)))
    assert_same([divergence(torch.cat([z, s])) * scale], [(there + back) / 2 * scale], [z, s])


def test_who_comes_first_is_all_the_same_and_agreement_costs_nothing():
    z, s = randn(3, 6), randn(3, 6)
    assert_close(RDrop()(z, s), RDrop()(s, z))
    assert RDrop()(z, s) > 0
    shifted = z.detach() + 4.0  # the same shares
    assert_close(RDrop()(z, shifted), torch.zeros((), dtype=torch.float64))


def test_scores_of_half_precision_are_summed_in_full():
    z = torch.randn(10, 700).bfloat16().requires_grad_()
    found, expected = divergence(z), divergence(z.float())
    assert found.dtype == torch.float32
    assert_close(found, expected)
    (got,), (wanted,) = (torch.autograd.grad(loss, z) for loss in (found, expected))
    assert got.dtype == torch.bfloat16
    assert_close(got, wanted, rtol=0.01, atol=1e-5)


def test_no_rows_have_nothing_to_disagree_about():
    z = randn(0, 4)
    assert divergence(z) == 0
    assert RDrop()(z, z) == 0
