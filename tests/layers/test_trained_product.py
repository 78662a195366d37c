"""Products by oneDNN: the numbers of `F.linear`, forward and backward, for weights that lie in memory in any way."""

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from seqloom.layers import trained_product as module
from seqloom.layers.packed_weights import product
from seqloom.layers.trained_product import pays, trained_product

WEIGHTS = {
    "dense": lambda: torch.randn(7, 5),
    "transposed": lambda: torch.randn(5, 7).T,
    "columns of a wider one": lambda: torch.randn(7, 11)[:, 3:8],
    "transposed columns": lambda: torch.randn(5, 20)[:, 6:13].T,
}


@pytest.fixture
def every_size(monkeypatch):
    monkeypatch.setattr(module, "MANY", 0)


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("shape", [(3, 5), (2, 3, 5), (1, 5), (4, 2, 3, 5)])
@pytest.mark.parametrize("biased", [True, False])
def test_it_is_the_product_of_torch_with_its_gradients(every_size, weight, shape, biased):
    x, W = torch.randn(shape, requires_grad=True), WEIGHTS[weight]().requires_grad_()
    b = torch.randn(7, requires_grad=True) if biased else None
    assert pays(x, W)
    fast, slow = trained_product(x, W, b), F.linear(x, W, b)
    assert_close(fast, slow)
    outer, leaves = torch.randn_like(slow), [x, W, *([] if b is None else [b])]
    assert_close(torch.autograd.grad(fast, leaves, outer), torch.autograd.grad(slow, leaves, outer))


def test_a_gradient_has_a_gradient(every_size):
    x, W = torch.randn(4, 5, requires_grad=True), torch.randn(3, 5, requires_grad=True)
    found = []
    for multiply in (trained_product, F.linear):
        (first,) = torch.autograd.grad(multiply(x, W).pow(3).sum(), x, create_graph=True)
        found.append(torch.autograd.grad(first.square().sum(), [x, W]))
    assert_close(*found, rtol=1e-4, atol=1e-3)


def test_a_gradient_that_nobody_asks_for_is_not_made(every_size):
    x, W = torch.randn(4, 5), torch.randn(3, 5, requires_grad=True)
    trained_product(x, W).sum().backward()
    assert x.grad is None and W.grad is not None


def test_it_gives_the_same_bits_again():
    x, W = torch.randn(300, 130, requires_grad=True), torch.randn(170, 130, requires_grad=True)
    assert pays(x, W)
    runs = [torch.autograd.grad(trained_product(x, W).square().sum(), [x, W]) for _ in range(2)]
    assert all(torch.equal(*pair) for pair in zip(*runs, strict=True))


def test_other_types_and_small_products_are_left_to_torch():
    x, W = torch.randn(300, 130), torch.randn(170, 130)
    assert not pays(x.double(), W.double()) and not pays(x[:2], W)
    with torch.autocast("cpu", torch.bfloat16):
        assert not pays(x, W)
        assert product(x, W.requires_grad_()).dtype == torch.bfloat16
