"""The search in arrays finds what a search with one object for each hypothesis finds."""

import numpy as np
import pytest
import torch

from seqloom.decoding.beam_search import beam_search
from seqloom.decoding.constraints import Constraints
from seqloom.decoding.settings import DecodingOptions
from tests.decoding.chain import BOS, EOS, PAD, Chain
from tests.decoding.reference_search import reference_search

CPU = torch.device("cpu")
SOURCES = [3, 0, 2, 1, 4]
LENGTHS = [5, 2, 4, 1, 3]


def both(options, constraints, seed):
    """What each finds for all sources: ours in one batch, the reference one by one."""
    model = Chain(vocab=11, sources=5, seed=seed, sharpness=1.3)
    steps = beam_search(model, model.start(SOURCES), LENGTHS, BOS, constraints, options, CPU)
    found = {one.number: one.sequences for step in steps for one in step}
    for number, (source, length) in enumerate(zip(SOURCES, LENGTHS, strict=True)):
        expected = reference_search(model, model.start([source]), length, BOS, constraints, options)
        yield found[number], expected, length


@pytest.mark.parametrize("early_stopping", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {"beam": 1},
        {"beam": 1, "likeliest": 3, "max_length": 4},
        {"beam": 4, "n_best": 3, "likeliest": 2},
        {"beam": 5, "length_penalty": 0.3, "max_length": 6},
        {"beam": 3, "n_best": 3, "max_ratio": 0.01},
        {"beam": 20, "n_best": 20, "max_length": 3},
    ],
)
@pytest.mark.parametrize(
    "constraints",
    [{}, {"min_length": 4}, {"no_repeat": 1}, {"no_repeat": 2, "min_length": 7}, {"prefix": (6, 4, 4)}],
)
def test_tokens_scores_attention_and_likeliest_are_those_of_the_reference(options, constraints, early_stopping):
    chosen = DecodingOptions(**options, early_stopping=early_stopping)
    for seed in range(2):
        for found, expected, length in both(chosen, Constraints(EOS, forbidden=(PAD, BOS), **constraints), seed):
            assert len(found) == len(expected)
            for ours, theirs in zip(found, expected, strict=True):
                ended = theirs.tokens[-1:] == (EOS,)
                assert ours.tokens == list(theirs.tokens[: len(theirs.tokens) - ended])
                assert ours.ended == ended
                assert ours.token_scores == pytest.approx(theirs.log_probs)
                assert ours.score == pytest.approx(theirs.score(chosen.length_penalty))
                for top, other in zip(ours.likeliest, theirs.likeliest, strict=True):
                    assert [token for token, _ in top] == [token for token, _ in other]
                    assert [score for _, score in top] == pytest.approx([score for _, score in other])
                if ours.tokens:
                    weights = torch.stack(theirs.attention[: len(ours.tokens)], 2)[..., :length]
                    assert ours.attention is not None
                    np.testing.assert_array_equal(ours.attention, weights.float().numpy())


def test_early_stopping_ends_the_search_once_the_beam_is_full_of_answers():
    model = Chain(sources=1)
    model.table.fill_(-9.0)
    model.table[..., 5] = 0.0  # the same word again and again, nearly for certain
    model.table[..., EOS] = -4.0

    def steps(early_stopping):
        options = DecodingOptions(beam=3, max_length=30, early_stopping=early_stopping)
        return len(list(beam_search(model, model.start([0]), [9], BOS, Constraints(EOS), options, CPU)))

    assert steps(True) == 3, "one answer more ends in every step"
    assert steps(False) == 30
