"""Spans as conlleval reads them: its rules written out, and examples by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.errors import DataError
from seqloom.evaluating.tagging import SpanCounts, TaggingMetrics, TagSpan, marks_spans, spans

TAGS = st.lists(st.sampled_from(["O", *(f"{mark}-{kind}" for mark in "BIES" for kind in ("X", "Y"))]), max_size=8)


def by_rules(tags: list[str]) -> list[TagSpan]:
    """The tables of ends and starts of conlleval.pl, written out."""
    found, start = [], 0
    before, kind_before = "O", ""
    for place, tag in enumerate([*tags, "O"]):
        mark, kind = tag[0], tag[2:]
        other = kind != kind_before
        ends = before + mark in ("BB", "BS", "BO", "IB", "IS", "IO") or before in "ES" or (before != "O" and other)
        starts = mark in "BS" or before + mark in ("EE", "EI", "SE", "SI", "OE", "OI") or (mark != "O" and other)
        if ends and before != "O":
            found.append(TagSpan(kind_before, start, place))
        if starts:
            start = place
        before, kind_before = mark, kind
    return found


@given(TAGS)
def test_spans_are_those_of_conlleval(tags):
    assert spans(tags) == by_rules(tags)


@pytest.mark.parametrize(
    "tags, expected",
    [
        ("B-A I-A O B-A", [("A", 0, 2), ("A", 3, 4)]),
        ("B-A B-A", [("A", 0, 1), ("A", 1, 2)]),
        ("I-A I-B O I-A", [("A", 0, 1), ("B", 1, 2), ("A", 3, 4)]),  # I- begins where nothing goes on
        ("B-A I-B", [("A", 0, 1), ("B", 1, 2)]),
        ("B-A E-A S-A I-A", [("A", 0, 2), ("A", 2, 3), ("A", 3, 4)]),
        ("B-a-b I-a-b", [("a-b", 0, 2)]),
        ("B I O S", [("", 0, 2), ("", 3, 4)]),
        ("O O", []),
        ("", []),
    ],
)
def test_spans_by_hand(tags, expected):
    assert spans(tags.split()) == expected


def test_f1_by_hand():
    true = [["B-PER", "I-PER", "O", "B-LOC"], ["B-LOC", "I-LOC", "O"]]
    predicted = [["B-PER", "I-PER", "O", "B-PER"], ["I-LOC", "I-LOC", "B-LOC"]]
    found = TaggingMetrics.of(true, predicted)
    assert found.by_kind == {"LOC": SpanCounts(1, 2, 2), "PER": SpanCounts(1, 2, 1)}
    assert found.all_spans == SpanCounts(2, 4, 3)
    assert found.metrics() == pytest.approx({"accuracy": 4 / 7, "precision": 2 / 4, "recall": 2 / 3, "f1": 4 / 7})
    assert found.rows()[-1] == ("all", "0.500", "0.667", "0.571", "3")
    assert found.json()["spans"]["PER"] == {"right": 1, "given": 2, "there": 1}


@pytest.mark.parametrize(
    "tags, marked",
    [
        ("O B-PER I-PER", True),
        ("I-NP O", True),
        ("S-X B-X E-X", True),
        ("B I O", True),
        ("I O", False),
        ("NOUN VERB", False),
        ("O N", False),
        ("B-PER NOUN", False),
        ("B-", False),
    ],
)
def test_tags_that_mark_spans_are_recognised(tags, marked):
    assert marks_spans(tags.split()) is marked


def test_tags_of_single_words_have_accuracy_alone():
    found = TaggingMetrics.of([["NOUN", "VERB"], ["X"]], [["NOUN", "NOUN"], ["X"]])
    assert (found.metrics(), found.rows()) == ({"accuracy": 2 / 3}, [])


def test_a_sentence_with_too_few_tags_is_named():
    with pytest.raises(DataError, match="sentence 2: 1 tags for 2 words"):
        TaggingMetrics.of([["O"], ["O", "O"]], [["O"], ["O"]])
