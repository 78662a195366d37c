"""Words and pairs of neighbours as tokens: what a bag of words needs to tell "not good" from "good".

Paper: A. Joulin et al., Bag of tricks for efficient text classification, EACL 2017 (there pairs are hashed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from seqloom.tokens.backend import TokenizerData, TokenPiece
from seqloom.tokens.settings import UNK, TokenConfig
from seqloom.tokens.word_tokenizer import WordTokenizer

BETWEEN = " "
"""Between the two words of a pair; no word has a space in it, so a token with one is a pair."""
SEEN = 2
"""Times a pair must be seen to be known: one that was seen once is learned by heart and says nothing of other texts."""


class NgramTokenizer(WordTokenizer):
    """Each word, and behind it the pair that it begins, if that is known.

    A text is read as "not", "not good", "good": cut anywhere, it is still words with their pairs. Decoding leaves pairs
    out, so the text comes back.
    """

    @staticmethod
    def splitter(config: TokenConfig) -> Callable[[str], Iterable[str]]:
        words = WordTokenizer.splitter(config)
        return lambda text: with_pairs(words(text))

    @staticmethod
    def learn(counts: Mapping[str, int], config: TokenConfig) -> TokenizerData:
        kept = {token: count for token, count in counts.items() if count >= SEEN or BETWEEN not in token}
        return WordTokenizer.learn(kept, config)

    def encode(self, texts: Iterable[str]) -> list[list[int]]:
        known = self.ids
        return [
            [known.get(token, UNK) for token in self.cut(text) if token in known or BETWEEN not in token]
            for text in texts
        ]

    def decode(self, ids: Sequence[int]) -> str:
        return super().decode([id for id in ids if BETWEEN not in self.vocabulary[id]])

    def pieces(self, text: str) -> list[TokenPiece]:
        words = super().pieces(text)
        found = []
        for piece, following in zip(words, [*words[1:], None]):
            found.append(piece)
            if following is None:
                break
            pair = f"{text[piece.start : piece.end]}{BETWEEN}{text[following.start : following.end]}"
            if pair in self.ids:
                found.append(TokenPiece(self.ids[pair], pair, piece.start, following.end, piece.word))
        return found


def with_pairs(words: Iterable[str]) -> Iterator[str]:
    """Each word, and behind it the pair that it begins.

    >>> list(with_pairs(["not", "so", "good"]))
    ['not', 'not so', 'so', 'so good', 'good']
    """
    last = None
    for word in words:
        if last is not None:
            yield last
            yield f"{last}{BETWEEN}{word}"
        last = word
    if last is not None:
        yield last
