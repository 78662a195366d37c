"""Attention masks: bool, True where a query may attend."""

import torch
from torch import Tensor

from seqloom.equations import arange, equations, stack
from seqloom.errors import ShapeError


@equations
def padding_mask(n, *, S):
    """Padding mask: no query attends to the padding after a sequence.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    n  ()   the length of the sequence
    S  int  the length of the longest sequence in the batch
    """
    m = arange(S) < n  # True for tokens, False for padding
    return m


@equations
def causal_mask(*, T):
    """Causal mask: no position attends to later ones.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    T  int  the length of the sequence
    """
    M = stack(arange(T) <= t for t in range(T))  # each position attends to itself and those before
    return M


def lengths_to_mask(lengths: Tensor, S: int) -> Tensor:
    """`padding_mask` of a whole batch: lengths (B) -> (B, S), True for tokens.

    >>> lengths_to_mask(torch.tensor([1, 3]), 3).tolist()
    [[True, False, False], [True, True, True]]
    """
    return torch.arange(S, device=lengths.device) < lengths[:, None]


def causal(T: int, device: torch.device | str | None = None) -> Tensor:
    """`causal_mask` at once: (T, T), True for a position itself and those before."""
    places = torch.arange(T, device=device)
    return places[:, None] >= places


def per_query(mask: Tensor | None) -> Tensor | None:
    """A mask for layers without heads: padding (B, S) -> (B, 1, S), and (B, T, S) as it is."""
    if mask is not None and mask.dim() not in (2, 3):
        raise ShapeError(
            f"a mask has shape {tuple(mask.shape)} where (B, S) or (B, T, S) is read",
            remedy="hand in padding as it is, (B, S), a causal mask (T, S) as mask[None]",
        )
    return mask[:, None] if mask is not None and mask.dim() == 2 else mask


def per_head(mask: Tensor | None) -> Tensor | None:
    """The mask of a layer with heads, checked: (B, N, T, S), any of the first three may be 1."""
    if mask is not None and mask.dim() != 4:
        raise ShapeError(
            f"a mask has shape {tuple(mask.shape)} where (B, N, T, S) is read",
            remedy="hand in padding (B, S) as mask[:, None, None], a causal mask (T, S) as mask[None, None]",
        )
    return mask


def none_if_all_true(mask: Tensor) -> Tensor | None:
    """A mask, or None where it lets look everywhere: then nobody needs to compute with it."""
    return None if mask.is_cpu and bool(mask.all()) else mask  # on a GPU, asking would mean waiting


def zero_masked_nans(x: Tensor, mask: Tensor | None) -> Tensor:
    """Zeros for NaN in vectors that no query may attend to: weight 0 times NaN is NaN.

    x     (B, S, D)                  vectors to attend to; padding may hold anything
    mask  (B, T, S) or (B, N, T, S)  bool, True where a query may attend
    ->    (B, S, D)                  finite vectors as they are: a position that is not attended to may still attend
    """
    if mask is None:
        return x
    assert mask.dim() in (3, 4)
    if x.is_cpu and bool(x.detach().sum().isfinite()):  # nearly always, and one look is quicker than to mend them
        return x
    seen = mask.any(tuple(range(1, mask.dim() - 1)))  # (B, S): by some query, in some head
    return torch.where(seen[..., None], x, x.nan_to_num(0.0, 0.0, 0.0))
