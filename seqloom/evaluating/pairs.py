"""What every measure asks first: one prediction for each truth, and at least one."""

from __future__ import annotations

from collections.abc import Sized

from seqloom.errors import DataError


def check_pairs(predicted: Sized, true: Sized, what: str = "predictions") -> None:
    """Refuse lists that do not go together."""
    if len(predicted) != len(true):
        raise DataError(
            f"{len(predicted)} {what} for {len(true)} right answers", remedy="give one for each, in the same order"
        )
    if not len(true):
        raise DataError(f"no {what} to measure", remedy="give one at least")


def f1_of(right: int, given: int, there: int) -> float:
    """2 right / (given + there); 0 where there is nothing of either."""
    return 2 * right / max(given + there, 1)
