"""Text to measure with: as much as one likes, and like real text where it matters, in how words repeat.

Words are made of syllables and drawn by Zipf's law; a tenth of the lines are real sentences, where such are given.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

STARTS = ("", "b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl", "ch", "sh")
ENDS = ("", "n", "r", "s", "l", "t")
SYLLABLES = [start + vowel + end for start in STARTS for vowel in "aeiou" for end in ENDS]
WORDS = 200_000
AT_ONCE = 20_000
MARKS = ".....,!?"


def write_lines(file: Path, count: int, seed: int, real: Sequence[str] = ()) -> None:
    """Lines `label<TAB>text`."""
    with file.open("w", encoding="utf-8") as stream:
        for first in range(0, count, AT_ONCE):
            stream.writelines(lines(min(AT_ONCE, count - first), np.random.default_rng([seed, first]), real))


def lines(count: int, random: np.random.Generator, real: Sequence[str]) -> Iterator[str]:
    lengths = random.integers(3, 18, count)
    ranks = np.searchsorted(SHARES, random.random(int(lengths.sum())))
    found = iter(VOCABULARY[ranks])
    taken = random.integers(0, max(len(real) * 10, 1), count)
    for length, place, label, mark in zip(lengths, taken, random.integers(0, 4, count), random.integers(0, 8, count)):
        made = " ".join([next(found) for _ in range(length)])
        yield f"topic{label}\t{real[place] if place < len(real) else made.capitalize() + MARKS[mark]}\n"


def vocabulary() -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    """Different words, short ones first."""
    random = np.random.default_rng(0)
    made: dict[str, None] = {}
    while len(made) < WORDS:
        longest = 2 + (len(made) > 300) + (len(made) > 20_000)
        made["".join(random.choice(SYLLABLES, random.integers(1, longest + 1)))] = None
    return np.array(list(made), dtype=object)


def real_sentences(folder: Path) -> list[str]:
    """Reviews of films, if they are there."""
    found: list[str] = []
    for file in sorted(folder.glob("rt-polarity/*.gz")):
        with gzip.open(file, "rt", encoding="utf-8", errors="replace") as stream:
            found += [line.strip().replace("\t", " ") for line in stream if line.strip()]
    return found


VOCABULARY = vocabulary()
SHARES = np.cumsum(1 / np.arange(1, WORDS + 1))
SHARES /= SHARES[-1]
