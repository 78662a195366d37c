from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.autograd import grad
from torch.nn import functional as F
from torch.testing import assert_close

from seqloom.errors import DataError, TrainingError
from seqloom.vectors import word2vec
from seqloom.vectors.corpus_chunks import CorpusChunk, count_words
from seqloom.vectors.settings import Word2VecConfig
from seqloom.vectors.word2vec import (
    Word2VecProgress,
    blocks,
    cbow_gradients,
    skip_gram_gradients,
    subsampled,
    train_word2vec,
)

B, T, S, K, D = 2, 3, 5, 4, 6


def leaves(*shapes):
    return [torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in shapes]


@pytest.fixture
def pairs():
    drawn = (torch.rand(B, T, S) < 0.5).double()
    drawn[0, 0] = 0  # a word without neighbours
    assert drawn.sum() > 3
    return drawn


def test_skip_gram_is_the_written_loss_and_its_gradient(pairs):
    v, u, n = leaves((B, T, D), (B, S, D), (B, K, D))
    terms = []
    for b, t, s in pairs.nonzero().tolist():
        right = -F.logsigmoid(u[b, s] @ v[b, t])
        wrong = [-F.logsigmoid(-(n[b, k] @ v[b, t])) for k in range(K)]
        terms.append(right + 2.5 * torch.stack(wrong).mean())  # 2.5 negatives for each right word, on average
    loss = torch.stack(terms).sum()
    found = skip_gram_gradients(v, u, n, pairs, 2.5)
    assert_close(found.loss, loss)
    assert_close([found.v, found.u, found.n], list(grad(loss, [v, u, n])))


def test_cbow_is_the_written_loss_and_its_gradient(pairs):
    v, u, n = leaves((B, S, D), (B, T, D), (B, K, D))
    terms = []
    for b, t in pairs.any(2).nonzero().tolist():
        h = torch.stack([v[b, s] for s in range(S) if pairs[b, t, s]]).mean(0)
        wrong = [-F.logsigmoid(-(n[b, k] @ h)) for k in range(K)]
        terms.append(-F.logsigmoid(u[b, t] @ h) + 2.5 * torch.stack(wrong).mean())
    loss = torch.stack(terms).sum()
    found = cbow_gradients(v, u, n, pairs, 2.5)
    assert_close(found.loss, loss)
    assert_close([found.v, found.u, found.n], list(grad(loss, [v, u, n])))


@pytest.mark.parametrize("kind", ["skip-gram", "cbow"])
def test_a_step_goes_down_the_gradient_of_every_row(kind):
    """Rows that occur several times in a step take the sum; those that do not occur stay."""
    v, u = leaves((9, D), (9, D))
    around = torch.tensor([[1, 2, 1, 3, 4], [4, 1, 5, 2, 0]])
    near = torch.rand(2, 3, 5) < 0.6
    block = word2vec.WordBlocks(around[:, 1:-1], around, near)
    against = torch.tensor([[1, 6], [6, 6]])
    if kind == "skip-gram":
        loss = skip_gram_gradients(v[around[:, 1:-1]], u[around], u[against], near.double(), 5).loss
    else:
        loss = cbow_gradients(v[around], u[around[:, 1:-1]], u[against], near.double(), 5).loss
    of_v, of_u = grad(loss, [v, u])
    new_v, new_u = v.detach().clone(), u.detach().clone()
    with torch.no_grad():
        word2vec.step(new_v, new_u, block, against, Word2VecConfig(kind=kind), 0.1)
    assert_close([new_v, new_u], [v - 0.1 * of_v, u - 0.1 * of_u])
    assert torch.equal(new_v[7:], v[7:])


def test_neighbours_are_the_words_of_a_window_in_the_same_sentence():
    lengths = [1, 50, 3, 40, 5]  # 99: the last block is filled up
    words = np.arange(sum(lengths))
    sentence = np.repeat(np.arange(5), lengths)
    seen: dict[int, set[int]] = {}
    for _, block in blocks(CorpusChunk(words, sentence), 3, 2, torch.Generator().manual_seed(0)):
        for b, t, s in block.pairs.nonzero().tolist():
            seen.setdefault(int(block.words[b, t]), set()).add(int(block.around[b, s]))
    reaches = set()
    for word in words.tolist():
        start, end = np.flatnonzero(sentence == sentence[word])[[0, -1]]
        reach = max((abs(other - word) for other in seen.get(word, ())), default=0)
        expected = set(range(max(start, word - reach), min(end, word + reach) + 1)) - {word}
        assert seen.get(word, set()) == expected
        assert reach <= 3 and (reach > 0 or start == end)
        reaches.add(reach)
    assert reaches == {0, 1, 2, 3}


def test_frequent_words_are_left_out_now_and_then():
    text = np.array([0] * 9000 + [1] * 990 + [2] * 10)
    count = count_words([text.tolist()], 3, 1)
    part = CorpusChunk(text, np.zeros_like(text))
    kept = np.bincount(subsampled(part, count, 0.1, torch.Generator().manual_seed(0)).words)
    share = 0.9 / 0.1
    assert kept[0] == pytest.approx(9000 * (share**-0.5 + 1 / share), rel=0.05)
    assert (kept[1], kept[2]) == (990, 10)  # below the threshold
    assert subsampled(part, count, 0, torch.Generator()) is part


