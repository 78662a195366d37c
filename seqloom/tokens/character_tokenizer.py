"""Characters as tokens, the space among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from seqloom.tokens.backend import TokenizerBackend, TokenizerData, TokenPiece
from seqloom.tokens.pretokenization import is_cjk, pretoken_pattern
from seqloom.tokens.settings import BOS, EOS, PAD, SPECIALS, TokenConfig
from seqloom.tokens.vocabulary import TokenIds, most_frequent_words


class CharacterTokenizer(TokenizerBackend):
    """Every Unicode character is a token."""

    def __init__(self, data: TokenizerData) -> None:
        self.vocabulary = data.tokens
        self.ids = TokenIds(data.tokens)

    @staticmethod
    def splitter(config: TokenConfig) -> Callable[[str], Iterable[str]]:
        return iter

    @staticmethod
    def learn(counts: Mapping[str, int], config: TokenConfig) -> TokenizerData:
        return TokenizerData(config, *most_frequent_words(counts, config))

    @staticmethod
    def is_valid(data: TokenizerData) -> bool:
        return all(len(token) == 1 for token in data.tokens[len(SPECIALS) :])

    def encode(self, texts: Iterable[str]) -> list[list[int]]:
        id_of = self.ids.__getitem__
        return [list(map(id_of, text)) for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(self.vocabulary[id] for id in ids if id not in (PAD, BOS, EOS))

    def pieces(self, text: str) -> list[TokenPiece]:
        pieces: list[TokenPiece] = []
        word = -1
        for part in pretoken_pattern().finditer(text):
            first = part.start() + part[0].startswith(" ")  # a space goes with the word behind it
            for place in range(*part.span()):
                if place == part.start() or (place > first and is_cjk(text[place])):
                    word += 1
                id = self.ids[text[place]]
                pieces.append(TokenPiece(id, self.vocabulary[id], place, place + 1, word))
        return pieces
