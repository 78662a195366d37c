"""Beam search against a search of everything, and its constraints."""

import itertools

import numpy as np
import pytest
import torch

from seqloom.config import check
from seqloom.decoding.beam_search import beam_search
from seqloom.decoding.constraints import Constraints
from seqloom.decoding.hypotheses import TopTokens, length_penalty
from seqloom.decoding.sampling import sample_answers
from seqloom.decoding.settings import DecodingOptions
from seqloom.errors import ConfigError
from tests.decoding.chain import BOS, EOS, PAD, Chain

CPU = torch.device("cpu")
CONSTRAINTS = Constraints(EOS, forbidden=(PAD, BOS))


def sampled(model, state, sources, bos, constraints, search, device, **watching):
    """Sampled with a key for each input."""
    keys = [f"8 {number}" for number in range(len(sources))]
    return sample_answers(model, state, sources, bos, constraints, search, device, keys, **watching)


def steps_of(model, sources, constraints=CONSTRAINTS, how=beam_search, wanted=lambda number: True, **options):
    state = model.start(sources)
    return how(model, state, [5] * len(sources), BOS, constraints, DecodingOptions(**options), CPU, wanted=wanted)


def search_for(model, sources, *constraints, **options):
    found = {one.number: one.sequences for step in steps_of(model, sources, *constraints, **options) for one in step}
    return [found[number] for number in range(len(sources))]


def everything(model, source, longest, penalty):
    """Every answer that ends by itself or is cut, with its score, the best first."""
    words = [token for token in range(7) if token not in (PAD, BOS, EOS)]
    answers = []
    for length in range(longest):
        for tokens in itertools.product(words, repeat=length):
            total = model.logp(source, [*tokens, EOS])
            answers.append((total / length_penalty(length + 1, penalty), list(tokens)))
    for tokens in itertools.product(words, repeat=longest):
        answers.append((model.logp(source, list(tokens)) / length_penalty(longest, penalty), list(tokens)))
    return sorted(answers, reverse=True)


@pytest.mark.parametrize("penalty", [0.0, 1.0, 1.7])
@pytest.mark.parametrize("seed", range(4))
def test_a_wide_beam_finds_the_best_answers_of_all(penalty, seed):
    model = Chain(seed=seed)
    options = {"beam": 80, "n_best": 3, "length_penalty": penalty, "max_length": 4, "early_stopping": False}
    for source, found in enumerate(search_for(model, [0, 1, 2], **options)):
        best = everything(model, source, 4, penalty)[:3]
        for answer, (score, tokens) in zip(found, best, strict=True):
            assert answer.tokens == tokens
            assert answer.score == pytest.approx(score, abs=1e-9)


def test_an_answer_that_goes_on_for_ever_comes_after_one_that_ends():
    model = Chain(sources=1)
    model.table.fill_(-9.0)
    model.table[..., 5] = 0.0  # the same word again and again, nearly for certain
    model.table[0, 0, BOS, EOS] = -1.0
    ((cut,),) = search_for(model, [0], beam=3, max_length=6, early_stopping=False)
    assert cut.tokens == [5] * 6
    ((ended,),) = search_for(model, [0], beam=3, max_ratio=0.01, early_stopping=False)
    assert ended.tokens == []


@pytest.mark.parametrize("seed", range(12))
def test_a_beam_of_one_takes_the_best_word_in_every_step(seed):
    model = Chain(seed=seed)
    for source, (answer,) in enumerate(search_for(model, [0, 1, 2], beam=1, max_length=8)):
        before, expected = BOS, []
        for place in range(8):
            logits = model.table[source, min(place, 8), before].clone()
            logits[[PAD, BOS]] = -torch.inf
            before = int(logits.argmax())
            if before == EOS:
                break
            expected.append(before)
        assert answer.tokens == expected


