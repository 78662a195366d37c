"""The CMU Pronouncing Dictionary as tables of pairs: letters, and phonemes without stress.

Of a hundred words two are to choose a model by, ten to measure it with, all pronunciations of a word in one split.
Which split a word is in depends on the word alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b

SHARES = {"valid": 2, "test": 10}
"""Of a hundred words."""


def pronunciation_tables(dictionary: str) -> dict[str, str]:
    """The files train.tsv, valid.tsv and test.tsv.

    >>> list(pronunciation_tables("tomato T AH0 M EY1 T OW2")["train.tsv"].splitlines())
    ['source\\ttarget', 'tomato\\tT AH M EY T OW']
    """
    splits: dict[str, dict[str, None]] = {split: {} for split in ("train", *SHARES)}
    for word, phonemes in entries(dictionary):
        splits[split_of(word)][f"{word}\t{phonemes}\n"] = None  # without stress some are the same
    return {f"{split}.tsv": "source\ttarget\n" + "".join(lines) for split, lines in splits.items()}


def entries(dictionary: str) -> Iterator[tuple[str, str]]:
    """Words and their phonemes: `tomato(2)` is tomato, said in another way; what follows # is a remark."""
    for line in dictionary.splitlines():
        word, *phonemes = line.partition("#")[0].split()
        yield re.sub(r"\(\d+\)$", "", word), " ".join(phoneme.rstrip("012") for phoneme in phonemes)


def split_of(word: str) -> str:
    number = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big") % 100
    for split, share in SHARES.items():
        if number < share:
            return split
        number -= share
    return "train"
