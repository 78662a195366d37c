"""All steps of a GRU that attends, at once: held to its steps one by one, in float64 and in numbers of 16 bits."""

import pytest
import torch
from torch.testing import assert_close

from seqloom.layers.attention import SoftAttention
from seqloom.layers.attentive_gru import StepWeights, attentive_gru
from seqloom.layers.gru import GRUResetAfter, GRUState
from seqloom.layers.scores import Additive

B, T, S, D, H, K, A = 3, 5, 4, 2, 6, 7, 8


class Model:
    """A cell, an attention, and what they read."""

    def __init__(self, dtype: torch.dtype) -> None:
        torch.manual_seed(1)
        self.cell = GRUResetAfter(D + K, H).to(dtype)
        torch.nn.init.normal_(self.cell.bias)
        self.attention = SoftAttention(Additive(H, K, A)).to(dtype)
        self.x, self.s, self.h = (
            torch.randn(size, dtype=dtype, requires_grad=True) for size in ((B, T, D), (B, H), (B, S, K))
        )
        self.leaves = [self.x, self.s, self.h, *self.cell.parameters(), *self.attention.parameters()]

    def one_by_one(self, mask):
        prepared, s, made = self.attention.prepare(self.h, mask), self.s, []
        for x in self.x.unbind(1):
            c, _ = self.attention.attend_to(s[:, None], prepared)
            _, (s,) = self.cell(torch.cat([x, c[:, 0]], -1)[:, None], GRUState(s))
            made.append((s, c[:, 0]))
        return [torch.stack(part) for part in zip(*made, strict=True)]

    def at_once(self, mask):
        h, keys, mask = self.attention.prepare(self.h, mask)
        to_word, to_context = self.cell.weight_x.split([D, K], 1)
        score = self.attention.score
        assert isinstance(score, Additive)
        weights = StepWeights(self.cell.weight_h, to_context, score.W.T, score.v)
        from_words = self.x.transpose(0, 1) @ to_word.T + self.cell.bias
        return attentive_gru(from_words, self.s, weights, keys, h, mask)


MASKS = {"everywhere": None, "not at padding": torch.tensor([4, 1, 3])[:, None] > torch.arange(S)}


@pytest.mark.parametrize("mask", MASKS)
def test_all_steps_at_once_are_the_steps_one_by_one(mask):
    model = Model(torch.float64)
    slow, fast = model.one_by_one(MASKS[mask]), model.at_once(MASKS[mask])
    assert_close(list(fast), slow)
    outer = [torch.randn_like(part) for part in slow]
    assert_close(torch.autograd.grad(fast, model.leaves, outer), torch.autograd.grad(slow, model.leaves, outer))


def test_numbers_of_16_bits_come_close():
    model = Model(torch.float32)
    exact = torch.autograd.grad(sum(part.square().sum() for part in model.at_once(None)), model.leaves)
    with torch.autocast("cpu", torch.bfloat16):
        states, contexts = model.at_once(None)
        rough = torch.autograd.grad(states.square().sum() + contexts.square().sum(), model.leaves)
    assert states.dtype == torch.float32
    assert_close(rough, exact, rtol=0.1, atol=0.1)
    assert not torch.equal(rough[0], exact[0])
