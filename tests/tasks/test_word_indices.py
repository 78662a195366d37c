"""Attention by word: where words begin, with spaces and without."""

import numpy as np
import pytest

from seqloom.decoding.hypotheses import DecodedSequence
from seqloom.tasks.pieces import Pieces
from seqloom.tasks.translate.answering import answer_of
from seqloom.tasks.translate.answers import GivenSource
from seqloom.tasks.translate.text_reading import TextReading
from seqloom.tokens.settings import EOS, TokenConfig
from seqloom.tokens.tokenizer import Tokenizer


@pytest.mark.parametrize(
    "text, words",
    [
        ("我爱北京", ["我", "爱", "北", "京"]),
        ("我爱 Python 语言", ["我", "爱", " Python", " 语", "言"]),
        ("two words", ["two", " words"]),
        ("2026-11-16", ["2026-11-16"]),
        ("ひらがな", ["ひ", "ら", "が", "な"]),
    ],
)
def test_scripts_without_spaces_are_shown_by_token(text, words):
    tokenizer = Tokenizer.train([text], TokenConfig(kind="character"))
    tokens = [*tokenizer.encode(text), EOS]
    indices = Pieces.of(tokenizer, tokens).word_indices
    found: dict[int, str] = {}
    for letter, index in zip(text, indices):
        found[index] = found.get(index, "") + letter
    assert list(found.values()) == words
    assert indices[-1] == len(words), "<eos> is one by itself"


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@pytest.mark.parametrize(
    "text, pieces, words",
    [
        ("a 猫 sits", ["a", "▁", "猫", "▁sits"], ["a", "猫", "sits"]),
        ("猫爱狗", ["猫", "爱", "狗"], ["猫", "爱", "狗"]),  # each character a word, though it is three bytes
        ("ხე sits", ["ხ", "ე", "▁sits"], ["ხე", "sits"]),  # a script with spaces: a word has several
        ("a 🐈", ["a", "▁", "🐈"], ["a", "🐈"]),
    ],
)
def test_bytes_of_a_character_are_one_column(kind, text, pieces, words):
    tokenizer = Tokenizer.train(["a cat sits", "a dog sits"] * 3, TokenConfig(kind=kind, size=300))
    tokens = [*tokenizer.encode(text), EOS]
    found = Pieces.of(tokenizer, tokens)
    assert len(tokens) > len(pieces) + 1, "characters that it never saw are bytes"
    assert found.texts == [*pieces, "<eos>"]
    assert found.words() == [*words, "<eos>"]
    assert "".join(tokenizer.vocabulary[token] for token in tokens).count("<0x") > 1
    assert found.indices == sorted(found.indices) and set(found.indices) == set(range(len(pieces) + 1))


def test_bytes_that_make_no_character_stay_apart():
    tokenizer = Tokenizer.train(["a cat sits"] * 3, TokenConfig(kind="unigram", size=300))
    shown = ["<0xE7>", "▁sits", "<0x8C>", "<0xAB>", "<0xE7>", "<0x8C>", "<0xAB>"]
    pieces = Pieces.of(tokenizer, [tokenizer.vocabulary.index(piece) for piece in shown])
    assert pieces.texts == ["<0xE7>", "▁sits", "<0x8C>", "<0xAB>", "猫"]


def test_a_translation_shows_weights_by_character():
    """What the three bytes of a character get, its one column gets together."""
    tokenizer = Tokenizer.train(["a cat sits"] * 3, TokenConfig(kind="bpe", size=300))
    row, written = [*tokenizer.encode("a 猫"), EOS], [*tokenizer.encode("猫"), EOS]
    weights = np.random.default_rng(3).dirichlet(np.ones(len(row)), len(written)).astype(np.float32)
    found = DecodedSequence(written, [-0.5] * len(written), -1.0, True, weights[None, None], [])
    answer = answer_of(TextReading(tokenizer, 20), GivenSource("a 猫", row[:-1]), row, [found], tokenizer)
    assert answer.attention is not None and answer.words is not None
    assert answer.attention.source == ("a", "▁", "猫", "<eos>")
    assert answer.attention.target == answer.words.target == ("猫", "<eos>")
    assert answer.words.source == ("a", "猫", "<eos>")
    np.testing.assert_allclose(answer.attention.mean()[0, 2], weights[:3, 2:5].sum(1).mean(), rtol=1e-5)
    np.testing.assert_allclose(answer.attention.mean().sum(1), 1, rtol=1e-5)
