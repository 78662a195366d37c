"""Rows of nested states."""

from typing import NamedTuple

import torch
from torch import Tensor

from seqloom.decoding.stepper import select_rows


class Pair(NamedTuple):
    h: Tensor
    c: Tensor


def test_rows_are_taken_from_every_tensor_and_the_shape_of_the_state_stays():
    h, c, k = torch.randn(3, 2), torch.randn(3, 4), torch.randn(3, 5, 2, 7)
    found = select_rows((6, [Pair(h, c), (k, None)]), torch.tensor([2, 0, 2, 2]))
    assert found[0] == 6
    assert isinstance(found, tuple) and isinstance(found[1], list) and isinstance(found[1][0], Pair)
    for before, after in ((h, found[1][0].h), (c, found[1][0].c), (k, found[1][1][0])):
        assert torch.equal(after, torch.stack([before[2], before[0], before[2], before[2]]))
    assert found[1][1][1] is None


def test_no_rows_leave_no_rows():
    assert select_rows(torch.randn(3, 2), torch.tensor([], dtype=torch.long)).shape == (0, 2)
