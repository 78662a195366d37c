from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.evaluating.classification import f1_score
from seqloom.evaluating.rouge import rouge, words_of
from seqloom.evaluating.translation import TranslationMetrics

LETTERS = st.lists(st.sampled_from("abc"), max_size=7)


@pytest.mark.parametrize(
    "said, right, scores",
    [
        ("Neural machine translation with attention", "Attention for neural machine-translation", (0.8, 0.5, 0.6)),
        ("A survey of the the the", "the survey: of a thing, the end", (10 / 13, 2 / 11, 6 / 13)),
        ("Learning to parse 2 languages at once!", "learning to parse many languages", (2 / 3, 0.4, 2 / 3)),
        ("one", "two words", (0, 0, 0)),
        ("", "a title", (0, 0, 0)),
    ],
)
def test_scores_are_those_of_the_package_rouge_score(said, right, scores):
    assert rouge(said, [right]) == pytest.approx(scores)  # from rouge-score 0.1.2, without stemming


@given(LETTERS, LETTERS)
def test_rouge_l_is_f1_of_the_longest_common_subsequence(said, right):
    def subsequences(words):
        return {chosen for size in range(len(words) + 1) for chosen in combinations(words, size)}

    longest = max(map(len, subsequences(said) & subsequences(right)))
    assert rouge(" ".join(said), [" ".join(right)]).rouge_l == f1_score(longest, len(said), len(right))


def test_every_sign_of_chinese_is_a_word():
    assert words_of("两只 big_Dogs, 2.") == ["两", "只", "big", "dogs", "2"]
    assert rouge("两只狗", ["两条狗"]).rouge_1 == pytest.approx(2 / 3)


def test_each_score_is_of_the_nearest_reference_and_the_mean_of_all_answers():
    measured = TranslationMetrics.of(["A B c", "x"], [["q", "c a b", "a b"], "y"])
    assert measured.rouge[0] == pytest.approx((1, 2 / 3, 0.8))
    assert measured.score("rouge_l") == measured.mean_rouge.rouge_l == pytest.approx(0.4)
