"""Characters as tokens, the space among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from seqloom.tokens.content import Content, Cutter, Piece
from seqloom.tokens.counting import keep
from seqloom.tokens.letters import is_cjk, part_pattern
from seqloom.tokens.settings import BOS, EOS, PAD, SPECIALS, UNK, TokenConfig


class Characters(Cutter):
    """Every Unicode character is a token."""

    def __init__(self, content: Content) -> None:
        self.shown = content.entries
        numbers = range(len(SPECIALS), len(content.entries))
        self.table = Table({content.entries[number]: number for number in numbers})

    @staticmethod
    def counted(config: TokenConfig) -> Callable[[str], Iterable[str]]:
        return iter

    @staticmethod
    def learn(counts: Mapping[str, int], config: TokenConfig) -> Content:
        return Content(config, *keep(counts, config))

    @staticmethod
    def usable(content: Content) -> bool:
        return all(len(entry) == 1 for entry in content.entries[len(SPECIALS) :])

    def encode(self, texts: Iterable[str]) -> list[list[int]]:
        number = self.table.__getitem__
        return [list(map(number, text)) for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(self.shown[id] for id in ids if id not in (PAD, BOS, EOS))

    def pieces(self, text: str) -> list[Piece]:
        pieces: list[Piece] = []
        word = -1
        for part in part_pattern().finditer(text):
            first = part.start() + part[0].startswith(" ")  # a space goes with the word behind it
            for place in range(*part.span()):
                if place == part.start() or (place > first and is_cjk(text[place])):
                    word += 1
                number = self.table[text[place]]
                pieces.append(Piece(number, self.shown[number], place, place + 1, word))
        return pieces


class Table(dict[str, int]):
    """The number of every character."""

    def __missing__(self, letter: str) -> int:
        return UNK
