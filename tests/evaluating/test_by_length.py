"""Quality by length: who is in which bucket, and what is drawn."""

from xml.etree import ElementTree

import pytest
from rich.cells import cell_len
from rich.console import Console

from seqloom.errors import DataError, OutputError
from seqloom.evaluating.bootstrap import mean_metric
from seqloom.evaluating.by_length import bars, by_length, usual_starts
from seqloom.evaluating.plots import plot_by_length as plot

LENGTHS = [0, 3, 5, 6, 10, 11, 40]
VALUES = [1.0, 0.0, 1.0, 0.0, 1.0, 0.25, 0.5]
BUCKETS = by_length(mean_metric(VALUES), LENGTHS, [1, 6, 11, 20])


def test_buckets_by_hand():
    assert [(b.label, b.count, b.interval.value) for b in BUCKETS] == [
        ("1–5", 3, pytest.approx(2 / 3)),
        ("6–10", 2, 0.5),
        ("11–19", 1, 0.25),
        ("20+", 1, 0.5),
    ]
    assert BUCKETS[1].interval == (0.5, 0, 1)
    assert BUCKETS[2].interval == (0.25, 0.25, 0.25)
    assert BUCKETS[3].json() == {
        "low": 20,
        "high": None,
        "count": 1,
        "interval": {"value": 0.5, "low": 0.5, "high": 0.5},
    }


def test_a_bucket_without_sentences_is_left_out():
    assert [b.label for b in by_length(mean_metric([1, 1]), [1, 9], [1, 2, 3, 9])] == ["1", "9+"]


@pytest.mark.parametrize(
    "lengths, starts",
    [
        ([1], [1]),
        (range(1, 9), list(range(1, 8))),
        ([3, 80], [1, 11, 21, 31, 41, 51, 61, 71]),
        ([9] * 99 + [3], [1, 9]),
    ],
)
def test_usual_buckets_are_few_and_even(lengths, starts):
    assert usual_starts(list(lengths)) == starts


def test_usual_buckets_of_very_long_texts_are_still_few():
    assert len(usual_starts([90_000])) <= 8


def test_bad_buckets_and_lengths_are_refused():
    with pytest.raises(DataError, match="cannot start"):
        by_length(mean_metric([1]), [1], [5, 5])
    with pytest.raises(DataError, match="2 lengths for 1"):
        by_length(mean_metric([1]), [1, 2])


def test_bars_fit_a_terminal_and_are_as_long_as_their_metrics():
    console = Console(width=80, color_system=None)
    with console.capture() as captured:
        console.print(bars({"fixed 固定": BUCKETS, "attention": BUCKETS}))
    lines = captured.get().splitlines()
    assert len(lines) == 1 + 2 * len(BUCKETS)
    assert all(cell_len(line) <= 80 for line in lines)
    lengths = [line.count("█") for line in lines[1::2]]
    assert lengths[0] > lengths[1] == lengths[3] > lengths[2]
    assert lines[3].split()[:2] == ["6–10", "2"] and "0.5 (0 to 1)" in lines[3]


def test_plots_name_models_and_buckets(tmp_path):
    curves = {"fixed $5": BUCKETS, "attention": BUCKETS[1:]}
    assert plot(curves, tmp_path / "new" / "a.png").read_bytes().startswith(b"\x89PNG")
    file = plot(curves, tmp_path / "a.svg", measure="chrF")
    drawn = "".join(map(str, ElementTree.parse(file).getroot().itertext())) + file.read_text()
    assert all(f"<!-- {text} -->" in drawn for text in ("fixed $5", "attention", "11–19", "20+", "chrF"))
    first = file.read_bytes()
    assert plot(curves, file, measure="chrF").read_bytes() == first, "the same metrics, the same file"


def test_other_kinds_of_files_are_refused(tmp_path):
    with pytest.raises(OutputError, match=r"(?s)'.jpg'.*\.png or \.svg"):
        plot({"a": BUCKETS}, tmp_path / "a.jpg")
