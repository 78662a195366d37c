"""Classify: vectors of texts, and the nearest of them."""

import math

import pytest
import torch
from torch.testing import assert_close

from seqloom.errors import DataError, SeqloomError
from seqloom.training.nearest_neighbours import nearest


def test_vectors_stand_in_the_order_of_the_texts_and_are_what_is_read_out(several):
    texts = ["a big red it the of", "red", "", "the round"]
    vectors = several.vectors(texts)
    assert vectors.shape == (4, 12) and vectors.dtype == torch.float32
    for text, vector in zip(texts, vectors, strict=True):
        assert_close(several.vectors([text])[0], vector)
        chances = torch.sigmoid(several.network.readout(vector)).tolist()
        assert list(several(text).scores.values()) == pytest.approx(chances, abs=1e-5)


def test_texts_of_like_sense_are_near(several):
    near = several.nearest("the red it", ["a round of", "of red the", "big it a", "it of the"], count=2)
    assert near[0][0] == "of red the"
    assert [len(near), near[0][1] > near[1][1]] == [2, True]


PLACES = {"east": (2.0, 0.0), "north": (0.0, 3.0), "north-east": (1.0, 1.0), "west": (-1.0, 0.0), "nowhere": (0.0, 0.0)}


def hand_made(texts):
    return torch.tensor([PLACES[text] for text in texts])


def test_nearest_is_by_cosine_and_the_first_of_equals():
    among = ["west", "north-east", "nowhere", "north", "east", "north"]
    (near,) = nearest(hand_made, ["north"], among, count=5)
    assert [text for text, _ in near] == ["north", "north", "north-east", "west", "nowhere"]
    assert [value for _, value in near] == pytest.approx([1, 1, math.sqrt(0.5), 0, 0], abs=1e-6)


def test_nearest_reads_any_number_of_texts_a_batch_at_a_time():
    most = 0

    def watched(texts):
        nonlocal most
        most = max(most, len(texts))
        return hand_made(texts)

    among = (["west", "nowhere"][number % 2] if number != 700 else "north-east" for number in range(1000))
    found = nearest(watched, ["east", "west"], among, count=2)
    assert found[0][0][0] == "north-east"
    assert found[0][0][1] == pytest.approx(math.sqrt(0.5))
    assert [text for text, _ in found[1]] == ["west", "west"]
    assert most <= 256


def test_nearest_of_nothing_is_an_error():
    with pytest.raises(DataError, match="no texts to choose"):
        nearest(hand_made, ["east"], [], 5)
    with pytest.raises(SeqloomError, match="0 texts were asked for"):
        nearest(hand_made, ["east"], ["west"], 0)


def test_vectors_of_one_text_want_a_list(several):
    with pytest.raises(SeqloomError, match="instead of a list"):
        several.vectors("red")


def test_vectors_are_drawn_by_label(several, tmp_path):
    texts = ["a red it", "the round", "a red it", "big of"]
    several.plot_vectors(texts, ["r", "o", "again", "b"], tmp_path / "plane.svg")
    assert "<svg" in (tmp_path / "plane.svg").read_text()
    with pytest.raises(SeqloomError, match="1 labels for 4 texts"):
        several.plot_vectors(texts, ["r"], tmp_path / "other.svg")
    assert not (tmp_path / "other.svg").exists()
