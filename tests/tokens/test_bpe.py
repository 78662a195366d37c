"""Byte pairs: the merges of an independent trainer, and merging at random."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as Library

from seqloom.tokens import TokenConfig, Tokenizer, subword_tokenizer
from seqloom.tokens.bpe import LETTERS, BPETokenizer
from seqloom.tokens.bpe_training import train_merges
from seqloom.tokens.pretokenization import pretoken_pattern
from seqloom.tokens.settings import SPECIALS
from tests.tokens.examples import SUBWORDS, TEXTS, anything, trained


def of_the_library(texts: list[str], size: int, min_frequency: int) -> Library:
    library = Library(models.BPE())
    library.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pretoken_pattern().pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=min_frequency,
        show_progress=False,
        special_tokens=list(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    library.train_from_iterator(texts, trainer)
    return library


def test_the_letters_of_bytes_are_those_of_the_library():
    assert sorted(LETTERS) == sorted(pre_tokenizers.ByteLevel.alphabet())


@pytest.mark.parametrize("size, min_frequency", [(270, 1), (400, 1), (400, 2)])
def test_tokens_and_cuts_are_those_of_the_library(size, min_frequency):
    library = of_the_library(TEXTS, size, min_frequency)
    tokenizer = Tokenizer.train(TEXTS, TokenConfig(size=size, min_frequency=min_frequency))
    assert {token: number for number, token in enumerate(tokenizer.data.tokens)} == library.get_vocab()
    assert tokenizer.encode_batch(TEXTS) == [cut.ids for cut in library.encode_batch(TEXTS, add_special_tokens=False)]


def merged_naively(counts: dict[str, int], letters: str, size: int) -> list[tuple[int, int]]:
    """Count all pairs anew for every merge."""
    tokens, merges = list(letters), []
    words = {word: [tokens.index(letter) for letter in word] for word in counts}
    while len(tokens) < size:
        pairs = Counter[tuple[int, int]]()
        for word, parts in words.items():
            for pair in pairwise(parts):
                pairs[pair] += counts[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        if (token := tokens[best[0]] + tokens[best[1]]) not in tokens:
            tokens.append(token)
        merges.append(best)
        for parts in words.values():
            place = 0
            while place + 1 < len(parts):
                if (parts[place], parts[place + 1]) == best:
                    parts[place : place + 2] = [tokens.index(token)]
                place += 1
    return merges


@given(st.dictionaries(st.text("abc", min_size=1, max_size=9), st.integers(1, 5), min_size=1, max_size=8))
def test_merges_are_those_of_counting_anew_each_time(counts):
    letters = "\0abc"  # the first number is for no letter
    _, merges = train_merges(counts, letters, size=12, min_frequency=1)
    assert merges == merged_naively(counts, letters, size=12)


def test_learned_from_the_most_frequent_words_only(monkeypatch):
    monkeypatch.setattr(subword_tokenizer, "LEARN_FROM", 1)
    assert Tokenizer.train(["xy", "xy", "ab"], TokenConfig(size=300)).vocabulary[260:] == ("xy",)


@pytest.mark.parametrize("kind", SUBWORDS)
def test_only_so_many_words_are_remembered(kind, monkeypatch):
    monkeypatch.setattr(subword_tokenizer, "CACHED", 3)
    tokenizer = Tokenizer(trained(kind).data)
    assert tokenizer.encode_batch(TEXTS) == trained(kind).encode_batch(TEXTS)
    assert isinstance(tokenizer.backend, subword_tokenizer.SubwordTokenizer)
    assert len(tokenizer.backend.cache) <= 3


def test_merges_are_learned_until_nothing_is_left():
    tokenizer = Tokenizer.train(["abab ab"], TokenConfig(size=1000))
    assert tokenizer.vocabulary[260:] == ("ab", "▁ab", "abab")
    assert tokenizer.frequency[260:] == (0, 1, 1)


@given(text=anything, seed=st.integers(0, 99))
def test_cut_at_random_a_text_is_still_the_text(text, seed):
    tokenizer = trained("bpe", bpe_dropout=0.5)
    [ids] = tokenizer.encode_batch([text], Random(seed))
    assert tokenizer.decode(ids) == text


def test_every_cut_is_as_likely_as_the_paper_says():
    """Against the algorithm as it is written: leave out every merge with p, then take the first of those left."""
    tokenizer, rate, random = trained("bpe", bpe_dropout=0.3), 0.3, Random(5)
    backend = tokenizer.backend
    assert isinstance(backend, BPETokenizer)
    merged = backend.merged

    def by_the_paper(parts):
        while left := [
            (merged[pair], place)
            for place, pair in enumerate(pairwise(parts))
            if pair in merged and random.random() >= rate
        ]:
            (_, number), place = min(left)
            parts = (*parts[:place], number, *parts[place + 2 :])
        return parts

    times = 4000
    letters = backend.letters(" the")
    expected = Counter(by_the_paper(letters) for _ in range(times))
    found = Counter(tuple(ids) for ids in tokenizer.encode_batch([" the"] * times, Random(6)))
    assert len(expected) > 2
    for cut in expected | found:
        assert found[cut] == pytest.approx(expected[cut], abs=5 * (times / 4) ** 0.5)


def test_the_generator_decides():
    tokenizer = trained("bpe", bpe_dropout=0.5)
    first, again, other = (tokenizer.encode_batch(TEXTS, Random(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_without_a_generator_nothing_is_random():
    assert trained("bpe", bpe_dropout=0.5).encode_batch(TEXTS) == trained("bpe").encode_batch(TEXTS)


def test_without_dropout_a_generator_changes_nothing():
    random = Random(3)
    assert trained("bpe").encode_batch(TEXTS, random) == trained("bpe").encode_batch(TEXTS)
    assert random.random() == Random(3).random(), "nothing was drawn"


def test_a_hair_of_dropout_merges_as_without():
    tokenizer = trained("bpe", bpe_dropout=1e-12)
    assert tokenizer.encode_batch(TEXTS, Random(0)) == tokenizer.encode_batch(TEXTS)


def test_much_dropout_leaves_nearly_bytes():
    tokenizer = trained("bpe", bpe_dropout=0.999)
    [ids] = tokenizer.encode_batch(["the cat sat on the mat"], Random(0))
    assert len(ids) > 20
