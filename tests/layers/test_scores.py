import pytest
import torch
from torch.testing import assert_close

from seqloom.errors import ShapeError, UnknownName
from seqloom.layers.scores import SCORES, Additive, Bilinear, Cosine, ScaledDot, cosine, score_called
from tests.layers.lifted import exact, lifted
from tests.layers.scan import assert_same, randn

SIZES = [(1, 1, 1, 1, 1, 1), (2, 3, 4, 5, 6, 7), (3, 5, 1, 4, 2, 3)]  # B, T, S, H, D, K
ONE_WIDTH = ("dot", "scaled_dot", "cosine")


def make(name, H, D, K):
    return exact(score_called(name, H, D, K))


@pytest.mark.parametrize("B, T, S, H, D, K", SIZES)
@pytest.mark.parametrize("name", SCORES)
def test_all_pairs_get_the_score_of_the_equations(name, B, T, S, H, D, K):
    D = H if name in ONE_WIDTH else D
    layer = make(name, H, D, K)
    q, k = randn(B, T, H), randn(B, S, D)
    pairs = lifted(layer.definition, layer.symbols(), 0, (0, None), (None, 0))  # batch, queries, keys
    assert_same([layer(q, k)], [pairs(q, k)], [q, k, *layer.parameters()])


@pytest.mark.parametrize("name", SCORES)
def test_keys_prepared_once_serve_one_query_after_the_other(name):
    layer = make(name, 5, 5, 3)
    q, k = randn(2, 4, 5), randn(2, 3, 5)
    keys = layer.prepare(k)
    one_by_one = [layer.compare(q[:, t : t + 1], keys) for t in range(4)]
    assert_same([torch.cat(one_by_one, 1)], [layer(q, k)], [q, k, *layer.parameters()])


def test_scores_are_found_by_the_name_of_their_definition():
    assert {score.definition.name: score for score in SCORES.values()} == SCORES
    assert all(score.definition.layer is score for score in SCORES.values())


def test_additive_agrees_with_the_column_form():
    layer = exact(Additive(5, 4, 3))
    s, h = randn(5), randn(4)
    W, U, v = layer.W.T, layer.U.T, layer.v  # acting from the left, on columns
    assert_close(layer(s[None, None], h[None, None])[0, 0, 0], v @ torch.tanh(W @ s[:, None] + U @ h[:, None])[:, 0])


def test_bilinear_agrees_with_the_column_form():
    layer = exact(Bilinear(5, 4))
    q, k = randn(5, 1), randn(4, 1)
    assert_close(layer(q.mT[None], k.mT[None])[0], q.T @ layer.W @ k)


def test_scaled_dot_of_standard_rows_keeps_variance_one():
    q, k = torch.randn(1, 200, 64), torch.randn(1, 200, 64)
    assert ScaledDot()(q, k).var().item() == pytest.approx(1, abs=0.1)


def test_cosine_sees_the_angle_alone():
    q, k = randn(2, 3, 5), randn(2, 4, 5)
    assert_close(Cosine()(7 * q, k / 3), Cosine()(q, k))
    assert_close(Cosine()(q, q).diagonal(dim1=1, dim2=2), torch.ones(2, 3, dtype=torch.float64))


def test_cosine_of_a_row_of_zeros_is_zero_with_an_ordinary_gradient():
    q, k = randn(2, 3, 5), torch.zeros(2, 4, 5, dtype=torch.float64, requires_grad=True)
    e = Cosine()(q, k)
    e.sum().backward()
    assert_close(e, torch.zeros(2, 3, 4, dtype=torch.float64))
    assert k.grad is not None and q.grad is not None
    assert k.grad.abs().max() < 10
    assert_close(q.grad, torch.zeros_like(q))
    assert_close(cosine(q[0, 0], k[0, 0]), e[0, 0, 0])


def test_an_unknown_score_is_named_with_what_is_near():
    with pytest.raises(UnknownName, match=r"no score is called 'aditive'\n.*did you mean additive"):
        score_called("aditive", 2, 2, 2)


@pytest.mark.parametrize("name", ONE_WIDTH)
def test_scores_of_one_width_refuse_two(name):
    with pytest.raises(ShapeError, match=rf"{name} cannot compare queries 5 wide with keys 4 wide\n.*bilinear"):
        score_called(name, 5, 4, 3)
