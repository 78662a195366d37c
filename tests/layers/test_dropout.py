"""Dropout drops at the rate it says, keeps the mean, and draws from the generator it was given."""

import pytest
import torch

from seqloom.layers.dropout import Dropout, draw_from


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.87])
def test_components_are_dropped_at_the_rate_and_the_rest_scaled_up(rate):
    dropout = Dropout(rate)
    draw_from(torch.Generator().manual_seed(2), dropout)
    y = dropout(torch.ones(701, 503))
    assert float((y == 0).float().mean()) == pytest.approx(rate, abs=0.003)
    kept = y[y != 0]
    assert torch.allclose(kept, torch.full_like(kept, 1 / (1 - rate)), rtol=1e-4)


def test_entries_are_dropped_independently():
    dropout = Dropout(0.5)
    draw_from(torch.Generator().manual_seed(4), dropout)
    y = (dropout(torch.ones(60_000)) == 0).float() - 0.5
    for apart in (1, 2, 3, 4, 5):  # four entries share a draw: their bits must not
        assert abs(float((y[:-apart] * y[apart:]).mean())) < 0.005


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5])
def test_any_size_and_type_keeps_its_shape(size):
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        y = Dropout(0.4)(torch.ones(2, size, dtype=dtype))
        assert (y.shape, y.dtype) == ((2, size), dtype)


def test_the_same_generator_gives_the_same_draws_and_evaluation_none():
    x = torch.randn(5, 7)
    outcomes = []
    for _ in range(2):
        dropout = Dropout(0.3)
        draw_from(torch.Generator().manual_seed(9), dropout)
        outcomes.append(dropout(x))
    assert torch.equal(*outcomes)
    assert torch.equal(dropout.eval()(x), x)