@pytest.mark.parametrize("options", [{"beam": 4, "n_best": 2}, {"temperature": 1.0, "n_best": 3, "seed": 8}])
def test_scores_are_those_of_the_model(options):
    model = Chain(seed=2)
    how = sampled if "temperature" in options else beam_search
    for source, found in enumerate(search_for(model, [0, 1, 2], how=how, max_length=6, **options)):
        for answer in found:
            spoken = [*answer.tokens, EOS] if answer.ended else answer.tokens
            assert sum(answer.token_scores) == pytest.approx(model.logp(source, spoken))
            assert answer.score == pytest.approx(model.logp(source, spoken) / length_penalty(len(spoken), 1.0))


@pytest.mark.parametrize("options", [{"beam": 3, "n_best": 3}, {"temperature": 1.3, "n_best": 2, "seed": 4}])
def test_what_is_found_does_not_depend_on_its_neighbours(options):
    model = Chain(seed=7)
    how = sampled if "temperature" in options else beam_search
    together = search_for(model, [0, 1, 2], how=how, max_length=7, **options)
    again = search_for(model, [0, 1, 2], how=how, max_length=7, **options)
    assert [[a.tokens for a in found] for found in together] == [[a.tokens for a in found] for found in again]
    first = search_for(model, [0], how=how, max_length=7, **options)
    assert [answer.tokens for answer in first[0]] == [answer.tokens for answer in together[0]]


def test_attention_belongs_to_the_tokens_of_the_answer():
    constraints = Constraints(EOS, forbidden=(PAD, BOS), min_length=1)
    for source, found in enumerate(search_for(Chain(seed=1), [0, 1, 2], constraints, beam=5, n_best=2, max_length=6)):
        for answer in found:
            assert answer.attention is not None
            assert answer.attention.shape == (1, 1, len(answer.tokens), 5)
            assert answer.attention[0, 0].argmax(-1).tolist() == [(k + source) % 5 for k in range(len(answer.tokens))]


def test_an_answer_always_ends():
    model = Chain(seed=3)
    model.table[..., EOS] = -1e9
    for how, options in ((beam_search, {"beam": 4}), (sampled, {"temperature": 1.0})):
        ((answer,),) = search_for(model, [1], how=how, max_length=9, **options)
        assert len(answer.tokens) == 9
        assert not answer.ended


def test_a_prefix_comes_first():
    constraints = Constraints(EOS, forbidden=(PAD, BOS), prefix=(6, 4, 4))
    for how, options in ((beam_search, {"beam": 3}), (sampled, {"temperature": 1.0})):
        ((answer,),) = search_for(Chain(), [2], constraints, how=how, max_length=6, **options)
        assert answer.tokens[:3] == [6, 4, 4]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_no_run_of_tokens_comes_twice(n):
    constraints = Constraints(EOS, forbidden=(PAD, BOS), no_repeat=n, min_length=20)
    for how, options in ((beam_search, {"beam": 3}), (sampled, {"temperature": 2.0})):
        ((answer,),) = search_for(Chain(), [0], constraints, how=how, max_length=12, **options)
        runs = [tuple(answer.tokens[k : k + n]) for k in range(len(answer.tokens) - n + 1)]
        assert len(runs) == len(set(runs))
        assert answer.tokens


def test_a_beam_wider_than_the_vocabulary_is_no_trouble():
    ((answer, *_),) = search_for(Chain(), [0], beam=100, n_best=5, max_length=3)
    assert answer.tokens


def test_more_answers_than_the_beam_holds_is_said():
    with pytest.raises(ConfigError, match="5 answers from a beam of 2"):
        check(DecodingOptions, {"beam": 2, "n_best": 5}, where="options")


WAYS = [{"beam": 3, "n_best": 2}, {"temperature": 1.0, "n_best": 2}]


@pytest.mark.parametrize("options", WAYS)
def test_an_answer_is_reported_as_soon_as_it_is_done(options):
    how = sampled if "temperature" in options else beam_search
    model, seen = Chain(sources=6, seed=11, sharpness=1.0), {}
    for number, step in enumerate(steps_of(model, [0, 1, 2, 3, 4, 5], how=how, max_length=9, **options)):
        for found in step:
            assert found.finished
            assert found.number not in seen
            longest = max(len(answer.token_scores) for answer in found.sequences)
            assert longest <= number + 1, "made of the steps so far"
            assert longest == number + 1 or how is beam_search
            seen[found.number] = number
    assert len(seen) == 6 and len(set(seen.values())) > 1


