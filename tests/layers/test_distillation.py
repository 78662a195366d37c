import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from seqloom.layers.cross_entropy import AT_ONCE
from seqloom.layers.distillation import Distillation, distillation, softened_divergence
from tests.layers.scan import assert_same, randn


@pytest.mark.parametrize("B, T, V, temperature, share", [(1, 1, 1, 1.0, 1.0), (2, 3, 4, 2.0, 0.3), (4, 2, 7, 0.7, 0.9)])
def test_the_loss_of_a_student_is_the_mean_of_the_equations(B, T, V, temperature, share):
    z, s = randn(B, T, V), randn(B, T, V).detach()
    y = torch.randint(V, (B, T))
    tau, alpha = (torch.tensor(one, dtype=torch.float64) for one in (temperature, share))
    words = [distillation(z[b, t], s[b, t], y[b, t], tau, alpha) for b in range(B) for t in range(T)]
    assert_same([Distillation(temperature, share)(z, s, y)], [torch.stack(words).mean()], [z])


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_the_gradient_made_beside_the_loss_is_that_of_torch(temperature):
    z, s = randn(AT_ONCE + 7, 5), randn(AT_ONCE + 7, 5).detach()
    student, teacher = ((one / temperature).log_softmax(-1) for one in (z, s))
    expected = temperature**2 * F.kl_div(student, teacher, reduction="sum", log_target=True)
    assert_same([3 * softened_divergence(z, s, temperature)], [3 * expected], [z])


def test_a_student_that_says_what_its_teacher_says_has_nothing_to_learn_from_it():
    z = randn(3, 6)
    assert_close(softened_divergence(z, z.detach() + 4.0, 2.0), torch.zeros((), dtype=torch.float64))
    assert softened_divergence(z[:0], z[:0], 2.0) == 0


def test_logits_of_half_precision_are_summed_in_full():
    z, s = torch.randn(10, 700).bfloat16().requires_grad_(), torch.randn(10, 700).bfloat16()
    found, expected = softened_divergence(z, s, 2.0), softened_divergence(z.float(), s.float(), 2.0)
    assert found.dtype == torch.float32
    assert_close(found, expected)
    (got,), (wanted,) = (torch.autograd.grad(loss, z) for loss in (found, expected))
    assert got.dtype == torch.bfloat16
    assert_close(got, wanted, rtol=0.01, atol=1e-4)
