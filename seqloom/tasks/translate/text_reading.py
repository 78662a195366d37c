"""Texts as a translator reads them: token ids, <eos> last; it needs no torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seqloom.attention.attention_weights import AttentionMap
from seqloom.errors import DataError, quoted
from seqloom.tasks.pieces import Pieces
from seqloom.tasks.translate.answers import GivenSource, ReadSource, Translation, with_copies
from seqloom.tokens.settings import EOS
from seqloom.tokens.tokenizer import Tokenizer


class TextReading:
    """Reads texts with a tokenizer, of each at most `length` tokens, <eos> among them."""

    answer_kind = Translation

    def __init__(self, tokenizer: Tokenizer, length: int) -> None:
        self.tokenizer, self.longest = tokenizer, length - 1

    def accept(self, given: Any) -> Any:
        if not isinstance(given, str):
            raise DataError(f"{quoted(given)} is not a text", remedy="give a string")
        return given

    def read(self, given: Sequence[Any]) -> list[GivenSource]:
        texts = [self.accept(one) for one in given]
        encoded = iter(self.tokenizer.encode_batch([text for text in texts if text.strip()]))
        return [GivenSource(text, next(encoded)) if text.strip() else GivenSource(text, [], True) for text in texts]

    def row(self, values: Any) -> list[int]:
        return [*values[: self.longest], EOS]

    def is_cut(self, values: Any) -> bool:
        return len(values) > self.longest

    def described(self, source: GivenSource, row: Any) -> ReadSource:
        def names() -> tuple[list[str], Pieces]:
            return [self.tokenizer.vocabulary[token] for token in row], Pieces.of(self.tokenizer, row)

        return ReadSource(source.shown, names, self.tokenizer.unseen(row[:-1]), self.is_cut(source.values))

    def copied(self, source: GivenSource, tokens: Sequence[int], attention: AttentionMap, writes: Tokenizer) -> str:
        return with_copies(tokens, attention, writes, source.shown, self.tokenizer)
