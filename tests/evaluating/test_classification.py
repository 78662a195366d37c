"""Accuracy and F1 of labels against values counted by hand."""

import pytest

from seqloom.evaluating.classification import ConfusionMatrix


def test_confusion_accuracy_and_f1_by_hand():
    found = ConfusionMatrix.of(["a", "b", "c"], [0, 0, 1, 1, 1], [0, 1, 1, 1, 0])
    assert found.confusion.tolist() == [[1, 1, 0], [1, 2, 0], [0, 0, 0]]
    assert found.accuracy == 3 / 5
    assert found.f1.tolist() == pytest.approx([2 / 4, 4 / 6, 0])
    assert found.macro_f1 == pytest.approx((2 / 4 + 4 / 6) / 2)
