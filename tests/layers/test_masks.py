import pytest
import torch
from torch.testing import assert_close

from seqloom.errors import ShapeError
from seqloom.layers.masks import (
    causal,
    causal_mask,
    lengths_to_mask,
    padding_mask,
    per_head,
    per_query,
    zero_masked_nans,
)
from tests.layers.scan import randn


@pytest.mark.parametrize("S", [1, 3, 5])
def test_lengths_become_the_padding_masks_of_the_equations(S):
    lengths = torch.arange(S + 1)
    assert torch.equal(lengths_to_mask(lengths, S), torch.vmap(lambda n: padding_mask(n, S=S))(lengths))


@pytest.mark.parametrize("T", [1, 2, 5])
def test_causal_is_the_mask_of_the_equations(T):
    assert torch.equal(causal(T), causal_mask(T=T))


def test_a_mask_with_too_few_or_too_many_axes_is_refused_with_what_to_do():
    with pytest.raises(ShapeError, match=r"shape \(3, 3\) where \(B, N, T, S\) is read\n.*mask\[None, None\]"):
        per_head(causal(3))
    with pytest.raises(ShapeError, match=r"shape \(1, 1, 3, 3\) where .* \(B, T, S\) is read\n.*mask\[None\]"):
        per_query(causal(3)[None, None])


def test_quiet_changes_only_what_is_no_number_where_nobody_looks():
    x = randn(2, 3, 4).detach()
    x[:, 1, 2], x[0, 2, 0], x[1, 2, 0] = torch.nan, torch.inf, 5.0
    mask = torch.tensor([[True, True, False], [True, False, False]])[:, None]
    y = zero_masked_nans(x, mask)
    assert y[0, 1, 2].isnan()  # real, and wrong: to be seen
    assert [y[1, 1, 2].item(), y[0, 2, 0].item(), y[1, 2, 0].item()] == [0, 0, 5]
    same = torch.ones(2, 3, 4, dtype=torch.bool)
    same[:, 1, 2], same[0, 2, 0] = False, False
    assert_close(y[same], x[same])


def test_quiet_keeps_a_row_that_a_single_query_of_a_single_head_sees():
    x = torch.full((1, 2, 3), torch.nan)
    mask = torch.zeros(1, 4, 5, 2, dtype=torch.bool)
    mask[0, 2, 3, 1] = True
    assert zero_masked_nans(x, mask).isnan().tolist() == [[[False] * 3, [True] * 3]]
