"""Perplexity from the definition."""

import math

import pytest

from seqloom.errors import DataError
from seqloom.evaluating.perplexity import LanguageModelMetrics


def test_perplexity_and_bits_of_known_chances():
    chances = [1 / 2, 1 / 8, 1 / 4]
    found = LanguageModelMetrics(-sum(map(math.log, chances)), tokens=3, characters=12, words=2)
    assert found.perplexity == pytest.approx(math.prod(chances) ** (-1 / 3)) == pytest.approx(4)
    assert found.metrics()["bits_per_character"] == pytest.approx(6 / 12)
    assert found.metrics()["bits_per_word"] == pytest.approx(3)


def test_what_is_not_known_is_left_out():
    assert set(LanguageModelMetrics(1.0, 2).metrics()) == {"perplexity"}


def test_a_perplexity_beyond_floats_is_infinite_and_null_in_json():
    found = LanguageModelMetrics(1e6, 1)
    assert found.perplexity == math.inf
    assert found.json()["perplexity"] is None


def test_no_tokens_are_refused():
    with pytest.raises(DataError, match="no tokens"):
        LanguageModelMetrics(0.0, 0)
