"""Text as one long sequence of tokens, in which <eos> is the line break; and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from seqloom.data.corpus import RELEASE_EVERY, Corpus
from seqloom.tokens.tokenizer import Tokenizer

Tokens = NDArray[np.int64]


def lines_of(texts: Iterable[str]) -> Iterable[str]:
    """All lines of all texts."""
    return chain.from_iterable(text.split("\n") for text in texts)


def to_tokens(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    """Each text as tokens, with <eos> between its lines."""
    counts = [text.count("\n") + 1 for text in texts]
    lines = iter(tokenizer.encode_batch(list(lines_of(texts))))
    found = []
    for count in counts:
        tokens = next(lines)
        for _ in range(count - 1):
            tokens = [*tokens, tokenizer.eos, *next(lines)]
        found.append(tokens)
    return found


def to_text(tokenizer: Tokenizer, tokens: Iterable[int]) -> str:
    """What tokens spell: line by line, for words are joined within a line."""
    lines: list[list[int]] = [[]]
    for token in tokens:
        if token == tokenizer.eos:
            lines.append([])
        else:
            lines[-1].append(token)
    return "\n".join(map(tokenizer.decode, lines))


class LongText:
    """All lines of a corpus as one sequence: it stays on the disk, and a segment is read when it is needed."""

    def __init__(self, corpus: Corpus, before: int) -> None:
        self.corpus, self.before = corpus, before
        self.token_ids = corpus.arrays["text"]
        self.segments = 0

    def __len__(self) -> int:
        return len(self.token_ids)

    def read(self, start: int, stop: int) -> Tokens:
        """Tokens from start to stop; what stands before the first one, at -1, is `before`."""
        self.segments += 1
        if self.segments % RELEASE_EVERY == 0:
            self.corpus.release_memory()
        found = np.array(self.token_ids[max(start, 0) : stop], np.int64)
        return found if start >= 0 else np.concatenate([[self.before], found])
