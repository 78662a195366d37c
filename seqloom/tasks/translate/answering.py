"""From sources to translations, whatever decodes: a model in torch, or an engine without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol

from seqloom.attention.attention_weights import AttentionMap
from seqloom.data.length_batches import by_length
from seqloom.decoding.hypotheses import DecodedSequence, DecodingUpdate
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.tasks.translate.answers import GivenSource, ReadSource, Translation, translation
from seqloom.tokens.tokenizer import Tokenizer

AT_ONCE = 64
"""Sources that are translated in one batch."""

Decode = Callable[[Sequence[Any], Sequence[TaskRequest]], Iterator[list[DecodingUpdate]]]
"""Rows of sources as they are read, and the requests that they belong to -> after each step what is ready."""


class SourceReading(Protocol):
    """How sources of one kind are read."""

    @property
    def answer_kind(self) -> type[Translation]:
        """What an answer is."""
        ...

    def row(self, values: Any) -> Any:
        """What the model reads of a source: its beginning, if it is too long."""
        ...

    def described(self, source: GivenSource, row: Any) -> ReadSource:
        """A source as it stands in an answer."""
        ...

    def copied(self, source: GivenSource, tokens: Sequence[int], attention: AttentionMap, writes: Tokenizer) -> str:
        """The text of an answer with what is unknown taken from the source."""
        ...


def answer_sources(
    reading: SourceReading,
    sources: Sequence[GivenSource],
    requests: Sequence[TaskRequest],
    writes: Tokenizer,
    decode: Decode,
    *,
    copy_unknown: bool,
    at_once: int = AT_ONCE,
) -> Iterator[Sequence[Reply]]:
    """Translations of sources, each as soon as it is done; what is blank stays blank."""
    yield [Reply(place, blank_answer(source.shown)) for place, source in enumerate(sources) if source.blank]
    filled = [place for place, source in enumerate(sources) if not source.blank]
    for group in by_length([len(sources[place].values) for place in filled], at_once):
        places = [filled[number] for number in group]
        rows = [reading.row(sources[place].values) for place in places]
        answer = partial(answer_of, reading, writes=writes, copy_unknown=copy_unknown)
        for found in decode(rows, [requests[place] for place in places]):
            yield [
                Reply(places[number], answer(sources[places[number]], rows[number], sequences), whole)
                for number, sequences, whole in found
            ]


def answer_of(
    reading: SourceReading,
    source: GivenSource,
    row: Any,
    found: Sequence[DecodedSequence],
    writes: Tokenizer,
    *,
    copy_unknown: bool = False,
) -> Translation:
    """What was written for the row of a source, the best first."""
    copied = partial(reading.copied, source, writes=writes) if copy_unknown else None
    return translation(reading.answer_kind, reading.described(source, row), found, writes, copied)


def blank_answer(text: str) -> Translation:
    return Translation(text, "", [], 0.0, [], None, None, [], cut=False, unseen=0.0)
