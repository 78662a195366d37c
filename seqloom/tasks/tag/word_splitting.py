"""The words of a sentence: cut from text as the training data cut them, and looked up in the vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from seqloom.tokens.normalisation import normaliser
from seqloom.tokens.pretokenization import word_pattern
from seqloom.tokens.settings import UNK, WORDS, TokenConfig
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.tokens.word_counts import WordCounter
from seqloom.tokens.word_tokenizer import WordTokenizer

APOSTROPHE = re.compile("['’]")


class Word(NamedTuple):
    """A word where it stands in a text."""

    text: str
    start: int


def learn_words(sentences: Iterable[Sequence[str]], config: TokenConfig) -> Tokenizer:
    """A vocabulary of words as they were cut, `U.S.` among them; or of parts of words."""
    if config.kind not in WORDS:
        return Tokenizer.train((" ".join(words) for words in sentences), config)
    counted = WordCounter(lambda word: (word,), normaliser(config))
    for words in sentences:
        for word in words:
            counted.add(word)
    return Tokenizer.learn(counted, config)


def token_ids_of(tokenizer: Tokenizer, words: Sequence[str]) -> list[list[int]]:
    """The token ids of each word, one at least; exactly one where words are whole."""
    backend = tokenizer.backend
    if isinstance(backend, WordTokenizer):
        read = words if tokenizer.normalise is None else map(tokenizer.normalise, words)
        return [[backend.ids[word]] for word in read]
    return [ids or [UNK] for ids in tokenizer.encode_words(words)]


def words_of(tokenizer: Tokenizer, text: str) -> list[Word]:
    """The words of a text, for a tokenizer of words as it cuts them."""
    backend = tokenizer.backend
    if not isinstance(backend, WordTokenizer):
        return [Word(found[0], found.start()) for found in word_pattern().finditer(text)]
    return [word for found in backend.spans(text) for word in parted(tokenizer, Word(*found))]


def parted(tokenizer: Tokenizer, word: Word) -> Iterable[Word]:
    """An unknown word with an apostrophe in two, if the vocabulary has its end: ca n't, Ada 's."""
    mark = APOSTROPHE.search(word.text)
    if mark is None or is_known(tokenizer, word.text):
        return [word]
    for place in (mark.start() - 1, mark.start()):
        if place > 0 and is_known(tokenizer, word.text[place:]):
            return [Word(word.text[:place], word.start), Word(word.text[place:], word.start + place)]
    return [word]


def is_known(tokenizer: Tokenizer, word: str) -> bool:
    return token_ids_of(tokenizer, [word]) != [[UNK]]
