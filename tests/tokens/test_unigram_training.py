"""Unigram parts: expectations and losses against every way to cut, counted one by one."""

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.testing import assert_allclose

from seqloom.tokens import TokenConfig, Tokenizer
from seqloom.tokens.unigram_training import Lattice, train_pieces

COUNTS = {"abab": 5, "aba": 4, "b": 3, "cab": 2, "早早": 2}


def cuts(word: str, pieces: set[str]) -> Iterator[list[str]]:
    """Every way to cut a word into these pieces."""
    if not word:
        yield []
    for end in range(1, len(word) + 1):
        if word[:end] in pieces:
            yield from ([word[:end], *rest] for rest in cuts(word[end:], pieces))


@pytest.fixture
def lattice():
    return Lattice(COUNTS)


@pytest.fixture
def p(lattice):
    drawn = np.random.default_rng(0).random(lattice.none + 1)
    drawn[lattice.none] = 0
    return drawn / drawn.sum()


def test_seeds_are_the_letters_and_the_substrings_seen_twice(lattice):
    seeds = {lattice.text_of(number): lattice.seen[number] for number in range(lattice.none)}
    substrings: Counter[str] = Counter()
    for word, count in COUNTS.items():
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                substrings[word[start:end]] += count
    assert seeds == {text: count for text, count in substrings.items() if count >= 2 or len(text) == 1}


def expected_by_hand(lattice: Lattice, p: np.ndarray) -> list[float]:
    probability = {lattice.text_of(number): p[number] for number in range(lattice.none) if lattice.alive[number]}
    expected: Counter[str] = Counter()
    for word, count in COUNTS.items():
        ways = [(way, math.prod(probability[piece] for piece in way)) for way in cuts(word, set(probability))]
        total = sum(weight for _, weight in ways)
        for way, weight in ways:
            for piece in way:
                expected[piece] += count * weight / total
    return [expected[lattice.text_of(number)] if lattice.alive[number] else 0 for number in range(lattice.none)]


def test_expectations_are_those_over_all_ways_to_cut(lattice, p):
    assert_allclose(lattice.expect(p)[:-1], expected_by_hand(lattice, p))


def test_a_dropped_piece_is_on_no_way(lattice, p):
    number = next(number for number in range(lattice.none) if lattice.text_of(number) == "ab")
    lattice.drop(np.array([number]))
    p[number] = 0
    assert lattice.expect(p)[number] == 0
    assert_allclose(lattice.expect(p)[:-1], expected_by_hand(lattice, p))


def test_the_best_way_without_a_piece(lattice, p):
    longer = np.flatnonzero(lattice.lengths > 1)
    pieces = {lattice.text_of(number): p[number] for number in range(lattice.none)}
    by_hand = [
        max(
            math.prod(pieces[piece] for piece in way)
            for way in cuts(lattice.text_of(number), pieces.keys() - {lattice.text_of(number)})
        )
        for number in longer
    ]
    assert_allclose(lattice.best_without(p, longer), np.log(by_hand))


def test_a_word_that_is_seen_often_becomes_a_piece():
    pieces = dict(train_pieces({" the": 50, " cat": 30, " then": 10, " hat": 5}, room=12))
    assert {" the", " cat", *" thecan"} <= pieces.keys()
    assert len(pieces) <= 12
    assert_allclose(sum(map(math.exp, pieces.values())), 1, atol=1e-4)


def test_what_many_words_share_becomes_a_piece():
    stems = ["walk", "talk", "jump", "play", "climb"]
    counts = {stem + ending: 10 for stem in stems for ending in ("", "ing", "ed", "er", "s")}
    letters = set("".join(counts))
    pieces = dict(train_pieces(counts, room=len(letters) + 8))
    assert {*stems, *letters} <= pieces.keys()


def test_letters_come_before_longer_pieces():
    pieces = dict(train_pieces({"abab": 9, "aba": 5, "c": 1}, room=3))
    assert sorted(pieces) == ["a", "b", "c"]
    assert sorted(dict(train_pieces({"abab": 9, "aba": 5, "c": 1}, room=2))) == ["a", "b"]


@pytest.mark.parametrize("text", ["a", "ab", "a" * 500, "'" * 300, "".join(map(chr, range(0x4E00, 0x4E00 + 3000)))])
def test_odd_texts_can_be_learned(text):
    tokenizer = Tokenizer.train([text], TokenConfig(kind="unigram", size=400))
    assert tokenizer.size <= 400
    assert tokenizer.decode(tokenizer.encode(text)) == text
