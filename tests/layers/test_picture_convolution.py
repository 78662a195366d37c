import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from seqloom.equations import max_pool, shifts
from seqloom.layers.picture_convolution import PictureConvolution, RegionPositions
from seqloom.testing import check_layer, randn

SIZES = [(1, 1, 1, 1, 1, 1, 1), (2, 7, 5, 3, 4, 3, 2), (2, 4, 6, 2, 5, 2, 1), (1, 9, 3, 4, 2, 5, 3)]


@pytest.mark.parametrize("B, height, width, D, H, window, pool", SIZES)
def test_the_module_computes_the_equations(B, height, width, D, H, window, pool):
    check_layer(PictureConvolution(D, H, window, pool), randn(B, height, width, D))


@pytest.mark.parametrize("height, width, D, H, window", [(5, 7, 3, 4, 3), (6, 4, 2, 3, 5)])
def test_the_sum_over_offsets_is_the_convolution_of_torch(height, width, D, H, window):
    P, W = randn(height, width, D), randn(window * window, D, H)
    summed = sum(moved @ matrix for moved, matrix in zip(shifts(P, window), W))
    kernel = W.reshape(window, window, D, H).permute(3, 2, 0, 1)
    assert_close(summed.permute(2, 0, 1)[None], F.conv2d(P.permute(2, 0, 1)[None], kernel, padding="same"))


def test_pooling_is_that_of_torch():
    P = randn(7, 9, 2)
    assert_close(max_pool(P, 3), F.max_pool2d(P.permute(2, 0, 1), 3).permute(1, 2, 0))


@pytest.mark.parametrize("B, rows, columns, D", [(1, 1, 1, 1), (2, 3, 5, 4)])
def test_positions_are_added_by_row_and_by_column(B, rows, columns, D):
    layer = RegionPositions(D, rows, columns)
    check_layer(layer, randn(B, rows, columns, D))
    added = layer(torch.zeros(1, rows, columns, D, dtype=torch.float64))[0].reshape(rows, columns, D)
    assert_close(added[rows - 1, 0], layer.R[rows - 1] + layer.C[0])
