import pickle
from copy import deepcopy

import keras
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.layers.attention import (
    AttentionPooling,
    KeyValueAttention,
    SoftAttention,
    attention_pooling,
    key_value_attention,
    soft_attention,
)
from seqloom.layers.scores import SCORES, Additive, Dot, score_called
from tests.layers.lifted import by_queries, exact, lifted, values
from tests.layers.scan import assert_same, randn

SIZES = [(1, 1, 1, 1, 1, 1), (2, 3, 4, 5, 6, 7), (3, 5, 2, 4, 1, 3)]  # B, T, S, H, D, K
every_score = pytest.mark.parametrize("name", SCORES)


def make(name, H, D, K):
    return exact(SoftAttention(score_called(name, H, D, K)))


@pytest.mark.parametrize("B, T, S, H, D, K", SIZES)
@every_score
def test_soft_attention_computes_its_equations_with_any_score(name, B, T, S, H, D, K):
    D = H if name in ("dot", "scaled_dot", "cosine") else D
    layer = make(name, H, D, K)
    q, h = randn(B, T, H), randn(B, S, D)
    slow = by_queries(layer.definition, layer.symbols())(q, h)
    assert_same([layer(q, h)[0]], [slow], [q, h, *layer.parameters()])


@every_score
def test_the_part_of_soft_attention_is_bound_to_its_score(name):
    part = make(name, 5, 5, 3).part()
    assert part.definition is soft_attention
    assert part.bound is soft_attention.bind(score=SCORES[name].definition)
    assert part.bound.bound_to == {"score": SCORES[name].definition}
    assert (part.bound.name, part.bound.legend) == (soft_attention.name, soft_attention.legend)
    assert part.bound.layer is SoftAttention


def test_without_another_score_soft_attention_is_that_of_the_paper():
    assert soft_attention.bind() is make("additive", 5, 4, 3).part().bound
    assert soft_attention.bind().bound_to == {"score": Additive.definition}


def test_a_copied_or_saved_layer_keeps_its_definition():
    layer = make("dot", 5, 5, 3)
    for copy in (deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert copy.part().bound is layer.part().bound


@every_score
def test_weights_sum_to_one_and_give_the_context(name):
    layer = make(name, 5, 5, 3)
    q, h = randn(2, 3, 5), randn(2, 4, 5)
    mask = torch.rand(2, 3, 4) < 0.7
    mask[..., 0] = True
    context, weights = layer(q, h, mask)
    assert_close(weights.sum(-1), torch.ones(2, 3, dtype=torch.float64))
    assert weights[~mask].eq(0).all()
    assert weights[mask].gt(0).all()
    assert_close(weights @ h, context)


def test_a_mask_may_differ_from_query_to_query():
    layer = make("additive", 5, 6, 3)
    q, h = randn(1, 2, 5), randn(1, 4, 6)
    mask = torch.tensor([[[True, False, True, False], [False, True, True, True]]])
    context, _ = layer(q, h, mask)
    for t in range(2):
        assert_close(context[:, t : t + 1], layer(q[:, t : t + 1], h[:, mask[0, t]])[0])


def test_a_query_that_may_look_nowhere_gets_zeros_and_no_gradient():
    layer = make("additive", 5, 6, 3)
    q, h = randn(1, 2, 5), randn(1, 4, 6)
    mask = torch.tensor([[[True] * 4, [False] * 4]])
    context, weights = layer(q, h, mask)
    context.square().sum().backward()
    assert context[0, 1].eq(0).all() and weights[0, 1].eq(0).all()
    assert q.grad is not None and q.grad[0, 1].eq(0).all()
    assert all(parameter.grad is not None and parameter.grad.isfinite().all() for parameter in layer.parameters())


def test_a_memory_prepared_once_serves_every_step_of_a_decoder():
    layer = make("mlp_score", 5, 6, 3)
    q, h = randn(2, 3, 5), randn(2, 4, 6)
    mask = torch.tensor([[True, True, True, False], [True, False, False, False]])
    memory = layer.prepare(h, mask)
    steps = [layer.attend_to(q[:, t : t + 1], memory)[0] for t in range(3)]
    assert_same([torch.cat(steps, 1)], [layer(q, h, mask)[0]], [q, h, *layer.parameters()])


def test_additive_soft_attention_agrees_with_keras():
    layer = SoftAttention(Additive(5, 6, 7))
    q, h = torch.randn(2, 3, 5), torch.randn(2, 4, 6)
    mask = torch.tensor([[True, True, True, False], [True, True, False, False]])
    W, U, v = values(layer.score)  # keras has the scale v alone, and expects both in one space
    oracle = keras.layers.AdditiveAttention()
    oracle.build([(2, 3, 7), (2, 4, 6), (2, 4, 7)])
    oracle.set_weights([v.detach().numpy()])
    expected, weights = oracle([q @ W, h, h @ U], mask=[None, mask], return_attention_scores=True)
    assert_close(layer(q, h, mask), (expected, weights))


@pytest.mark.parametrize("B, T, S, D, F", [(1, 1, 1, 1, 1), (2, 3, 4, 5, 6), (3, 2, 5, 4, 1)])
def test_key_value_attention_computes_the_equations(B, T, S, D, F):
    layer = KeyValueAttention()
    q, k, v = randn(B, T, D), randn(B, S, D), randn(B, S, F)
    slow = by_queries(key_value_attention, {}, others=2)(q, k, v)
    assert_same([layer(q, k, v)[0]], [slow], [q, k, v])


def test_key_value_attention_agrees_with_keras():
    q, k, v = torch.randn(2, 3, 5), torch.randn(2, 4, 5), torch.randn(2, 4, 6)
    expected = keras.layers.Attention()([q, v, k], return_attention_scores=True)
    assert_close(KeyValueAttention()(q, k, v), tuple(expected))


@pytest.mark.parametrize("B, S, D", [(1, 1, 1), (2, 3, 4), (4, 2, 5)])
def test_attention_pooling_computes_the_equations(B, S, D):
    layer = exact(AttentionPooling(D))
    h = randn(B, S, D)
    slow = lifted(attention_pooling, layer.symbols())(h)
    assert_same([layer(h)[0]], [slow], [h, *layer.parameters()])


def test_attention_pooling_is_soft_attention_with_one_learned_query():
    layer = exact(AttentionPooling(4))
    h = randn(2, 3, 4)
    mask = torch.tensor([[True, True, False], [True, True, True]])
    context, weights = SoftAttention(Dot())(layer.q.expand(2, 1, 4), h, mask)
    assert_close(layer(h, mask), (context[:, 0], weights[:, 0]))


def test_soft_attention_learns_which_word_to_fetch():
    layer = SoftAttention(Additive(6, 6, 16))
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.03)
    table = torch.eye(6)
    for _ in range(150):
        h = table[torch.stack([torch.randperm(6) for _ in range(16)])]
        wanted = torch.randint(6, (16, 2))
        loss = nn.functional.mse_loss(layer(table[wanted], h)[0], table[wanted])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    h = table[torch.randperm(6)][None]
    assert layer(table[None], h)[0].argmax(-1).tolist() == [list(range(6))]
