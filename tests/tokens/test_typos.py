"""Typos: what was meant, and what is left as it is."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.tokens import TokenConfig, Tokenizer, words
from seqloom.tokens.typos import Mender, mend_counts, one_slip

PLAY = ["the prince Hamlet is a good prince", "good night sweet prince"] * 10


def mended(texts: list[str], **settings: bool | int) -> Tokenizer:
    return Tokenizer.train(texts, TokenConfig(kind="word", mend_typos=True, **settings))


@pytest.mark.parametrize(
    "typo, meant",
    [
        ("goood", "good"),
        ("gooooood", "good"),
        ("prinse", "prince"),
        ("prnice", "prince"),
        ("pince", "prince"),
        ("princce", "prince"),
        ("prrrinceee", "prince"),
        ("Hemlet", "Hamlet"),
        ("nihgt", "night"),
    ],
)
def test_an_unseen_typo_is_read_as_the_word_that_was_meant(typo, meant):
    assert mended(PLAY).tokens(typo) == [meant]
    assert Tokenizer.train(PLAY, TokenConfig(kind="word")).tokens(typo) == ["<unk>"]


@pytest.mark.parametrize("word", ["iss", "teh", "prinze5", "prynze", "castle", "zzzz"])
def test_short_words_numbers_and_distant_words_are_left(word):
    assert mended(PLAY).tokens(word) == ["<unk>"]


def test_a_rare_spelling_is_learned_as_a_typo_and_counted_for_the_word():
    tokenizer = mended([*PLAY, "my prinse, goood goood"])
    assert tokenizer.content.typos == {"goood": "good", "prinse": "prince"}
    assert "prinse" not in tokenizer.entries
    assert tokenizer.tokens("prinse") == ["prince"]
    assert tokenizer.frequency[tokenizer.encode("prince")[0]] == 31
    assert tokenizer.frequency[tokenizer.encode("good")[0]] == 22


def test_long_letters_are_mended_when_the_word_is_more_frequent():
    assert mended(["good " * 5 + "goood " * 4]).content.typos == {"goood": "good"}
    assert mended(["good " * 4 + "goood " * 4]).content.typos == {}


def test_a_frequent_spelling_is_a_word_of_its_own():
    texts = [*PLAY, *["a price"] * 4]
    assert mended(texts).tokens("price") == ["price"]
    assert mended(texts, typo_ratio=7).tokens("price") == ["prince"]


def test_a_known_word_is_never_mended():
    assert mended([*PLAY, *["goood"] * 30]).tokens("goood good") == ["goood", "good"]


def test_a_typo_of_a_typo_is_read_as_the_word():
    counts = {"prince": 100, "prinse": 10, "prinze": 1, "prnze": 1}
    assert mend_counts(counts, 10) == ({"prince": 111, "prnze": 1}, {"prinse": "prince", "prinze": "prince"})


def test_the_most_frequent_of_near_words_is_meant_and_of_equals_the_first():
    mender = Mender.knowing({"cart": 10, "card": 30, "care": 30, "cars": 9}, ratio=10)
    assert mender.mend("carx") == "card"
    assert Mender.knowing({"cart": 10, "cars": 9}, ratio=10).mend("carx") == "cart"
    assert Mender.knowing({"cars": 9}, ratio=10).mend("carx") is None


def test_only_so_many_mended_words_are_remembered(monkeypatch):
    monkeypatch.setattr(words, "REMEMBERED", 3)
    tokenizer = mended(PLAY)
    assert tokenizer.tokens("prinse Hemlet goood nihgt swet prinse") == [
        "prince",
        "Hamlet",
        "good",
        "night",
        "sweet",
        "prince",
    ]
    assert isinstance(tokenizer.cutter, words.Words)
    assert len(tokenizer.cutter.table.mended) <= 3


def slips(word: str, letters: str) -> set[str]:
    """Every word one slip away, by trying them all."""
    splits = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    found = {left + right[1:] for left, right in splits}
    found |= {left + letter + right for (left, right), letter in product(splits, letters)}
    found |= {left + letter + right[1:] for (left, right), letter in product(splits, letters) if right}
    found |= {left + right[1] + right[0] + right[2:] for left, right in splits if len(right) > 1}
    return found - {word}


@given(word=st.text("abc", min_size=1, max_size=6), other=st.text("abc", min_size=1, max_size=6))
def test_one_slip_is_one_edit(word, other):
    assert one_slip(word, other) == (other in slips(word, "abc"))


@given(st.text("abcd", min_size=4, max_size=6), st.sets(st.text("abcd", min_size=4, max_size=7), max_size=9))
def test_the_index_finds_every_near_word(word, known):
    mender = Mender.knowing(dict.fromkeys(known, 10), ratio=10)
    near = slips(word, "abcd") & known
    assert mender.one_slip_away(word, 1) == min(near, default=None)
