"""Records from Python's own values."""

import numpy as np
import pytest

from seqloom.data.bad_records import Policy
from seqloom.data.record import Place, Record
from seqloom.data.sources.items import read_items
from seqloom.errors import DataError


@pytest.mark.parametrize(
    "item, columns",
    [
        ("words", {"text": "words"}),
        (("pos", "words"), {"1": "pos", "2": "words"}),
        ((["the", "cat"], ["DET", "NOUN"]), {"1": ["the", "cat"], "2": ["DET", "NOUN"]}),
        ({"text": "words", "stars": np.int64(3)}, {"text": "words", "stars": 3}),
        (["the", "cat"], {"tokens": ["the", "cat"]}),
    ],
)
def test_items_become_columns_and_the_index_is_the_place(item, columns):
    assert list(read_items([item, item])) == [Record(columns, Place("<python>", line)) for line in (0, 1)]


def test_an_array_is_frames_and_a_record_stays_what_it_is():
    record = Record({"text": "a"}, Place("a.txt", 7))
    first, second = read_items([np.ones((2, 3), dtype=int), record])
    frames = first.columns["frames"]
    assert isinstance(frames, np.ndarray) and frames.dtype == np.float32
    assert second is record


@pytest.mark.parametrize(
    "item, what",
    [
        (("pos",), "wrong number of columns: 1 where the first tuple has 2"),
        (("pos", "\ud800"), "invalid UTF-8: column '2': half a surrogate pair, character 1 of the text"),
        (("pos", object()), "nested value: column '2': a object"),
        (set("ab"), "nested value: column 'text': a set"),
    ],
)
def test_a_bad_item_is_an_error_with_its_index_or_a_counted_skip(item, what):
    items = [("neg", "bad"), item, ("pos", "good")]
    with pytest.raises(DataError) as caught:
        list(read_items(items))
    assert (caught.value.where, caught.value.what) == ("<python>:1", what)
    policy = Policy("skip")
    assert [record.place.line for record in read_items(items, policy)] == [0, 2]
    assert policy.report.total == 1
