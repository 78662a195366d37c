"""How the tokens of a text are shown beside attention weights: those of one character together, and by word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from seqloom.tokens.settings import EOS
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.tokens.whole_characters import whole_characters

UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""Han characters and kana: between their words nobody writes spaces."""
SPACES = ("▁", " ", "\t", "\n", "<0x20>", "<0x09>", "<0x0A>")
"""How tokens show what stands between words."""


@dataclass(frozen=True)
class Pieces:
    """What is shown of tokens, each with the piece and the word that it belongs to."""

    indices: list[int]
    """For each token its piece: most are one, several that are bytes of a character are one together."""
    texts: list[str]
    """The pieces."""
    of_word: list[int]
    """For each piece its word."""

    @classmethod
    def of(cls, tokenizer: Tokenizer, tokens: Sequence[int]) -> Self:
        shown = [tokenizer.vocabulary[token] for token in tokens]
        spaced = tokenizer.config.kind in ("bpe", "unigram", "character")
        indices, texts = whole_characters(shown)
        ends = {index for index, token in zip(indices, tokens, strict=True) if token == EOS}
        return cls(indices, texts, words_of(texts, ends, spaced))

    @property
    def word_indices(self) -> list[int]:
        """For each token its word."""
        return [self.of_word[piece] for piece in self.indices]

    def words(self) -> list[str]:
        """The words as they are read, without the spaces before them."""
        joined = [""] * (self.of_word[-1] + 1 if self.of_word else 0)
        for text, word in zip(self.texts, self.of_word, strict=True):
            joined[word] += text
        return [text.strip("▁ ") or text for text in joined]


def words_of(pieces: Sequence[str], ends: set[int], spaced: bool) -> list[int]:
    """The word that each piece belongs to: a new one begins with spaces, and an end is one by itself.

    Where a script has no spaces (Chinese, Japanese), each piece of it is a word of its own.
    """
    indices: list[int] = []
    blank, unspaced = True, False  # nothing but spaces so far in this word; it ends in a script without spaces
    for place, shown in enumerate(pieces):
        here = bool(UNSPACED.match(shown.lstrip("▁ \t\n")))
        begins = not spaced or place in ends or ((shown.startswith(SPACES) or here or unspaced) and not blank)
        indices.append(indices[-1] + begins if indices else 0)
        blank = (begins or blank) and (shown in SPACES or not shown.strip("▁ \t\n"))
        unspaced = here
    return indices
