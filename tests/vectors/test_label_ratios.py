"""Embeddings that begin with how much each token speaks for each label."""

import math

import pytest
import torch

from seqloom.errors import ConfigError
from seqloom.storage import read_tensors
from seqloom.tokens.settings import SPECIALS
from seqloom.training.loading import load
from seqloom.training.run import train
from seqloom.vectors.label_ratios import SCALE, STRENGTH, label_ratios, label_readout, label_vectors
from tests.sizes import load_fitting
from tests.training.reviews import write_reviews

E = "embedding.table.E"
TEXTS = [([0, 1, 1], [0]), ([0, 2], [1]), ([0, 2, 3], [1])]


def test_ratios_are_those_of_naive_bayes_over_texts():
    """Against shares counted by hand: a token counts once in a text, and each once more (smoothing)."""
    ratios = label_ratios(TEXTS, tokens=4, labels=2)
    counts = {0: [1, 1, 0, 0], 1: [2, 0, 2, 1]}
    for token in range(4):
        first, second = ((counts[label][token] + 1) / (sum(counts[label]) + 4) for label in (0, 1))
        torch.testing.assert_close(ratios[token], torch.tensor([math.log(first / second), math.log(second / first)]))


def test_the_rest_of_an_embedding_is_random_and_the_same_each_time():
    ratios = label_ratios(TEXTS, tokens=4, labels=2)
    vectors = label_vectors(ratios, width=7)
    readout = label_readout(torch.ones(7, 2), labels=2)
    torch.testing.assert_close(vectors[:, :2], SCALE * ratios)
    torch.testing.assert_close(vectors[:, :2] @ readout[:2], SCALE * STRENGTH * ratios)
    assert readout[2:].eq(1).all()
    assert vectors.shape == (4, 7) and vectors[:, 2:].unique().numel() == 20
    assert torch.equal(vectors, label_vectors(ratios, width=7))


@pytest.fixture
def reviews(tmp_path):
    return write_reviews(tmp_path / "reviews.tsv")


def settings(reviews, *changes):
    small = ["model.embedding=5", "model.length=16", "train.steps=4", "train.warmup_steps=1", "start.vectors=labels"]
    return load_fitting([*small, *changes], task="classify", data__train=str(reviews), model__name="words")


def test_a_run_begins_with_them_and_learns_on(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    begun = read_tensors(tmp_path / "run" / "setup" / "start.safetensors")[E]
    trained = read_tensors(tmp_path / "run" / "model.safetensors")[E]
    ratios = begun[:, :2]
    assert not ratios[: len(SPECIALS)].any() and ratios[len(SPECIALS) :].any()
    torch.testing.assert_close(
        ratios[:, 0], -ratios[:, 1]
    )  # of two labels, what speaks for one speaks against the other
    assert not torch.equal(trained, begun)
    assert load(tmp_path / "run")("good").label


def test_what_cannot_begin_so_is_said(reviews, tmp_path):
    with pytest.raises(ConfigError, match=r"2 labels do not fit into embeddings of width 1\n.*set model\.embedding=2"):
        train(settings(reviews, "model.embedding=1"), tmp_path / "narrow", quiet=True)
    text = tmp_path / "text.txt"
    text.write_text("a b c\nb c d\n" * 20)
    config = load_fitting(["start.vectors=labels", "tokens.kind=word"], task="generate", data__train=str(text))
    with pytest.raises(ConfigError, match="the answers of this generate run are no labels"):
        train(config, tmp_path / "text", quiet=True)
