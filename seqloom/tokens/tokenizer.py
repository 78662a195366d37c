"""The tokenizer: from text to token ids and back, one class for every kind of token."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from random import Random

from seqloom.errors import DamagedError, SeqloomError
from seqloom.tokens import tokenizer_file as file
from seqloom.tokens.backend import TokenizerBackend, TokenizerData, TokenPiece
from seqloom.tokens.bpe import BPETokenizer
from seqloom.tokens.character_tokenizer import CharacterTokenizer
from seqloom.tokens.ngram_tokenizer import NgramTokenizer
from seqloom.tokens.normalisation import normaliser
from seqloom.tokens.settings import BOS, EOS, PAD, SUBWORDS, UNK, TokenConfig
from seqloom.tokens.unigram import UnigramTokenizer
from seqloom.tokens.word_counts import LONGEST, WordCounter, count_words
from seqloom.tokens.word_tokenizer import WhitespaceTokenizer, WordTokenizer

KINDS: dict[str, type[TokenizerBackend]] = {
    "word": WordTokenizer,
    "ngram": NgramTokenizer,
    "space": WhitespaceTokenizer,
    "character": CharacterTokenizer,
    "bpe": BPETokenizer,
    "unigram": UnigramTokenizer,
}


class Tokenizer:
    """Splits texts into the tokens of its vocabulary; made by `train` or `load`.

    >>> tokenizer = Tokenizer.train(["the cat sat", "the dog sat down"], TokenConfig(kind="word"))
    >>> tokenizer.encode("the cat ran")
    [5, 6, 1]
    >>> tokenizer.decode([5, 6, 4])
    'the cat sat'
    """

    pad, unk, bos, eos = PAD, UNK, BOS, EOS

    def __init__(self, data: TokenizerData, fingerprint: str | None = None) -> None:
        self.data = data
        self.config = data.config
        self.normalise = normaliser(data.config)
        self.backend = KINDS[data.config.kind](data)
        if fingerprint is not None:
            self.fingerprint = fingerprint

    @classmethod
    def train(cls, texts: Iterable[str], config: TokenConfig | None = None) -> Tokenizer:
        """Learn from texts, read once and never held; the same texts give the same file, to the byte."""
        config = config or TokenConfig()
        return cls.learn(count_words(texts, KINDS[config.kind].splitter(config), normaliser(config)), config)

    @classmethod
    def learn(cls, counted: WordCounter, config: TokenConfig) -> Tokenizer:
        """Learn from what was counted in texts."""
        return cls(KINDS[config.kind].learn(counted.sorted(), config))

    def with_dropout(self, rate: float) -> Tokenizer:
        """The same vocabulary with another `bpe_dropout`, a choice of training and nothing that was learned."""
        config = self.config.model_copy(update={"bpe_dropout": rate})
        return Tokenizer(replace(self.data, config=config))

    def with_words(self, words: Iterable[str]) -> Tokenizer:
        """The same with more words, never seen in training, as far as the vocabulary may grow.

        One that a text never has once it is normalised, as a capital where all letters are small, is left out.
        """
        known, normalise = set(self.data.tokens), self.normalise or str
        fitting = (word for word in dict.fromkeys(words) if 0 < len(word) <= LONGEST and normalise(word) == word)
        new = list(islice((word for word in fitting if word not in known), max(self.config.size - self.size, 0)))
        data = replace(self.data, tokens=(*self.data.tokens, *new), counts=(*self.data.counts, *[0] * len(new)))
        return Tokenizer(data)

    def encode(self, text: str) -> list[int]:
        """The token ids of a text, without <bos> and <eos>."""
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Iterable[str], random: Random | None = None) -> list[list[int]]:
        """The token ids of each text; with a generator, merges are dropped at random as `bpe_dropout` says."""
        if isinstance(texts, str):
            raise SeqloomError("got one text instead of a list", remedy="put it into a list, or call encode")
        read = texts if self.normalise is None else map(self.normalise, texts)
        return self.backend.encode(read) if random is None else self.backend.sample(read, random)

    def encode_words(self, words: Sequence[str]) -> list[list[int]]:
        """The token ids of each word of a sentence that is already split, as a tagger needs them."""
        spaced = self.config.kind in SUBWORDS
        return self.encode_batch([f" {word}" if spaced and place else word for place, word in enumerate(words)])

    def decode(self, ids: Iterable[int]) -> str:
        """The text of tokens; <pad>, <bos> and <eos> say nothing, what is unknown reads <unk>."""
        known = [int(id) for id in ids]
        for id in (min(known, default=0), max(known, default=0)):
            if not 0 <= id < self.size:
                raise SeqloomError(
                    f"there is no token {id}: the vocabulary has {self.size} tokens",
                    remedy="decode with the tokenizer that the model was trained with",
                )
        return self.backend.decode(known)

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text as a person reads them."""
        return [self.vocabulary[id] for id in self.encode(text)]

    def pieces(self, text: str) -> list[TokenPiece]:
        """The tokens of a text with their places in it (in the normalised text), and the word each belongs to."""
        return self.backend.pieces(text if self.normalise is None else self.normalise(text))

    @property
    def size(self) -> int:
        """The size of the vocabulary."""
        return len(self.data.tokens)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The token of each id, as a person reads it."""
        return self.backend.vocabulary

    @property
    def frequency(self) -> tuple[int, ...]:
        """How often each token was seen in training; for <unk>, how often no other fitted."""
        return self.data.counts

    def unseen(self, ids: Sequence[int]) -> float:
        """The share of tokens that were not in the training data: a model has learned nothing of them."""
        seen = self.frequency
        new = sum([id == UNK or not seen[id] for id in ids])
        return new / max(len(ids), 1)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of all that was learned: equal fingerprints, equal tokens."""
        return file.fingerprint(file.as_data(self.data))

    def save(self, path: Path | str) -> None:
        """Write everything into one JSON file, by custom `*.tokenizer.json`."""
        file.write(Path(path), self.data)

    @classmethod
    def load(cls, path: Path | str) -> Tokenizer:
        """Read what `save` wrote; a file that is anything else is a `DamagedError`."""
        return cls.checked(*file.read(Path(path)), str(path))

    @classmethod
    def parse(cls, content: bytes, where: str) -> Tokenizer:
        """What `save` wrote into a file; `where` names the file in an error."""
        return cls.checked(*file.parse(content, where), where)

    @classmethod
    def checked(cls, data: TokenizerData, fingerprint: str, where: str) -> Tokenizer:
        """A tokenizer whose parts fit together."""
        if not KINDS[data.config.kind].is_valid(data):
            what = f"is damaged: its parts do not make a {data.config.kind} tokenizer"
            raise DamagedError(what, where=where, remedy=file.AGAIN)
        return cls(data, fingerprint)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[type[Tokenizer], tuple[TokenizerData, str]]:
        """Sent to another process as plain data, which builds its own tables."""
        return Tokenizer, (self.data, self.fingerprint)

    def __repr__(self) -> str:
        return f"<Tokenizer: {self.config.kind}, {self.size} tokens, {self.fingerprint[:8]}>"


def train_pair(
    pairs: Iterable[tuple[str, str]], config: TokenConfig | None = None, written: TokenConfig | None = None
) -> tuple[Tokenizer, Tokenizer]:
    """Tokenizers of source and target, from one pass over the pairs; `joint` gives the same one twice.

    config   of the source
    written  of the target, if another
    """
    config = config or TokenConfig()
    written = written or config
    source = count_for(config)
    target = source if config.joint else count_for(written)
    for left, right in pairs:
        source.add(left)
        target.add(right)
    first = Tokenizer.learn(source, config)
    return first, first if config.joint else Tokenizer.learn(target, written)


def count_for(config: TokenConfig) -> WordCounter:
    return WordCounter(KINDS[config.kind].splitter(config), normaliser(config))
