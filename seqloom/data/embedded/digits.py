"""Rows of handwritten digits and how they are read aloud: real handwriting, from scikit-learn.

Each digit is one that a person wrote (8 x 8 pixels); several stand in a row, at heights and distances that are drawn.
What was written is cut into train, valid and test before rows are made of it: no handwriting of a test row was seen in
training. Digits of training rows are turned, slanted and stretched a little, each time in another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from random import Random

import numpy as np
from numpy.typing import NDArray

from seqloom.data.embedded.data_set import EmbeddedDataset, Splits
from seqloom.extras import require

ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
CHINESE = ("零", "一", "二", "三", "四", "五", "六", "七", "八", "九")
SIDE, HEIGHT, WIDTH = 8, 12, 48
"""Pixels of a digit, and of a row."""
MOST = 4
"""Digits in a row."""
HELD_OUT = {"valid": 200, "test": 300}
"""Digits as they were written that no row for training has, of 1,797."""
SIZES = {"train": 16_000, "valid": 500, "test": 1_000}
INK = 16
"""The darkest value that scikit-learn has."""
FINE = 32
"""Pixels of a digit while it is turned."""

Written = tuple[NDArray[np.uint8], int]
"""A digit, dark on white, and which it is."""


def handwriting() -> list[Written]:
    """All digits as they were written, in the order of scikit-learn."""
    data = require("sklearn.datasets", "digits", "embedded:digits").load_digits()
    pages = (255 - data.images * (255 / INK)).round().astype(np.uint8)
    return [(page, int(digit)) for page, digit in zip(pages, data.target)]


@cache
def cut() -> dict[str, list[Written]]:
    """Handwriting for each split, none of it in two."""
    written = handwriting()
    Random(0).shuffle(written)
    first, second = HELD_OUT["valid"], sum(HELD_OUT.values())
    return {"train": written[second:], "valid": written[:first], "test": written[first:second]}


def distorted(digit: NDArray[np.uint8], random: Random) -> NDArray[np.uint8]:
    """The digit turned by up to 12 degrees, slanted, and a tenth larger or smaller in each direction."""
    images = require("PIL.Image", "caption", "embedded:digits")
    angle, slant = random.uniform(-12, 12) * np.pi / 180, random.uniform(-0.15, 0.15)
    wide, high = 1 / random.uniform(0.88, 1.1), 1 / random.uniform(0.88, 1.1)
    turned = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    (a, b), (d, e) = matrix = turned @ np.array([[wide, slant], [0, high]])
    c, f = FINE / 2 - matrix @ [FINE / 2, FINE / 2]
    fine = images.fromarray(digit).resize((FINE, FINE), images.Resampling.BICUBIC)
    moved = fine.transform(
        fine.size, images.Transform.AFFINE, (a, b, c, d, e, f), images.Resampling.BICUBIC, fillcolor=255
    )
    return np.asarray(moved.resize((SIDE, SIDE), images.Resampling.BOX))


def row_of(written: Sequence[Written], random: Random, *, distort: bool) -> tuple[NDArray[np.uint8], list[int]]:
    """Some digits in a row, one to four, each a little higher or lower, with drawn distances between them."""
    chosen = [random.choice(written) for _ in range(random.randint(1, MOST))]
    page = np.full((HEIGHT, WIDTH), 255, np.uint8)
    free = WIDTH - SIDE * len(chosen)
    left = random.randint(0, min(free, SIDE))
    for place, (digit, _) in enumerate(chosen):
        top = random.randint(0, HEIGHT - SIDE)
        page[top : top + SIDE, left : left + SIDE] = distorted(digit, random) if distort else digit
        behind = WIDTH - left - SIDE * (len(chosen) - place)
        left += SIDE + random.randint(0, min(3, behind))
    return page, [digit for _, digit in chosen]


@cache
def rows() -> dict[str, list[tuple[NDArray[np.uint8], list[int]]]]:
    """The rows of each split, whatever language they are read in."""
    made = {}
    for split, written in cut().items():
        random = Random(split)
        made[split] = [row_of(written, random, distort=split == "train") for _ in range(SIZES[split])]
    return made


def make(words: Sequence[str], between: str) -> Splits:
    return {
        split: [(page, between.join(words[digit] for digit in digits)) for page, digits in found]
        for split, found in rows().items()
    }


DIGITS = EmbeddedDataset(
    name="digits",
    task="caption",
    title="Rows of handwritten digits, in English words",
    licence="CC BY 4.0 (UCI, Optical recognition of handwritten digits)",
    make=partial(make, ENGLISH, " "),
)
DIGITS_ZH = EmbeddedDataset(
    name="digits-zh",
    task="caption",
    title="Rows of handwritten digits, in Chinese",
    licence=DIGITS.licence,
    make=partial(make, CHINESE, ""),
)
