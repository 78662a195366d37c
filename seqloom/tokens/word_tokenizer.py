"""Words as tokens: each known word has a token id, all others are <unk>.

Cut and looked up by Python itself: `re` and `dict` do this two to three times as fast on a core as the library's
word model, which has to build an object for every text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from seqloom.errors import SeqloomError
from seqloom.tokens.backend import TokenizerBackend, TokenizerData, TokenPiece
from seqloom.tokens.chinese import chinese_words, segmenter
from seqloom.tokens.detokenizer import detokenize
from seqloom.tokens.pretokenization import HAN, word_pattern
from seqloom.tokens.settings import BOS, EOS, PAD, SPECIALS, UNK, TokenConfig
from seqloom.tokens.typos import TypoCorrector, correct_counts
from seqloom.tokens.vocabulary import TokenIds, most_frequent_words

LEFT_OUT = -1
"""Stands for a stop word until it is dropped."""

CACHED = 100_000
"""Unknown words whose correction is cached."""

is_han = re.compile(f"[{HAN}]").match


class WordTokenizer(TokenizerBackend):
    """Words, numbers and punctuation marks; Han characters alone, or words of them."""

    def __init__(self, data: TokenizerData) -> None:
        self.vocabulary = data.tokens
        self.cut = self.splitter(data.config)
        self.ids = WordIds(data)
        self.drops = bool(data.config.stop_list)

    @staticmethod
    def splitter(config: TokenConfig) -> Callable[[str], Iterable[str]]:
        if config.chinese == "words":
            segmenter()  # says at once when it is not installed
            return lambda text: [word for word, _ in chinese_spans(text)]
        return word_pattern().findall

    @staticmethod
    def learn(counts: Mapping[str, int], config: TokenConfig) -> TokenizerData:
        if stop := config.stop_list:
            counts = {word: count for word, count in counts.items() if word.lower() not in stop}
            if not counts:
                raise SeqloomError("every word is a stop word", remedy='set tokens.stop_words = "none"')
        counts, typos = correct_counts(counts, config.typo_ratio) if config.mend_typos else (counts, {})
        tokens, seen = most_frequent_words(counts, config)
        known = set(tokens[len(SPECIALS) :])
        kept = {typo: meant for typo, meant in sorted(typos.items()) if meant in known}
        return TokenizerData(config, tokens, seen, typos=kept)

    def encode(self, texts: Iterable[str]) -> list[list[int]]:
        cut, id_of = self.cut, self.ids.__getitem__
        if self.drops:
            return [[id for id in map(id_of, cut(text)) if id != LEFT_OUT] for text in texts]
        return [list(map(id_of, cut(text))) for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        return self.join(self.vocabulary[id] for id in ids if id not in (PAD, BOS, EOS))

    def pieces(self, text: str) -> list[TokenPiece]:
        found = [(self.ids[word], word, start) for word, start in self.spans(text)]
        kept = [(id, word, start) for id, word, start in found if id != LEFT_OUT]
        return [
            TokenPiece(id, self.vocabulary[id], start, start + len(word), number)
            for number, (id, word, start) in enumerate(kept)
        ]

    def spans(self, text: str) -> Iterator[tuple[str, int]]:
        """The words of a text, and where each begins."""
        if self.ids.config.chinese == "words":
            return chinese_spans(text)
        return ((found[0], found.start()) for found in word_pattern().finditer(text))

    def join(self, words: Iterable[str]) -> str:
        return detokenize(words)


class WhitespaceTokenizer(WordTokenizer):
    """Words as the text separates them, with all that clings to them: for text that was tokenised before."""

    @staticmethod
    def splitter(config: TokenConfig) -> Callable[[str], Iterable[str]]:
        return str.split

    def spans(self, text: str) -> Iterator[tuple[str, int]]:
        return ((found[0], found.start()) for found in re.finditer(r"\S+", text))

    def join(self, words: Iterable[str]) -> str:
        return " ".join(words)


class WordIds(TokenIds):
    """The token id of every word: known, a typo of a known one, left out, or unknown."""

    def __init__(self, data: TokenizerData) -> None:
        super().__init__(data.tokens)
        self.config = data.config
        self.counts = {word: data.counts[id] for word, id in self.items()}
        self.stop = data.config.stop_list
        self.update({typo: self[meant] for typo, meant in data.typos.items()})
        self.update({form: LEFT_OUT for word in self.stop for form in (word, word.capitalize(), word.upper())})
        self.corrector: TypoCorrector | None = None
        self.corrected: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        if self.stop and word.lower() in self.stop:
            return LEFT_OUT
        return self.correct(word) if self.config.mend_typos else UNK

    def correct(self, word: str) -> int:
        id = self.corrected.get(word)
        if id is None:
            if self.corrector is None:
                self.corrector = TypoCorrector.knowing(self.counts, self.config.typo_ratio)
            if len(self.corrected) >= CACHED:
                self.corrected.clear()
            meant = self.corrector.correct(word)
            id = self.corrected[word] = UNK if meant is None else self[meant]
        return id


def chinese_spans(text: str) -> Iterator[tuple[str, int]]:
    """Words with their places, those of Chinese found by the segmenter."""
    for found in word_pattern(han_runs=True).finditer(text):
        start = found.start()
        for word in chinese_words(found[0]) if is_han(found[0]) else (found[0],):
            yield word, start
            start += len(word)
