"""A translation: its text, its probability, its attention weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from seqloom.attention.alignment import links_of_targets, to_pharaoh
from seqloom.attention.attention_weights import AttentionMap, attention_map
from seqloom.attention.export import save
from seqloom.attention.html import attention_run
from seqloom.decoding.hypotheses import DecodedSequence
from seqloom.errors import SeqloomError
from seqloom.tasks.notebook import ShownInNotebook
from seqloom.tasks.pieces import Pieces
from seqloom.tokens.settings import SPECIALS, UNK
from seqloom.tokens.tokenizer import Tokenizer

MOST_COLUMNS = 40
"""Of attention to frames: where there are more of them, neighbours are drawn as one."""


class GivenSource(NamedTuple):
    """A source that is to be translated."""

    shown: str
    """As it is called in an answer."""
    values: Any
    """Token ids or frames (S, F), however many there are."""
    blank: bool = False
    """Whether there is nothing to translate."""


class ReadSource(NamedTuple):
    """A source as it stands in an answer."""

    shown: str
    tokens: list[str]
    """What the model read, one by one: a name for each."""
    pieces: Pieces
    """The same as a person reads it."""
    unseen: float
    """The fraction that was not in the training data."""
    cut: bool
    """Whether there is more than the model reads."""


@dataclass(frozen=True)
class Translation(ShownInNotebook):
    """An answer. Pieces are tokens as the model writes them; words are what they make together."""

    source: str
    text: str
    tokens: list[str]
    score: float
    token_scores: list[float]
    attention: AttentionMap | None
    """By piece, those of one character together; `words` has it by word."""
    words: AttentionMap | None
    alternatives: list[Translation]
    """Other answers, the next best first; drawn ones as they were drawn."""
    cut: bool
    """Whether the source was longer than the model reads, and only its beginning was read."""
    unseen: float
    """The fraction of the source that was not in the training data."""
    likeliest: Sequence[dict[str, float]] = ()
    """For each of `token_scores` what could have stood there, if that was asked for."""

    def __str__(self) -> str:
        return self.text

    @property
    def certainty(self) -> float:
        """The probability of this answer under the model, from 0 to 1."""
        return math.exp(sum(self.token_scores))

    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"text": self.text, "source": self.source, "score": self.score}
        found |= {"certainty": self.certainty, "tokens": self.tokens}
        found["token_scores"] = self.token_scores
        if self.likeliest:
            found["likeliest"] = list(self.likeliest)
        if self.words is not None:
            found["alignment"] = self.alignment()
        if self.alternatives:
            found["alternatives"] = [{"text": other.text, "score": other.score} for other in self.alternatives]
        found |= {"unseen": self.unseen} if self.unseen else {}
        return {**found, "cut": True} if self.cut else found

    def run(self) -> dict[str, Any]:
        return (
            super().run()
            if self.words is None
            else {**attention_run(self.weights()), "title": [self.source, self.text]}
        )

    def alignment(self, *, pieces: bool = False) -> str:
        """Which word comes from which, counted from 0, as `0-0 1-2` (Pharaoh: source-target); <eos> left out."""
        weights = self.chosen(pieces)
        ends = len(weights.source) - 1 if weights.source[-1] == "<eos>" else len(weights.source)
        return to_pharaoh(link for link in links_of_targets(weights.mean()) if link[0] < ends)

    def plot(self, file: str | Path = "attention.png", *, pieces: bool | None = None) -> Path:
        """Draw the attention weights: .png, .html, .json or .txt."""
        return save(self.weights(pieces=pieces), file)

    def weights(self, *, pieces: bool | None = None) -> AttentionMap:
        """The attention weights, by piece or by word; None: by word, if the answer has several or is a single piece."""
        return self.chosen(pieces)

    def chosen(self, pieces: bool | None) -> AttentionMap:
        if self.words is None or self.attention is None:
            raise SeqloomError(
                "there is no attention in this answer",
                remedy="use a model with attention, with attention=True, and a text that is not empty",
            )
        if pieces is None:
            pieces = len(self.words.target) == 1  # 2026-11-16, or Chinese: no spaces between words
        return self.attention if pieces else self.words


class FrameTranslation(Translation):
    """What was written for frames of sound or sensors."""

    def weights(self, *, pieces: bool | None = None) -> AttentionMap:
        """As of texts; of many frames, neighbours together unless each is asked for by `pieces`."""
        found = self.chosen(pieces)
        count = len(found.source)
        if pieces or count <= MOST_COLUMNS:
            return found
        column = [place * MOST_COLUMNS // count for place in range(count)]
        first = [column.index(number) for number in range(MOST_COLUMNS)]
        ends = [found.source[behind - 1] for behind in (*first[1:], count)]
        names = [span_of(found.source[start], end) for start, end in zip(first, ends, strict=True)]
        return found.by_word(column, range(len(found.target)), names, found.target)


def span_of(first: str, last: str) -> str:
    """
    >>> span_of("frame 3", "frame 5"), span_of("frames 1-2", "frames 3-4"), span_of("frame 1", "frame 1")
    ('frames 3-5', 'frames 1-4', 'frame 1')
    """
    if first == last:
        return first
    return f"frames {first.split()[1].split('-')[0]}-{last.split()[1].split('-')[-1]}"


def translation(
    kind: type[Translation], source: ReadSource, found: Sequence[DecodedSequence], tokenizer: Tokenizer,
    copied: Callable[[Sequence[int], AttentionMap], str] | None = None,
) -> Translation:  # fmt: skip
    """From what was written for a source, the best answer first; `copied` replaces what is unknown."""

    def one(written: DecodedSequence, others: list[Translation]) -> Translation:
        tokens = [tokenizer.vocabulary[token] for token in written.tokens]
        text = tokenizer.decode(written.tokens)
        attention, words = None, None
        if written.attention is not None and written.tokens:
            by_token = attention_map(source.tokens, tokens, written.attention)
            read, wrote = source.pieces, Pieces.of(tokenizer, written.tokens)
            attention = by_token.by_word(read.indices, wrote.indices, read.texts, wrote.texts)
            words = by_token.by_word(read.word_indices, wrote.word_indices, read.words(), wrote.words())
            if copied is not None and UNK in written.tokens:
                text = copied(written.tokens, by_token)
        likeliest = [{tokenizer.vocabulary[token]: score for token, score in top} for top in written.likeliest if top]
        return kind(
            source.shown, text, tokens, written.score, written.token_scores, attention, words, others, source.cut,
            source.unseen, likeliest,
        )  # fmt: skip

    return one(found[0], [one(written, []) for written in found[1:]])


def with_copies(
    tokens: Sequence[int], attention: AttentionMap, tokenizer: Tokenizer, source: str, source_tokenizer: Tokenizer
) -> str:
    """The answer with each unknown token replaced by the source piece with the highest attention weight."""
    pieces = source_tokenizer.pieces(source)
    read = source if source_tokenizer.normalise is None else source_tokenizer.normalise(source)
    weights = attention.mean()[:, : len(pieces)]
    text = tokenizer.decode(tokens)
    first, *others = text.split(SPECIALS[UNK])
    unknown = [row for token, row in zip(tokens, weights, strict=True) if token == UNK]
    if not pieces or len(others) != len(unknown):  # nothing to copy, or a text that spells <unk> itself
        return text
    copied = [pieces[int(row.argmax())] for row in unknown]
    return first + "".join(read[piece.start : piece.end] + after for piece, after in zip(copied, others, strict=True))
