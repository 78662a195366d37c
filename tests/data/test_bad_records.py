"""The account of what was left out."""

import pytest

from seqloom.data.bad_records import Policy, Problem, Report
from seqloom.data.record import Place
from seqloom.errors import DataError


def report_of(*entries):
    report = Report()
    for reason, line in entries:
        report.add(reason, Place("a.txt", line))
    return report


def test_a_report_counts_by_reason_and_keeps_the_first_places():
    report = report_of(("empty line", 1), *(("NUL byte", line) for line in range(2, 1203)))
    assert str(report) == "left out 1,202: 1,201 × NUL byte (a.txt:2, a.txt:3, a.txt:4 ...), 1 × empty line (a.txt:1)"
    assert report.total == 1202


def test_an_empty_report_says_so_and_is_false():
    assert str(Report()) == "nothing was left out"
    assert not Report()


def test_merged_reports_count_as_one():
    first, second = report_of(("b", 1), ("a", 2)), report_of(("a", 3), ("a", 4), ("a", 5), ("c", 6))
    first.merge(second)
    together = report_of(("b", 1), ("a", 2), ("a", 3), ("a", 4), ("a", 5), ("c", 6))
    assert (first.counts, first.places) == (together.counts, together.places)
    assert second.counts == {"a": 3, "c": 1}


def test_a_policy_raises_or_counts():
    place, problem = Place("a.tsv", 7), Problem("empty label", remedy="fill it in")
    with pytest.raises(DataError) as caught:
        Policy().bad(place, problem)
    assert str(caught.value) == "a.tsv:7: empty label\n    -> fill it in, or leave such out with data.on_bad=skip"
    policy = Policy("skip")
    policy.bad(place, problem)
    assert policy.report.counts == {"empty label": 1}


def test_policies_do_not_share_their_report():
    Policy().note(Place("a.tsv", 7), "empty line")
    assert not Policy().report
