"""Attention by word: where words begin, with spaces and without."""

import pytest

from seqloom.tasks.translate.answers import word_indices
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
    indices = word_indices(tokenizer, tokens)
    found: dict[int, str] = {}
    for letter, index in zip(text, indices):
        found[index] = found.get(index, "") + letter
    assert list(found.values()) == words
    assert indices[-1] == len(words), "<eos> is one by itself"
