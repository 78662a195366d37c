"""Typos: what was meant, and what is left as it is."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.tokens import TokenConfig, Tokenizer, word_tokenizer
from seqloom.tokens.typos import TypoCorrector, correct_counts, is_one_edit

PLAY = ["the prince Hamlet is a good prince", "good night sweet prince"] * 10


def corrected(texts: list[str], **settings: bool | int) -> Tokenizer:
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
    assert corrected(PLAY).tokenize(typo) == [meant]
    assert Tokenizer.train(PLAY, TokenConfig(kind="word")).tokenize(typo) == ["<unk>"]


@pytest.mark.parametrize("word", ["iss", "teh", "prinze5", "prynze", "castle", "zzzz"])
def test_short_words_numbers_and_distant_words_are_left(word):
    assert corrected(PLAY).tokenize(word) == ["<unk>"]


def test_a_rare_spelling_is_learned_as_a_typo_and_counted_for_the_word():
    tokenizer = corrected([*PLAY, "my prinse, goood goood"])
    assert tokenizer.data.typos == {"goood": "good", "prinse": "prince"}
    assert "prinse" not in tokenizer.vocabulary
    assert tokenizer.tokenize("prinse") == ["prince"]
    assert tokenizer.frequency[tokenizer.encode("prince")[0]] == 31
    assert tokenizer.frequency[tokenizer.encode("good")[0]] == 22


def test_long_letters_are_mended_when_the_word_is_more_frequent():
    assert corrected(["good " * 5 + "goood " * 4]).data.typos == {"goood": "good"}
    assert corrected(["good " * 4 + "goood " * 4]).data.typos == {}


def test_a_frequent_spelling_is_a_word_of_its_own():
    texts = [*PLAY, *["a price"] * 4]
    assert corrected(texts).tokenize("price") == ["price"]
    assert corrected(texts, typo_ratio=7).tokenize("price") == ["prince"]


def test_a_known_word_is_never_mended():
    assert corrected([*PLAY, *["goood"] * 30]).tokenize("goood good") == ["goood", "good"]


def test_a_typo_of_a_typo_is_read_as_the_word():
    counts = {"prince": 100, "prinse": 10, "prinze": 1, "prnze": 1}
    assert correct_counts(counts, 10) == ({"prince": 111, "prnze": 1}, {"prinse": "prince", "prinze": "prince"})


def test_the_most_frequent_of_near_words_is_meant_and_of_equals_the_first():
    corrector = TypoCorrector.knowing({"cart": 10, "card": 30, "care": 30, "cars": 9}, ratio=10)
    assert corrector.correct("carx") == "card"
    assert TypoCorrector.knowing({"cart": 10, "cars": 9}, ratio=10).correct("carx") == "cart"
    assert TypoCorrector.knowing({"cars": 9}, ratio=10).correct("carx") is None


def test_only_so_many_mended_words_are_remembered(monkeypatch):
    monkeypatch.setattr(word_tokenizer, "CACHED", 3)
    tokenizer = corrected(PLAY)
    assert tokenizer.tokenize("prinse Hemlet goood nihgt swet prinse") == [
        "prince",
        "Hamlet",
        "good",
        "night",
        "sweet",
        "prince",
    ]
    assert isinstance(tokenizer.backend, word_tokenizer.WordTokenizer)
    assert len(tokenizer.backend.ids.corrected) <= 3


def one_edit_away(word: str, letters: str) -> set[str]:
    """Every word one edit away, by trying them all."""
    splits = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    found = {left + right[1:] for left, right in splits}
    found |= {left + letter + right for (left, right), letter in product(splits, letters)}
    found |= {left + letter + right[1:] for (left, right), letter in product(splits, letters) if right}
    found |= {left + right[1] + right[0] + right[2:] for left, right in splits if len(right) > 1}
    return found - {word}


@given(word=st.text("abc", min_size=1, max_size=6), other=st.text("abc", min_size=1, max_size=6))
def test_one_slip_is_one_edit(word, other):
    assert is_one_edit(word, other) == (other in one_edit_away(word, "abc"))


@given(st.text("abcd", min_size=4, max_size=6), st.sets(st.text("abcd", min_size=4, max_size=7), max_size=9))
def test_the_index_finds_every_near_word(word, known):
    corrector = TypoCorrector.knowing(dict.fromkeys(known, 10), ratio=10)
    near = one_edit_away(word, "abcd") & known
    assert corrector.one_edit_away(word, 1) == min(near, default=None)
