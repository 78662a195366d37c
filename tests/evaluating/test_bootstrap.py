"""Intervals and comparisons: against sacrebleu, against loops, and against all swaps there are."""

from itertools import product

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from seqloom.errors import DataError
from seqloom.evaluating import bootstrap
from seqloom.evaluating.bootstrap import bleu_from_counts, compare, interval, mean_metric
from seqloom.evaluating.translation import TranslationMetrics
from tests.evaluating.texts import sentences, with_mistakes

RIGHT = sentences(60)
ONE, OTHER = with_mistakes(RIGHT, 0.3, seed=1), with_mistakes(RIGHT, 0.35, seed=2)
REFERENCES = [[text] for text in RIGHT]

TEXT = st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
def test_bleu_of_counts_is_bleu_of_texts(pairs):
    said, right = map(list, zip(*pairs))
    found = bleu_from_counts(said, [[text] for text in right])
    assert found.value == pytest.approx(sacrebleu.corpus_bleu(said, [right]).score, abs=1e-9)


def test_bleu_of_counts_with_several_references_and_in_chinese():
    said, right = ["the cat sat on it"], ["a cat sat on it", "the cat is on it now"]
    expected = sacrebleu.corpus_bleu(said, [[text] for text in right]).score
    assert bleu_from_counts(said, [right]).value == pytest.approx(expected)
    chinese = TranslationMetrics.of(["我爱机器学习。"], ["我爱学习机器。"], language="zh")
    found = bleu_from_counts(chinese.hypotheses, chinese.references, "zh")
    assert found.value == pytest.approx(chinese.bleu.score)


def test_a_mean_is_that_of_all_sentences():
    assert mean_metric([1, 0, 0, 1, 1]).value == pytest.approx(3 / 5)


def test_every_draw_has_as_many_sentences_as_there_are(monkeypatch):
    monkeypatch.setattr(bootstrap, "AT_ONCE", 100)
    drawn = list(bootstrap.draws(mean_metric([0.0] * 7), 30, seed=3))
    assert [len(part) for part in drawn] == [14, 14, 2]
    assert (np.concatenate(drawn).sum(1) == 7).all()
    assert np.concatenate(drawn).mean(0) == pytest.approx(np.ones(7), abs=0.6)


def test_the_interval_of_a_mean_is_the_normal_one():
    values = np.random.default_rng(0).normal(5, 2, 400)
    found = interval(mean_metric(values.tolist()), 4000)
    off = 1.96 * values.std() / np.sqrt(400)
    assert found == pytest.approx((values.mean(), values.mean() - off, values.mean() + off), abs=0.03)
    assert found == interval(mean_metric(values.tolist()), 4000), "the same seed, the same interval"
    assert found != interval(mean_metric(values.tolist()), 4000, seed=1)
    narrow = interval(mean_metric(values.tolist()), 4000, confidence=0.5)
    assert found.low < narrow.low < narrow.high < found.high


def test_the_interval_of_bleu_is_that_of_texts_drawn_one_by_one():
    found = interval(bleu_from_counts(ONE, REFERENCES), 300)
    generator = np.random.default_rng(7)
    scores = []
    for _ in range(300):
        rows = generator.integers(0, len(ONE), len(ONE))
        scores.append(sacrebleu.corpus_bleu([ONE[r] for r in rows], [[RIGHT[r] for r in rows]]).score)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(scores, [0.025, 0.975])), abs=1.5)


def test_randomisation_finds_the_share_of_all_swaps():
    one, other = [0.1, 0.5, 0.2, 0.9, 0.3, 0.4], [0.4, 0.4, 0.7, 0.8, 0.9, 0.5]
    apart = [b - a for a, b in zip(one, other)]
    swaps = [abs(sum(sign * d for sign, d in zip(signs, apart))) for signs in product((1, -1), repeat=6)]
    exact = np.mean([swap >= abs(sum(apart)) - 1e-9 for swap in swaps])
    found = compare(mean_metric(one), mean_metric(other), 20_000)
    assert found.randomisation_p == pytest.approx(exact, abs=0.01)


def test_the_share_of_draws_lost_is_that_of_all_draws():
    apart = [0.3, -0.1, 0.5, -0.2]
    means = [sum(draw) for draw in product(apart, repeat=4)]
    exact = np.mean([mean <= 1e-12 for mean in means])
    found = compare(mean_metric([0.0] * 4), mean_metric(apart), 20_000)
    assert found.bootstrap_p == pytest.approx(exact, abs=0.01)
    turned = compare(mean_metric(apart), mean_metric([0.0] * 4), 20_000)
    assert turned.bootstrap_p == found.bootstrap_p, "whichever is ahead"
    assert turned.difference.value == -found.difference.value


def test_the_same_system_does_not_differ_and_a_far_better_one_does():
    same = compare(bleu_from_counts(ONE, REFERENCES), bleu_from_counts(ONE, REFERENCES))
    assert (same.bootstrap_p, same.randomisation_p, same.difference) == (1, 1, (0, 0, 0))
    better = compare(bleu_from_counts(OTHER, REFERENCES), bleu_from_counts(RIGHT, REFERENCES))
    assert better.bootstrap_p == better.randomisation_p == 1 / 1001
    assert better.difference.low > 0
    assert better.json()["second"] == pytest.approx(100)
    assert better.rows()[2][0] == "difference"


def test_systems_on_other_sentences_are_refused():
    with pytest.raises(DataError, match="2 sentences against 3"):
        compare(mean_metric([1, 0]), mean_metric([1, 0, 1]))
    with pytest.raises(DataError, match="no sentences"):
        mean_metric([])
