"""Predicted numbers against numpy's own formulas and values computed by hand (and once by scipy)."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seqloom.errors import DataError
from seqloom.evaluating.regression import RegressionMetrics, ranks

FEW = st.lists(st.tuples(*[st.integers(-9, 9).map(float)] * 2), min_size=3, max_size=12)


def test_by_hand():
    found = RegressionMetrics.of([1, 2, 3, 6], [1, 4, 3, 4])
    assert found.metrics() == pytest.approx(
        {
            "mae": 1.0,
            "rmse": math.sqrt(2),
            "r2": 1 - 8 / 14,
            "pearson": 0.6546536707079773,  # scipy.stats.pearsonr, 1.17
            "spearman": 0.632455532033676,  # scipy.stats.spearmanr
        }
    )
    assert found.json()["count"] == 4


@given(FEW)
def test_correlations_are_those_of_numpy(pairs):
    x, y = np.array(pairs).T
    assume(np.ptp(x) and np.ptp(y))
    found = RegressionMetrics.of(x.tolist(), y.tolist())
    assert found.pearson == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)
    by_counting = [[(row < v).sum() + ((row == v).sum() + 1) / 2 for v in row] for row in (x, y)]
    assert ranks(x).tolist() == by_counting[0]
    assert found.spearman == pytest.approx(np.corrcoef(by_counting)[0, 1], abs=1e-9)


def test_what_is_not_defined_is_left_out():
    constant = RegressionMetrics.of([2, 2, 2], [1, 2, 3])
    assert math.isnan(constant.r2) and math.isnan(constant.pearson)
    assert constant.metrics() == {"mae": pytest.approx(2 / 3), "rmse": pytest.approx(math.sqrt(2 / 3))}
    assert set(RegressionMetrics.of([1, 2, 3], [0.1, 0.1, 0.1]).metrics()) == {"mae", "rmse", "r2"}


def test_numbers_that_are_none_are_refused():
    with pytest.raises(DataError, match="prediction 2 is nan"):
        RegressionMetrics.of([1, 2], [1, math.nan])
