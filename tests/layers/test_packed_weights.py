"""Packed weights: the same products, and never those of weights that have changed."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from seqloom.layers import packed_weights as packing
from seqloom.layers.kv_cache import ROOM, KVCache
from seqloom.layers.linear import Linear
from seqloom.layers.multi_head import MultiHead
from seqloom.layers.packed_weights import packed_weights, product


@pytest.fixture(autouse=True)
def everything_is_packed(monkeypatch):
    monkeypatch.setattr(packing, "FEW", 0)


def computed(layer, *inputs):
    with torch.inference_mode(), packed_weights(layer).used(9):
        return layer(*inputs)


def test_a_packed_product_is_the_plain_one():
    x, h = torch.randn(2, 3, 8), torch.randn(2, 5, 8)
    for layer, inputs in ((Linear(8, 7), (x,)), (MultiHead(8, 2), (x, h)), (MultiHead(8, 2), (x, x))):
        found = computed(layer, *inputs)
        assert packed_weights(layer).packed, "as this build of torch can"
        torch.testing.assert_close(found, layer(*inputs))


def test_weights_that_changed_are_packed_again():
    layer, x = Linear(5, 4), torch.randn(3, 5)
    optimizer = torch.optim.AdamW(layer.parameters(), lr=0.5, fused=True)
    for change in (
        lambda: optimizer.step(),
        lambda: layer.load_state_dict({"W": torch.ones(5, 4), "b": torch.zeros(4)}),
        lambda: setattr(layer, "W", nn.Parameter(torch.full((5, 4), 2.0))),
    ):
        before = computed(layer, x)
        assert packed_weights(layer) is packed_weights(layer)
        layer(x).sum().backward()
        change()
        assert not torch.allclose(computed(layer, x), before)
        torch.testing.assert_close(computed(layer, x), layer(x))


def test_what_is_no_weight_of_the_model_is_not_kept():
    layer, x = Linear(5, 4), torch.randn(3, 5)
    with torch.inference_mode(), packed_weights(layer).used(9):
        for number in range(4):
            made = torch.full((6, 5), float(number))
            torch.testing.assert_close(product(x, made), F.linear(x, made))


def test_gradients_are_those_of_the_plain_product():
    layer, x = Linear(5, 4), torch.randn(3, 5)
    with packed_weights(layer).used(9):
        layer(x).sum().backward()
    assert layer.W.grad is not None


def test_a_cache_grows_and_its_rows_are_chosen_in_place():
    new = torch.randn(3, ROOM + 9, 2, 2, 4)
    rows = torch.tensor([2, 0, 2, 1])
    with torch.inference_mode():
        cache = KVCache.after(None, new[:, :2])
        for place in range(2, ROOM + 9):
            if place == 7:
                cache, new = cache.select(rows), new[rows]
            cache = KVCache.after(cache, new[:, place : place + 1])
    torch.testing.assert_close(cache.k, new[:, :, 0].transpose(1, 2))
    torch.testing.assert_close(cache.v, new[:, :, 1].transpose(1, 2))


def test_one_thread_is_enough_for_a_few_rows():
    before, layer = torch.get_num_threads(), Linear(500, 400)
    torch.set_num_threads(2)
    try:
        with packed_weights(layer).used(rows=9):
            assert torch.get_num_threads() == 1
        with packed_weights(layer).used(rows=10_000):
            assert torch.get_num_threads() == 2
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
