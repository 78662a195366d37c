"""Unigram parts (Kudo, 2018): a word is cut in the likeliest way, each part having a probability of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tokenizers import models
from tokenizers.models import Model

from seqloom.tokens.content import Content
from seqloom.tokens.likelihood import learn_pieces
from seqloom.tokens.settings import BYTES, SPECIALS, UNK, TokenConfig
from seqloom.tokens.subwords import Subwords, frequent, with_counts

BYTE_ENTRIES = tuple(f"<0x{byte:02X}>" for byte in range(BYTES))
"""How the library names the bytes to which it falls back for a character without an entry."""


class Unigram(Subwords):
    """Cuts a word into its likeliest parts, and characters it does not know into bytes."""

    @staticmethod
    def learn(counts: Mapping[str, int], config: TokenConfig) -> Content:
        counts = frequent(counts)
        fixed = [*SPECIALS, *BYTE_ENTRIES]
        learned = learn_pieces(counts, config.size - len(fixed))
        entries = (*fixed, *(piece for piece, _ in learned))
        scores = (*[0.0] * len(fixed), *(score for _, score in learned))
        return with_counts(Unigram, Content(config, entries, (), scores=scores), counts)

    @staticmethod
    def usable(content: Content) -> bool:
        entries = content.entries
        bytes_there = entries[len(SPECIALS) : len(SPECIALS) + BYTES] == BYTE_ENTRIES
        return bytes_there and all(entries) and len(content.scores) == len(entries)

    def library_model(self) -> Model:
        scored = list(zip(self.content.entries, self.content.scores))
        return models.Unigram(scored, unk_id=UNK, byte_fallback=True)

    def spelling(self, number: int) -> bytes:
        entry = self.content.entries[number]
        byte = re.fullmatch("<0x([0-9A-F]{2})>", entry)
        return bytes([int(byte[1], 16)]) if byte else entry.encode()
