"""The decoder block with a recurrence: the fast block computes its equations, word by word."""

import pytest
import torch
from torch.testing import assert_close

from seqloom.layers.ssru_block import SSRUBlock, ssru_block
from tests.layers.lifted import counted, exact
from tests.layers.scan import assert_same, randn


@pytest.mark.parametrize("T, S, N, K, F", [(1, 1, 1, 2, 1), (3, 4, 2, 3, 5), (5, 2, 3, 2, 7)])
def test_the_block_computes_the_equations(T, S, N, K, F):
    layer = exact(SSRUBlock(N * K, N, F))
    x, h = randn(1, T, N * K), randn(1, S, N * K)
    c, rows = torch.zeros(N * K, dtype=x.dtype), []
    for word in x[0]:
        row, c = ssru_block(word, c, h[0], **layer.symbols())
        rows.append(row)
    assert_same([layer(x, h)], [torch.stack(rows)[None]], [x, h, *layer.parameters()])


def test_steps_hand_on_what_the_block_remembers():
    layer = exact(SSRUBlock(6, 2, 5))
    x, h = randn(1, 2, 6), randn(1, 3, 6)
    cache = layer.start(h)
    _, cache, _ = layer.step(x[:, :1], cache)
    _, c = ssru_block(x[0, 0], torch.zeros(6, dtype=x.dtype), h[0], **layer.symbols())
    assert_close(cache.written.c[0], c)


def test_the_count_of_the_definition_is_that_of_the_block():
    assert ssru_block.layer is SSRUBlock
    made = ssru_block.count(D=6, H=6, N=2, K=3, F=5)
    assert sum(made.values()) == counted(SSRUBlock(6, 2, 5))