@pytest.fixture(scope="module")
def text():
    """Sentences in two circles of words that never meet: 0-9 and 10-19."""
    random = np.random.default_rng(0)
    return [(random.integers(10, size=8) + 10 * random.integers(2)).tolist() for _ in range(1500)]


NAMES = [f"w{at}" for at in range(20)]


def small(kind, **others):
    return Word2VecConfig(**{"kind": kind, "width": 11, "window": 3, "epochs": 4, "subsample": 0, **others})


@pytest.mark.parametrize("kind", ["skip-gram", "cbow"])
def test_the_loss_falls_and_words_that_stand_together_become_alike(text, kind):
    seen: list[Word2VecProgress] = []
    vectors = train_word2vec(text * 2, NAMES, small(kind, epochs=5), seen.append)
    assert len(seen) > 1 and seen[-1].loss < seen[0].loss < 6 * np.log(2) + 0.1
    assert [report.words for report in seen][-1] == seen[-1].of == 5 * 2 * 1500 * 8
    assert all(before.rate > after.rate for before, after in pairwise(seen))
    alike = vectors.directions @ vectors.directions.T
    within = torch.cat([alike[:10, :10], alike[10:, 10:]])
    assert within.mean() > alike[:10, 10:].mean() + 0.5
    for at in (3, 14):
        assert {word for word, _ in vectors.nearest(f"w{at}", 5)} <= set(NAMES[at // 10 * 10 :][:10])


def test_the_loss_begins_at_that_of_rows_that_know_nothing(text):
    seen: list[Word2VecProgress] = []
    train_word2vec(text[:200], NAMES, small("skip-gram", epochs=1, rate=1e-9, negatives=7), seen.append)
    assert seen[0].loss == pytest.approx(8 * np.log(2), rel=1e-5)


@pytest.mark.parametrize("kind", ["skip-gram", "cbow"])
def test_the_seed_decides_everything(text, kind):
    once, again, other = (train_word2vec(text, NAMES, small(kind, seed=seed)).matrix for seed in (1, 1, 2))
    assert torch.equal(once, again)
    assert not torch.allclose(once, other)


def test_skip_gram_and_cbow_differ(text):
    one, other = (train_word2vec(text, NAMES, small(kind, rate=0.05)).matrix for kind in ("skip-gram", "cbow"))
    assert not torch.allclose(one, other, atol=1e-2)


def test_negatives_are_drawn_by_the_counts_to_the_power_of_three_quarters(monkeypatch):
    text = [[0] * 900 + [1] * 90 + [2] * 10] * 20
    drawn: list[torch.Tensor] = []

    def note(v, u, block, against, config, rate):
        drawn.append(against)
        return torch.zeros(())

    monkeypatch.setattr(word2vec, "step", note)
    train_word2vec(text, NAMES[:3], small("cbow", epochs=3))
    found = torch.cat([part.flatten() for part in drawn]).bincount(minlength=3).double()
    expected = torch.tensor([900.0, 90, 10], dtype=torch.float64) ** 0.75
    assert_close(found / found.sum(), expected / expected.sum(), atol=0.01, rtol=0)


def test_rare_words_are_left_out(text):
    words = [*NAMES, "rare", "never"]
    vectors = train_word2vec([*text, [20, 20, 3]], words, small("cbow", epochs=1, min_count=3))
    assert vectors.words == tuple(NAMES)


def test_a_small_dictionary_takes_small_steps():
    few, many = count_words([[0, 0, 0, 1] * 10], 2, 1), count_words([list(range(5000))], 5000, 1)
    rate, at_once = word2vec.pace(few, Word2VecConfig())
    assert (rate < 0.01, at_once) == (True, 1)
    assert word2vec.pace(few, Word2VecConfig(rate=0.025)) == (0.025, 1)  # what was asked for stays
    assert word2vec.pace(many, Word2VecConfig()) == (0.025, 16)
    assert word2vec.pace(many, Word2VecConfig(kind="cbow")) == (0.1, 16)


def test_two_words_and_single_words_are_enough():
    vectors = train_word2vec([[0, 1] * 5, [0], [], [1]], ["a", "b"], Word2VecConfig(width=3, min_count=1))
    assert vectors.matrix.shape == (2, 3) and vectors.matrix.isfinite().all()


def test_what_cannot_be_learned_from(text):
    config = small("cbow")
    with pytest.raises(DataError, match="can be read only once"):
        train_word2vec(iter(text), NAMES, config)
    with pytest.raises(DataError, match="word id 19, and there are 19 words"):
        train_word2vec([*text, [19]], NAMES[:19], config)
    with pytest.raises(DataError, match="word id -1"):
        train_word2vec([[0, -1]], NAMES, config)
    with pytest.raises(DataError, match="0 words occur 5 times or more"):
        train_word2vec([[0, 1, 2]], NAMES, config)
    with pytest.raises(DataError, match="0 words occur"):
        train_word2vec([], NAMES, config)


def test_a_rate_that_is_too_high_is_said(text):
    with pytest.raises(TrainingError, match="lower the rate"):
        train_word2vec(text, NAMES, small("skip-gram", rate=1e30))
