"""Links from attention, and their format."""

import numpy as np

from seqloom.attention.alignment import links_of_targets, to_pharaoh

WEIGHTS = np.array([[0.6, 0.3, 0.1], [0.55, 0.25, 0.2]], np.float32)


def test_links_by_hand():
    assert links_of_targets(WEIGHTS) == {(0, 0), (0, 1)}
    assert links_of_targets(WEIGHTS, threshold=0.58) == {(0, 0)}


def test_pharaoh_is_source_then_target_in_order_of_numbers():
    assert to_pharaoh({(10, 1), (9, 2), (0, 5)}) == "0-5 9-2 10-1"
