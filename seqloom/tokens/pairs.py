"""Dictionaries for pairs of texts: one for each side, or one for both."""

from __future__ import annotations

from collections.abc import Iterable

from seqloom.tokens.counting import Count
from seqloom.tokens.reading import reader
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import KINDS, Tokenizer


def train_pair(
    pairs: Iterable[tuple[str, str]], config: TokenConfig | None = None, written: TokenConfig | None = None
) -> tuple[Tokenizer, Tokenizer]:
    """Tokenizers of source and target, from one pass over the pairs; `joint` gives the same one twice.

    config   how a source is cut
    written  how a target is, if in another way
    """
    config = config or TokenConfig()
    written = written or config
    source = count_for(config)
    target = source if config.joint else count_for(written)
    for left, right in pairs:
        source.add(left)
        target.add(right)
    first = Tokenizer.learn(source, config)
    return first, first if config.joint else Tokenizer.learn(target, written)


def count_for(config: TokenConfig) -> Count:
    return Count(KINDS[config.kind].counted(config), reader(config))
