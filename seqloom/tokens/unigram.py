"""The unigram model (Kudo, 2018): a word is split in the most probable way, each subword having its probability."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tokenizers import models
from tokenizers.models import Model

from seqloom.tokens.backend import TokenizerData
from seqloom.tokens.settings import BYTES, SPECIALS, UNK, TokenConfig
from seqloom.tokens.subword_tokenizer import SubwordTokenizer, frequent, with_counts
from seqloom.tokens.unigram_training import train_pieces

BYTE_TOKENS = tuple(f"<0x{byte:02X}>" for byte in range(BYTES))
"""How the library names the bytes to which it falls back for an unknown character."""


class UnigramTokenizer(SubwordTokenizer):
    """Splits a word into its most probable subwords, and characters it does not know into bytes."""

    @staticmethod
    def learn(counts: Mapping[str, int], config: TokenConfig) -> TokenizerData:
        counts = frequent(counts)
        fixed = [*SPECIALS, *BYTE_TOKENS]
        learned = train_pieces(counts, config.size - len(fixed))
        tokens = (*fixed, *(piece for piece, _ in learned))
        scores = (*[0.0] * len(fixed), *(score for _, score in learned))
        return with_counts(UnigramTokenizer, TokenizerData(config, tokens, (), scores=scores), counts)

    @staticmethod
    def is_valid(data: TokenizerData) -> bool:
        tokens = data.tokens
        bytes_there = tokens[len(SPECIALS) : len(SPECIALS) + BYTES] == BYTE_TOKENS
        return bytes_there and all(tokens) and len(data.scores) == len(tokens)

    def library_model(self) -> Model:
        scored = list(zip(self.data.tokens, self.data.scores))
        return models.Unigram(scored, unk_id=UNK, byte_fallback=True)

    def bytes_of(self, id: int) -> bytes:
        token = self.data.tokens[id]
        byte = re.fullmatch("<0x([0-9A-F]{2})>", token)
        return bytes([int(byte[1], 16)]) if byte else token.encode()
