"""Words as tokens: each known word has a number, the others share one.

Cut and looked up by Python itself: `re` and `dict` do this two to three times as fast on a core as the library's
word model, which has to build an object for every text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from seqloom.errors import SeqloomError
from seqloom.tokens.chinese import chinese_words, segmenter
from seqloom.tokens.content import Content, Cutter, Piece
from seqloom.tokens.counting import keep
from seqloom.tokens.joining import join
from seqloom.tokens.letters import HAN, word_pattern
from seqloom.tokens.settings import BOS, EOS, PAD, SPECIALS, UNK, TokenConfig
from seqloom.tokens.typos import Mender, mend_counts

LEFT_OUT = -1
"""Stands for a stop word until it is dropped."""

REMEMBERED = 100_000
"""Unknown words whose mending is remembered."""

is_han = re.compile(f"[{HAN}]").match


class Words(Cutter):
    """Words, numbers and punctuation marks; Han characters alone, or words of them."""

    def __init__(self, content: Content) -> None:
        self.shown = content.entries
        self.cut = self.counted(content.config)
        self.table = Table(content)
        self.drops = bool(content.config.stop_list)

    @staticmethod
    def counted(config: TokenConfig) -> Callable[[str], Iterable[str]]:
        if config.chinese == "words":
            segmenter()  # says at once when it is not installed
            return lambda text: [word for word, _ in chinese_spans(text)]
        return word_pattern().findall

    @staticmethod
    def learn(counts: Mapping[str, int], config: TokenConfig) -> Content:
        if stop := config.stop_list:
            counts = {word: count for word, count in counts.items() if word.lower() not in stop}
            if not counts:
                raise SeqloomError("every word is a stop word", remedy='set tokens.stop_words = "none"')
        counts, typos = mend_counts(counts, config.typo_ratio) if config.mend_typos else (counts, {})
        entries, seen = keep(counts, config)
        known = set(entries[len(SPECIALS) :])
        kept = {typo: meant for typo, meant in sorted(typos.items()) if meant in known}
        return Content(config, entries, seen, typos=kept)

    def encode(self, texts: Iterable[str]) -> list[list[int]]:
        cut, number = self.cut, self.table.__getitem__
        if self.drops:
            return [[id for id in map(number, cut(text)) if id != LEFT_OUT] for text in texts]
        return [list(map(number, cut(text))) for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        return self.join(self.shown[id] for id in ids if id not in (PAD, BOS, EOS))

    def pieces(self, text: str) -> list[Piece]:
        found = [(self.table[word], word, start) for word, start in self.spans(text)]
        kept = [(id, word, start) for id, word, start in found if id != LEFT_OUT]
        return [
            Piece(id, self.shown[id], start, start + len(word), number) for number, (id, word, start) in enumerate(kept)
        ]

    def spans(self, text: str) -> Iterator[tuple[str, int]]:
        """The words of a text, and where each begins."""
        if self.table.config.chinese == "words":
            return chinese_spans(text)
        return ((found[0], found.start()) for found in word_pattern().finditer(text))

    def join(self, words: Iterable[str]) -> str:
        return join(words)


class Spaced(Words):
    """Words as the text separates them, with all that clings to them: for text that was cut before."""

    @staticmethod
    def counted(config: TokenConfig) -> Callable[[str], Iterable[str]]:
        return str.split

    def spans(self, text: str) -> Iterator[tuple[str, int]]:
        return ((found[0], found.start()) for found in re.finditer(r"\S+", text))

    def join(self, words: Iterable[str]) -> str:
        return " ".join(words)


class Table(dict[str, int]):
    """The number of every word: known, a typo of a known one, left out, or unknown."""

    def __init__(self, content: Content) -> None:
        self.config = content.config
        known = {word: number for number, word in enumerate(content.entries) if number >= len(SPECIALS)}
        self.stop = content.config.stop_list
        left_out = {form: LEFT_OUT for word in self.stop for form in (word, word.capitalize(), word.upper())}
        super().__init__({**known, **{typo: known[meant] for typo, meant in content.typos.items()}, **left_out})
        self.counts = {word: content.counts[number] for word, number in known.items()}
        self.mender: Mender | None = None
        self.mended: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        if self.stop and word.lower() in self.stop:
            return LEFT_OUT
        return self.mend(word) if self.config.mend_typos else UNK

    def mend(self, word: str) -> int:
        number = self.mended.get(word)
        if number is None:
            if self.mender is None:
                self.mender = Mender.knowing(self.counts, self.config.typo_ratio)
            if len(self.mended) >= REMEMBERED:
                self.mended.clear()
            meant = self.mender.mend(word)
            number = self.mended[word] = UNK if meant is None else self[meant]
        return number


def chinese_spans(text: str) -> Iterator[tuple[str, int]]:
    """Words with their places, those of Chinese found by the segmenter."""
    for found in word_pattern(han_runs=True).finditer(text):
        start = found.start()
        for word in chinese_words(found[0]) if is_han(found[0]) else (found[0],):
            yield word, start
            start += len(word)
