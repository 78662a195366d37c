"""The next token: greedy, by its probability, among the best few."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from seqloom.decoding.sampling import RowGenerators, choose_tokens
from seqloom.decoding.settings import SamplingOptions

LOGITS = torch.tensor([[0.2, 1.7, -0.4, 0.9, 0.1], [2.0, -1.0, 0.5, 1.9, 0.3]])


def frequencies(sampling, count=20_000):
    rows = LOGITS[:1].expand(count, -1)
    draws = torch.rand(count, generator=torch.Generator().manual_seed(3))
    return torch.bincount(choose_tokens(rows, sampling, draws), minlength=5) / count


def test_greedy_takes_the_best():
    assert choose_tokens(LOGITS, SamplingOptions(), torch.tensor([0.9, 0.9])).tolist() == [1, 0]


def test_draws_follow_the_distribution():
    expected = torch.softmax(LOGITS[0] / 0.7, -1)
    assert torch.allclose(frequencies(SamplingOptions(temperature=0.7)), expected, atol=0.015)


def test_top_k_keeps_the_best_and_their_proportions():
    probs = torch.softmax(LOGITS[0], -1)
    found = frequencies(SamplingOptions(temperature=1, top_k=2))
    assert found.nonzero().flatten().tolist() == [1, 3]
    assert torch.allclose(found[1], probs[1] / (probs[1] + probs[3]), atol=0.015)


def test_top_p_keeps_the_fewest_that_have_the_probability():
    probs = torch.softmax(LOGITS[0], -1)
    both = float(probs[1] + probs[3])
    assert frequencies(SamplingOptions(temperature=1, top_p=both - 0.01)).nonzero().flatten().tolist() == [1, 3]
    assert len(frequencies(SamplingOptions(temperature=1, top_p=both + 0.01)).nonzero()) == 3
    assert frequencies(SamplingOptions(temperature=1, top_p=1e-9)).nonzero().flatten().tolist() == [1]


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 9), st.floats(0.01, 1))
def test_a_draw_is_always_among_what_is_kept(draw, top_k, top_p):
    token = choose_tokens(
        LOGITS, SamplingOptions(temperature=1.3, top_k=top_k, top_p=top_p), torch.tensor([draw, draw])
    )
    best = LOGITS.argsort(-1, descending=True)
    for row in range(2):
        assert token[row] in best[row, :top_k]


def test_a_row_draws_the_same_whatever_stands_beside_it():
    many, one = (RowGenerators(["a", "b", "c"], torch.device("cpu")) for _ in range(2))
    first = many.uniform([0, 1, 2]), many.uniform([0, 2])
    assert one.uniform([2]).item() == first[0][2].item()
    assert one.uniform([2]).item() == first[1][1].item()
    assert first[0][0] != first[0][1]


def test_no_temperature_is_too_low_or_too_high():
    for temperature in (5e-324, 1e-9):
        options = SamplingOptions(temperature=temperature)
        assert choose_tokens(LOGITS, options, torch.tensor([0.99, 0.99])).tolist() == [1, 0]
    assert len(frequencies(SamplingOptions(temperature=100)).nonzero()) == 5
