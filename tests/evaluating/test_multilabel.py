"""Several labels a text, against sets counted one by one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.errors import DataError
from seqloom.evaluating.multilabel import MultilabelMetrics

SETS = st.lists(st.tuples(*[st.sets(st.integers(0, 3))] * 2), min_size=1, max_size=7)


def test_by_hand():
    found = MultilabelMetrics.of(["a", "b", "c"], [{0, 1}, {2}, set(), {0}], [{0}, {2}, set(), [1, 0, 0]])
    assert (found.right.tolist(), found.given.tolist(), found.there.tolist()) == ([2, 0, 1], [2, 1, 1], [2, 1, 1])
    assert found.metrics() == {"f1": 6 / 8, "macro_f1": pytest.approx(2 / 3), "exact": 2 / 4}
    assert found.rows()[1] == ("b", "0.000", "0", "1", "1")
    assert json.loads(json.dumps(found.json()))["labels"]["a"] == {"right": 2, "given": 2, "there": 2}


@given(SETS)
def test_micro_f1_is_that_of_all_pairs_of_text_and_label(sets):
    found = MultilabelMetrics.of("abcd", [true for true, _ in sets], [guess for _, guess in sets])
    there = {(text, label) for text, (true, _) in enumerate(sets) for label in true}
    guessed = {(text, label) for text, (_, guess) in enumerate(sets) for label in guess}
    both = len(there & guessed)
    precision, recall = both / max(len(guessed), 1), both / max(len(there), 1)
    expected = 2 * precision * recall / (precision + recall) if both else 0
    assert found.micro_f1 == pytest.approx(expected)
    assert found.exact_match == sum(true == guess for true, guess in sets) / len(sets)


def test_a_label_that_never_occurs_does_not_weigh_in_the_mean():
    found = MultilabelMetrics.of(["a", "never"], [{0}], [{0, 1}])
    assert found.macro_f1 == 1
    assert found.micro_f1 == pytest.approx(2 / 3)


@pytest.mark.parametrize("true, predicted, says", [([{0}], [], "0 predictions for 1"), ([], [], "no predictions")])
def test_lists_that_do_not_go_together_are_refused(true, predicted, says):
    with pytest.raises(DataError, match=says):
        MultilabelMetrics.of(["a"], true, predicted)
