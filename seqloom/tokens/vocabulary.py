"""The vocabulary: the most frequent tokens, and the id of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seqloom.errors import SeqloomError
from seqloom.tokens.settings import SPECIALS, UNK, TokenConfig
from seqloom.tokens.word_counts import LONGEST, check_spelling


class TokenIds(dict[str, int]):
    """From a token to its id; a token that is not in the vocabulary has the id of <unk>.

    >>> ids = TokenIds(("<pad>", "<unk>", "<bos>", "<eos>", "the", "cat"))
    >>> ids["cat"], ids["dog"]
    (5, 1)
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        super().__init__({token: id for id, token in enumerate(tokens) if id >= len(SPECIALS)})

    def __missing__(self, token: str) -> int:
        return UNK


def most_frequent_words(counts: Mapping[str, int], config: TokenConfig) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The tokens, special ones first, and how often each was seen: all others count as unknown."""
    short = {word: count for word, count in counts.items() if len(word) <= LONGEST}
    if not short:
        raise SeqloomError(f"every word has more than {LONGEST} letters", remedy='set tokens.kind = "bpe"')
    kept = [word for word, count in short.items() if count >= config.min_frequency][: config.size - len(SPECIALS)]
    if not kept:
        most, token = max(short.values()), "character" if config.kind == "character" else "word"
        raise SeqloomError(
            f"no {token} was seen {config.min_frequency} times: the most frequent one has a count of {most}",
            remedy=f"set tokens.min_frequency to {most} or less",
        )
    check_spelling(kept)
    seen = [counts[word] for word in kept]
    unknown = sum(counts.values()) - sum(seen)
    return (*SPECIALS, *kept), (0, unknown, 0, 0, *seen)
