"""From text to numbers and back: one class for every kind of token."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from random import Random

from seqloom.errors import DamagedError, SeqloomError
from seqloom.tokens import file
from seqloom.tokens.bpe import BPE
from seqloom.tokens.characters import Characters
from seqloom.tokens.content import Content, Cutter, Piece
from seqloom.tokens.counting import Count, count
from seqloom.tokens.reading import reader
from seqloom.tokens.settings import BOS, EOS, PAD, SUBWORDS, UNK, TokenConfig
from seqloom.tokens.unigram import Unigram
from seqloom.tokens.words import Spaced, Words

KINDS: dict[str, type[Cutter]] = {
    "word": Words,
    "space": Spaced,
    "character": Characters,
    "bpe": BPE,
    "unigram": Unigram,
}


class Tokenizer:
    """Cuts texts into tokens it knows; made by `train` or `load`.

    >>> tokenizer = Tokenizer.train(["the cat sat", "the dog sat down"], TokenConfig(kind="word"))
    >>> tokenizer.encode("the cat ran")
    [5, 6, 1]
    >>> tokenizer.decode([5, 6, 4])
    'the cat sat'
    """

    pad, unk, bos, eos = PAD, UNK, BOS, EOS

    def __init__(self, content: Content, fingerprint: str | None = None) -> None:
        self.content = content
        self.config = content.config
        self.read = reader(content.config)
        self.cutter = KINDS[content.config.kind](content)
        if fingerprint is not None:
            self.fingerprint = fingerprint

    @classmethod
    def train(cls, texts: Iterable[str], config: TokenConfig | None = None) -> Tokenizer:
        """Learn from texts, read once and never held; the same texts give the same file, to the byte."""
        config = config or TokenConfig()
        return cls.learn(count(texts, KINDS[config.kind].counted(config), reader(config)), config)

    @classmethod
    def learn(cls, counted: Count, config: TokenConfig) -> Tokenizer:
        """Learn from what was counted in texts."""
        return cls(KINDS[config.kind].learn(counted.sorted(), config))

    def dropping(self, share: float) -> Tokenizer:
        """The same dictionary with another `bpe_dropout`: that is how it is trained with, not what it has learned."""
        config = self.config.model_copy(update={"bpe_dropout": share})
        return Tokenizer(replace(self.content, config=config))

    def encode(self, text: str) -> list[int]:
        """The numbers of the tokens of a text, without <bos> and <eos>."""
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Iterable[str], random: Random | None = None) -> list[list[int]]:
        """The numbers for each of many texts; with a generator, cut at random as `bpe_dropout` says."""
        if isinstance(texts, str):
            raise SeqloomError("one text was given where many are read", remedy="put it into a list, or call encode")
        read = texts if self.read is None else map(self.read, texts)
        return self.cutter.encode(read) if random is None else self.cutter.sample(read, random)

    def encode_words(self, words: Sequence[str]) -> list[list[int]]:
        """The numbers for each of the words of a sentence that is already cut, as a tagger needs them."""
        spaced = self.config.kind in SUBWORDS
        return self.encode_batch([f" {word}" if spaced and place else word for place, word in enumerate(words)])

    def decode(self, ids: Iterable[int]) -> str:
        """The text of tokens; <pad>, <bos> and <eos> say nothing, what is unknown reads <unk>."""
        numbers = [int(id) for id in ids]
        for number in (min(numbers, default=0), max(numbers, default=0)):
            if not 0 <= number < self.size:
                raise SeqloomError(
                    f"there is no token {number}: the dictionary has {self.size} entries",
                    remedy="decode with the tokenizer that the model was trained with",
                )
        return self.cutter.decode(numbers)

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text as a person reads them."""
        return [self.entries[id] for id in self.encode(text)]

    def pieces(self, text: str) -> list[Piece]:
        """The tokens of a text with their places in it (as read: see `reading`), and the word each belongs to."""
        return self.cutter.pieces(text if self.read is None else self.read(text))

    @property
    def size(self) -> int:
        """Entries of the dictionary."""
        return len(self.content.entries)

    @property
    def entries(self) -> tuple[str, ...]:
        """What each number stands for, as a person reads it."""
        return self.cutter.shown

    @property
    def frequency(self) -> tuple[int, ...]:
        """How often each entry was seen in training; that of <unk> is how often none was."""
        return self.content.counts

    def unseen(self, ids: Sequence[int]) -> float:
        """The share of tokens that were not in what was trained on: a model has learned nothing of them."""
        new = sum(id == UNK or not self.frequency[id] for id in ids)
        return new / max(len(ids), 1)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of all that was learned: equal fingerprints, equal tokens."""
        return file.fingerprint(file.as_data(self.content))

    def save(self, path: Path | str) -> None:
        """Write everything into one JSON file, by custom `*.tokenizer.json`."""
        from seqloom.storage import replace_file  # here, because it brings torch

        data = file.as_data(self.content)
        replace_file(Path(path), file.text_of({**data, "fingerprint": file.fingerprint(data)}).encode())

    @classmethod
    def load(cls, path: Path | str) -> Tokenizer:
        """Read what `save` wrote; a file that is anything else is a `DamagedError`."""
        content, fingerprint = file.read(Path(path))
        if not KINDS[content.config.kind].usable(content):
            raise DamagedError(
                f"is damaged: its parts do not make a {content.config.kind} tokenizer",
                where=str(path),
                remedy=file.AGAIN,
            )
        return cls(content, fingerprint)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[type[Tokenizer], tuple[Content, str]]:
        """Sent to another process as plain data, which builds its own tables."""
        return Tokenizer, (self.content, self.fingerprint)

    def __repr__(self) -> str:
        return f"<Tokenizer: {self.config.kind}, {self.size} entries, {self.fingerprint[:8]}>"
