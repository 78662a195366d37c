import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.layers.embedding import Embedding, OneHotEmbedding, embedding, one_hot_embedding
from tests.layers.lifted import exact, lifted
from tests.layers.scan import assert_same


@pytest.mark.parametrize("B, T, V, D", [(1, 1, 1, 1), (2, 3, 4, 5), (3, 6, 7, 2)])
def test_embedding_computes_the_equations(B, T, V, D):
    layer = exact(Embedding(V, D))
    w = torch.randint(V, (B, T))
    slow = torch.stack([torch.stack([embedding(word, **layer.symbols()) for word in row]) for row in w])
    assert_same([layer(w)], [slow], list(layer.parameters()))


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("B, T, V, D", [(1, 1, 1, 1), (2, 3, 4, 5), (3, 6, 7, 2)])
def test_one_hot_embedding_computes_the_equations(B, T, V, D):
    layer = exact(OneHotEmbedding(V, D))
    w = torch.randint(-1, V, (B, T))  # -1: nothing is known
    slow = lifted(one_hot_embedding, layer.symbols(), 0, 0)(w)
    assert_same([layer(w)], [slow], list(layer.parameters()))


@pytest.mark.usefixtures("float64")
def test_a_one_hot_row_times_the_matrix_is_the_row_looked_up():
    E = torch.randn(5, 3)
    for w in torch.arange(5):
        assert torch.equal(one_hot_embedding(w, E=E, V=5), embedding(w, E=E))


def test_where_nothing_is_known_there_are_zeros_and_no_gradient():
    layer = exact(OneHotEmbedding(3, 2))
    x = layer(torch.tensor([[-1, 2]]))
    x.sum().backward()
    assert x[0, 0].tolist() == [0, 0]
    assert layer.E.grad is not None and layer.E.grad.tolist() == [[0, 0], [0, 0], [1, 1]]


def test_embedding_agrees_with_torch():
    layer = Embedding(7, 4)
    oracle = nn.Embedding(7, 4, _weight=layer.E.detach())
    w = torch.randint(7, (2, 3))
    assert torch.equal(layer(w), oracle(w))


def test_embedding_agrees_with_the_column_form():
    layer = exact(Embedding(5, 3))
    e = torch.zeros(5, 1, dtype=torch.float64)
    e[2] = 1
    assert_close(layer(torch.tensor(2)), (layer.E.T @ e)[:, 0])  # x = Pᵀ e


def test_new_rows_are_about_one_long():
    lengths = Embedding(50, 400).E.norm(dim=-1)
    assert_close(lengths, torch.ones(50), atol=0.2, rtol=0)
