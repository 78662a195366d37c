"""The counts that the documents print, from the shapes in the docstrings."""

import pytest

from seqloom.errors import ShapeError
from seqloom.explaining.catalogue import find


@pytest.mark.parametrize(
    "name, sizes, total",
    [
        ("logistic-regression", {"T": 20, "D": 8}, 161),
        ("concat-rnn", {"D": 32, "H": 32}, 2080),
        ("simple-rnn", {"D": 32, "H": 32}, 2080),
        ("lstm", {"D": 32, "H": 32}, 8320),
        ("bidirectional", {"D": 32, "H": 32}, 2 * 2080),
        ("stacked", {"D": 5, "H": 3}, 3 * (5 + 3 + 1) + 3 * (3 + 3 + 1)),
        ("multi-head", {"D": 512, "N": 8, "K": 64}, 4 * 512 * 512),
        ("encoder-block", {"D": 8, "N": 2, "K": 4, "F": 32}, 4 * 64 + 2 * 8 * 32 + 32 + 8 + 4 * 8),
        ("dot", {}, 0),
    ],
)
def test_counts_come_out_as_in_the_documents(name, sizes, total):
    assert sum(find(name).count(**sizes).values()) == total


def test_the_weights_of_a_part_count_under_its_name():
    assert find("bidirectional").count(D=3, H=2)["bwd.W_xh"] == 6
    assert find("stacked").count(D=3, H=2)["cells.2.W_xh"] == 4


def test_a_size_that_matters_must_be_given():
    with pytest.raises(ShapeError, match="the count needs more sizes"):
        find("lstm").count(D=32)
