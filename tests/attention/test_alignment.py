"""Links from attention, their format, and their error rate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.attention.alignment import (
    alignment_error_rate,
    links_of_both,
    links_of_sources,
    links_of_targets,
    parse_pharaoh,
    to_pharaoh,
)
from seqloom.errors import DataError

WEIGHTS = np.array([[0.6, 0.3, 0.1], [0.55, 0.25, 0.2]], np.float32)
LINKS = st.frozensets(st.tuples(*[st.integers(0, 12)] * 2), max_size=8)


def test_links_by_hand():
    assert links_of_targets(WEIGHTS) == {(0, 0), (0, 1)}
    assert links_of_sources(WEIGHTS) == {(0, 0), (1, 0), (2, 1)}
    assert links_of_both(WEIGHTS) == {(0, 0)}
    assert links_of_targets(WEIGHTS, threshold=0.58) == {(0, 0)}
    assert links_of_sources(WEIGHTS, threshold=0.25) == {(0, 0), (1, 0)}


@given(LINKS)
def test_pharaoh_there_and_back(links):
    assert parse_pharaoh(to_pharaoh(links)) == links


def test_pharaoh_is_source_then_target_in_order_of_numbers():
    assert to_pharaoh({(10, 1), (9, 2), (0, 5)}) == "0-5 9-2 10-1"
    assert parse_pharaoh(" 0-5\t9-2\n") == {(0, 5), (9, 2)}


@pytest.mark.parametrize("line", ["0", "0-", "0-1-2", "a-1", "1--2", "0–1"])
def test_a_line_that_is_no_alignment_is_refused(line):
    with pytest.raises(DataError, match="link 2"):
        parse_pharaoh("0-0 " + line)


def test_error_rate_by_hand():
    found = [parse_pharaoh("0-0 1-1 2-2"), parse_pharaoh("0-1")]
    sure = [parse_pharaoh("0-0 2-1"), parse_pharaoh("0-1")]
    possible = [parse_pharaoh("1-1"), parse_pharaoh("")]
    assert alignment_error_rate(found, sure, possible) == pytest.approx(1 - (2 + 3) / (4 + 3))
    assert alignment_error_rate(found, sure) == pytest.approx(1 - (2 + 2) / (4 + 3))
    assert alignment_error_rate(sure, sure) == 0
    assert alignment_error_rate([frozenset()], [sure[0]]) == 1
    with pytest.raises(DataError, match="2 sentences against 1"):
        alignment_error_rate(found, sure[:1])
