"""What a model gets wrong on held-out data."""

import pytest

from seqloom.errors import SeqloomError
from seqloom.studio.mistakes import confusion, mistakes_data
from seqloom.training.model import Model


def test_mistakes_are_those_of_the_evaluation_the_surest_first(moods):
    found = mistakes_data(moods, lambda: True)
    assert found["examples"] == sum(found["confusion"]) > 0
    assert found["wrong"] == len(found["mistakes"])
    assert 1 - found["wrong"] / found["examples"] == pytest.approx(moods.evaluate().metrics["accuracy"])
    sure = [one["sure"] for one in found["mistakes"]]
    assert sure == sorted(sure, reverse=True)
    assert all(one["right"] != one["answer"] for one in found["mistakes"])
    with pytest.raises(SeqloomError, match="was not trained by you"):
        mistakes_data(Model(moods.config, moods.task, moods.network, own=False), lambda: True)


def test_texts_have_no_confusion_matrix():
    rows = [{"right": str(number), "answer": "0"} for number in range(9)]
    assert confusion(rows) == {"labels": [], "confusion": []}
