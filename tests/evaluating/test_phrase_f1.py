import pytest

from seqloom.evaluating.phrase_f1 import PhraseMatches, joined, most_phrases, phrase_f1_metric, phrases_in
from seqloom.evaluating.translation import TranslationMetrics


def test_phrases_stand_between_semicolons_whatever_their_spaces_and_order():
    assert phrases_in(joined(["earth science", "Land", "SURFACE  water"])) == {"earth science", "Land", "SURFACE water"}
    assert phrases_in("a;b ;; a;") == {"a", "b"}
    assert phrases_in("") == set()


@pytest.mark.parametrize(
    "said, right, counts",
    [
        ("a; b; c", ["b; a"], (2, 3, 2)),
        ("a a; b", ["a; b; c d"], (1, 2, 3)),
        ("", ["a"], (0, 0, 1)),
        ("a; b", ["c", "a; b; c", "b"], (2, 2, 3)),
    ],
)
def test_an_answer_is_held_against_the_nearest_reference(said, right, counts):
    assert most_phrases(said, right) == PhraseMatches(*counts)


def test_f1_counts_all_phrases_together():
    measured = TranslationMetrics.of(["a; b; c", "x", ""], ["b; a", "x; y; z; w", "q"])
    assert measured.phrase_f1 == measured.score("phrase_f1") == pytest.approx(2 * 3 / (4 + 7))
    assert phrase_f1_metric(measured.phrases).value == measured.phrase_f1


def test_capitals_count_unless_the_model_writes_none():
    assert TranslationMetrics.of(["earth"], ["EARTH"]).phrase_f1 == 0
    assert TranslationMetrics.of(["earth"], ["EARTH"], cased=False).phrase_f1 == 1
