"""A translation: its text, its probability, its attention weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from seqloom.attention.alignment import links_of_targets, to_pharaoh
from seqloom.attention.attention_weights import AttentionMap, attention_map
from seqloom.attention.html import attention_run
from seqloom.decoding.hypotheses import DecodedSequence
from seqloom.tasks.notebook import ShownInNotebook
from seqloom.tasks.pieces import Pieces
from seqloom.tasks.written_answer import WrittenAnswer, likeliest_tokens
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
    names: Callable[[], tuple[list[str], Pieces]]
    """What the model read, one by one, a name for each, and the same as a person reads it; made for attention alone."""
    unseen: float
    """The fraction that was not in the training data."""
    cut: bool
    """Whether there is more than the model reads."""


@dataclass(frozen=True)
class Translation(WrittenAnswer[AttentionMap], ShownInNotebook):
    """The translation of a source."""

    cut: bool
    """Whether the source was longer than the model reads, and only its beginning was read."""
    unseen: float
    """The fraction of the source that was not in the training data."""

    def json(self) -> dict[str, Any]:
        alignment = {} if self.words is None else {"alignment": self.alignment()}
        found = {
            "text": self.text,
            "source": self.source,
            **self.scores_json(),
            **alignment,
            **self.alternatives_json(),
        }
        found |= {"unseen": self.unseen} if self.unseen else {}
        return {**found, "cut": True} if self.cut else found

    def run(self) -> dict[str, Any]:
        return super().run() if self.words is None else attention_run(self.weights(), self.title)

    def alignment(self, *, pieces: bool = False) -> str:
        """Which word comes from which, counted from 0, as `0-0 1-2` (Pharaoh: source-target); <eos> left out."""
        weights = self.chosen(pieces)
        ends = len(weights.source) - 1 if weights.source[-1] == "<eos>" else len(weights.source)
        return to_pharaoh(link for link in links_of_targets(weights.mean()) if link[0] < ends)


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
    vocabulary = tokenizer.vocabulary

    def one(written: DecodedSequence, others: list[Translation]) -> Translation:
        tokens = [vocabulary[token] for token in written.tokens]
        text = tokenizer.decode(written.tokens)
        attention, words = None, None
        if written.attention is not None and written.tokens:
            names, read = source.names()
            by_token = attention_map(names, tokens, written.attention)
            wrote = Pieces.of(tokenizer, written.tokens)
            attention = by_token.by_word(read.indices, wrote.indices, read.texts, wrote.texts)
            words = by_token.by_word(read.word_indices, wrote.word_indices, read.words(), wrote.words())
            if copied is not None and UNK in written.tokens:
                text = copied(written.tokens, by_token)
        return kind(
            source.shown, text, tokens, written.score, written.token_scores, attention, words, others, source.cut,
            source.unseen, likeliest=likeliest_tokens(written, tokenizer),
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
