"""Dictionaries for pairs of texts: one for each side, or one for both."""

from __future__ import annotations

from collections.abc import Iterable

from seqloom.tokens.counting import Count
from seqloom.tokens.reading import reader
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import KINDS, Tokenizer


def train_pair(pairs: Iterable[tuple[str, str]], config: TokenConfig | None = None) -> tuple[Tokenizer, Tokenizer]:
    """Tokenizers of source and target, from one pass over the pairs; `joint` gives the same one twice."""
    config = config or TokenConfig()
    cut, read = KINDS[config.kind].counted(config), reader(config)
    source = Count(cut, read)
    target = source if config.joint else Count(cut, read)
    for left, right in pairs:
        source.add(left)
        target.add(right)
    first = Tokenizer.learn(source, config)
    return first, first if config.joint else Tokenizer.learn(target, config)
