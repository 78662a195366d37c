"""Embeddings on a plane: principal axes, and neighbours by cosine."""

import pytest
import torch
from torch.nn.functional import cosine_similarity
from torch.testing import assert_close

import seqloom
from seqloom.studio.embedding_map import embedding_map_data, embeddings, map_coordinates


def test_the_axes_are_those_of_most_variance():
    plane = torch.randn(50, 2) * torch.tensor([5.0, 1.0])
    turn, _ = torch.linalg.qr(torch.randn(7, 7))
    found = map_coordinates(plane @ turn[:2])
    centred = plane - plane.mean(0)
    for axis in range(2):
        assert abs(float(torch.corrcoef(torch.stack([found[:, axis], centred[:, axis]]))[0, 1])) > 0.95
    assert_close(found.abs().amax(0), torch.ones(2))


def test_each_side_of_a_translator_has_its_own_vectors(digits):
    model = seqloom.load(digits)
    tables = embeddings(model)
    assert list(tables) == ["text"]
    tokenizer, table = tables["text"]
    found = embedding_map_data(model, word="three")
    near = dict(found["near"][1:])
    own = table[tokenizer.encode("three")[0]]
    for token, cosine in near.items():
        assert cosine == pytest.approx(
            float(cosine_similarity(own, table[tokenizer.encode(token)[0]], dim=0)), abs=1e-3
        )