@pytest.mark.parametrize("options", WAYS)
def test_nothing_more_is_computed_for_an_input_that_is_not_wanted(options):
    how = sampled if "temperature" in options else beam_search
    constraints = Constraints(EOS, forbidden=(PAD, BOS), min_length=8)
    rows, left = [], set()

    class Watched(Chain):
        def step(self, tokens, state):
            rows.append(sorted(set(state[0].tolist())))
            return super().step(tokens, state)

    model = Watched(seed=3)
    updates = steps_of(
        model, [0, 1, 2], constraints, how=how, wanted=lambda number: number not in left, max_length=8, **options
    )
    steps = []
    for found in updates:
        steps.append({one.number for one in found})
        if len(steps) == 4:
            left.add(1)
    assert rows[0] == [0, 1, 2]
    assert rows[-1] == [0, 2]
    assert len([row for row in rows if 1 in row]) == 5  # the step under way is finished
    assert steps[-1] == {0, 2}


def test_sampled_answers_can_be_watched_while_they_grow():
    constraints = Constraints(EOS, forbidden=(PAD, BOS), min_length=3)
    arguments = (
        Chain(seed=9),
        Chain(seed=9).start([0, 1]),
        [5, 5],
        BOS,
        constraints,
        DecodingOptions(temperature=1.0, max_length=7),
        CPU,
    )
    grown = [one for step in sampled(*arguments, grows=lambda number: number == 1) for one in step]
    written = [one.sequences[0].tokens for one in grown if one.number == 1]
    assert [one.finished for one in grown if one.number == 1] == [False] * (len(written) - 1) + [True]
    assert len(written) > 1
    assert all(later[: len(tokens)] == tokens for tokens, later in itertools.pairwise(written))
    assert sum(one.number == 0 for one in grown) == 1


@pytest.mark.parametrize("options", WAYS)
def test_the_likeliest_tokens_of_each_step_are_returned(options):
    how, model = sampled if "temperature" in options else beam_search, Chain(seed=4)
    for source, found in enumerate(search_for(model, [0, 1, 2], how=how, max_length=5, likeliest=3, **options)):
        for answer in found:
            spoken = [BOS, *answer.tokens, EOS]
            assert len(answer.likeliest) == len(answer.token_scores)
            for place, top in enumerate(answer.likeliest):
                log_probs = torch.log_softmax(model.table[source, min(place, 8), spoken[place]], -1)
                log_probs[[PAD, BOS]] = -torch.inf
                assert [token for token, _ in top] == log_probs.argsort(descending=True)[:3].tolist()
                assert [score for _, score in top] == pytest.approx(log_probs.sort(descending=True).values[:3].tolist())


def test_the_best_tokens_are_found_one_by_one_as_all_at_once():
    log_probs = torch.log_softmax(torch.randn(23, 41, generator=torch.Generator().manual_seed(1)), -1)
    log_probs[:, 3:9] = -torch.inf
    log_probs[5, 4:] = -torch.inf  # fewer than are asked for
    best = log_probs.topk(6)
    found = TopTokens.of(log_probs, 6)
    np.testing.assert_array_equal(found.log_probs, best.values.double().numpy())
    possible = np.isfinite(found.log_probs)
    np.testing.assert_array_equal(found.tokens[possible], best.indices.numpy()[possible])


@pytest.mark.parametrize("count", [1, 3])
def test_the_best_tokens_of_half_precision_are_found_too(count):
    log_probs = torch.tensor([[0.5, -1.0, 2.0, 0.25], [3.0, -2.0, 0.0, 1.0]], dtype=torch.bfloat16)
    assert TopTokens.of(log_probs.clone(), count).tokens.tolist() == log_probs.topk(count).indices.tolist()
