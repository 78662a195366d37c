"""Word vectors from data of any format: its words are counted, then their vectors are learned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from seqloom.config import load
from seqloom.data.source import open_source
from seqloom.errors import DataError, UnknownName
from seqloom.tokens.settings import SPECIALS, TokenConfig
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.vectors.cooccurrence import train_cooccurrence
from seqloom.vectors.settings import CooccurrenceConfig, Word2VecConfig
from seqloom.vectors.word2vec import train_word2vec
from seqloom.vectors.word_vectors import WordVectors

KINDS = ("skip-gram", "cbow", "svd")
MOST_WORDS = 1_000_000


class Texts:
    """The texts of some data, read again and again."""

    def __init__(self, data: Any) -> None:
        self.records = open_source(data, task="generate")

    def __iter__(self) -> Iterator[str]:
        return (str(record.columns["text"]) for record in self.records)


class CorpusIds:
    """Texts as ids of the words of a tokenizer, without its special tokens, which are no words."""

    def __init__(self, texts: Texts, tokenizer: Tokenizer) -> None:
        self.texts, self.tokenizer = texts, tokenizer

    def __iter__(self) -> Iterator[list[int]]:
        first = len(SPECIALS)
        for text in self.texts:
            yield [id - first for id in self.tokenizer.encode(text) if id >= first]


def learn_vectors(
    data: Any, kind: str = "skip-gram", changes: Sequence[str] = (), *, lower: bool = False
) -> WordVectors:
    """Learn a vector for each word of some text: by skip-gram or cbow (word2vec), or by counting pairs (svd).

    data     files, patterns, a data set: what `seqloom train --task generate` reads
    changes  settings as "width=50"
    """
    if kind not in KINDS:
        raise UnknownName("kind of vectors", kind, KINDS)
    texts = Texts(data)
    config: CooccurrenceConfig | Word2VecConfig
    if kind == "svd":
        config = load(CooccurrenceConfig, None, changes)
    else:
        config = load(Word2VecConfig, None, [*changes, f"kind={kind}"])
    tokenizer = Tokenizer.train(texts, TokenConfig(kind="word", lower=lower, size=MOST_WORDS))
    words = tokenizer.vocabulary[len(SPECIALS) :]
    if max(tokenizer.frequency[len(SPECIALS) :]) < config.min_count:
        what = f"no word occurs {config.min_count} times"
        raise DataError(what, where=str(data), remedy="give more text, or --set min_count=1")
    ids = CorpusIds(texts, tokenizer)
    if isinstance(config, CooccurrenceConfig):
        return train_cooccurrence(ids, words, config)
    return train_word2vec(ids, words, config)
