"""What a report says, made from numbers that are chosen here."""

from dataclasses import replace

import pytest

from seqloom.attention.attention_weights import attention_map
from seqloom.comparing.charts import charts
from seqloom.comparing.report_text import headline, report_text
from seqloom.comparing.results import Curve, Findings, ModelResult
from seqloom.evaluating.bootstrap import ConfidenceInterval, SystemComparison
from seqloom.evaluating.by_length import LengthBucket

NONE = Curve([], [], [])
WEIGHTS = attention_map(["a", "b"], ["c"], [[[[0.5, 0.5]]]])


def around(value: float) -> ConfidenceInterval:
    return ConfidenceInterval(value, value, value)


def model(
    label: str, value: float, *, p: float = 0.001, gain: float = 0.0, attends: bool = False, fall: float = 0.0
) -> ModelResult:
    """A model of which only these are known; `p` and `gain` beside the one before it."""
    against = SystemComparison(value - gain, value, around(gain), p, p)
    return ModelResult(
        label=label, name=label, settings={}, folders=[], parameters=7, steps=3, seconds=None, measure="bleu",
        quality=around(value), by_seed=[value], metrics={}, loss=NONE, validation=NONE, validated_by="bleu",
        by_length=[LengthBucket(low, low, 20, around(value - fall * low)) for low in (1, 2)], tokens_per_second=None,
        answers_per_second=1.0, latency=1.0, memory=1, costs=[], forgetting=None, recurrent_layers=0, answer="",
        attention=WEIGHTS if attends else None, adds=[], against=against,
    )  # fmt: skip


def line(*models: ModelResult, task: str = "translate") -> Findings:
    return Findings(task, "pairs.tsv", "test", 40, "bleu", False, "steps", "3 steps", "", models)


def test_models_that_learned_nothing_are_not_ranked():
    found = line(model("one", 0.0, p=1), model("two", 0.0, p=1), model("three", 0.0, p=1))
    assert headline(found) == "No model is ahead: BLEU 0.000 for all"
    assert len(report_text(found)) == 1
    assert "all have the same BLEU, 0.000" in report_text(found)[0]
    assert [chart.name for chart in charts(found)][:2] == ["quality", "quality-by-length"]


def test_the_headline_claims_no_more_than_the_test_of_the_two_best_shows():
    assert headline(line(model("one", 10), model("two", 30, gain=20))) == "two is ahead: BLEU 30.0"
    chance = line(model("worst", 2), model("one", 29, gain=27), model("two", 30, gain=1, p=0.4))
    assert headline(chance) == "No model is clearly ahead: two has the best BLEU, 30.0"
    assert "The difference between one and two may be chance." in report_text(chance)[0]
    first, between, last = model("one", 30), model("two", 10, gain=-20), model("three", 29, gain=19)
    assert headline(line(first, between, last)) == "one is ahead: BLEU 30.0"
    wide = replace(last, quality=ConfidenceInterval(29, 25, 33))
    assert headline(line(first, between, wide)) == "No model is clearly ahead: one has the best BLEU, 30.0"


def test_the_largest_step_is_one_that_chance_does_not_make():
    found = line(model("one", 10), model("two", 30, gain=20, p=0.4), model("three", 34, gain=4))
    assert "The largest step is from two to three: +4.000 (p < 0.002)." in report_text(found)[1]
    assert "The difference between one and two may be chance." in report_text(found)[0]


@pytest.mark.parametrize(
    "task, said, unsaid",
    [
        ("translate", "one hands on what it has read as vectors of a fixed size", "chooses between"),
        ("tag", "in one nothing chooses between positions", "fixed size"),
    ],
)
def test_attention_is_explained_though_a_later_step_is_larger(task, said, unsaid):
    found = line(model("one", 10), model("two", 14, gain=4, attends=True), model("three", 34, gain=20), task=task)
    text = "\n".join(report_text(found))
    assert "Attention comes in with two: +4.000 (p < 0.002)." in text
    assert said in text
    assert unsaid not in text
    largest = line(model("one", 10), model("two", 34, gain=24, attends=True), task=task)
    assert "Attention comes in" not in "\n".join(report_text(largest))
    assert said in report_text(largest)[1]


def test_names_of_metrics_keep_their_capitals_and_lengths_their_unit():
    found = line(model("one", 10, fall=2), model("two", 34, gain=24), task="caption")
    panel = next(chart.panel for chart in charts(found) if chart.name == "quality-by-length")
    assert panel.title == "BLEU by the length of the caption"
    assert "words in the caption" in repr(panel)
    assert (
        "From the shortest captions (1 word) to the longest (2), one goes from 8.000 to 6.000" in report_text(found)[2]
    )


def test_what_falls_with_length_stands_beside_the_best_model():
    found = line(model("one", 10, fall=2), model("best", 34, gain=24), model("rising", 20, gain=-14, fall=-3))
    assert "one goes from 8.000 to 6.000 and best goes from 34.0 to 34.0" in "\n".join(report_text(found))
