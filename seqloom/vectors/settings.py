"""Settings of co-occurrence vectors and word2vec."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from seqloom.config import Config


class CooccurrenceConfig(Config):
    """Vectors by counting which words stand near each other."""

    width: PositiveInt = 100
    """Dimensions of a word vector."""
    window: PositiveInt = 5
    """Words to each side that count as near."""
    by_distance: bool = True
    """Whether a word d places away counts 1/d instead of 1."""
    min_count: PositiveInt = 5
    """Times a word must occur to be learned; rarer ones are left out of the text."""
    shift: PositiveFloat = 1.0
    """What a pair's chance must be above, as a multiple of coincidence: 5 is what 5 negatives are in word2vec."""
    smoothing: Annotated[float, Field(gt=0, le=1)] = 0.75
    """Power of the counts of context words: below 1 makes rare ones less surprising."""
    singular_power: NonNegativeFloat = 0.5
    """Power of the singular values in the vectors: 1 keeps all of their differences, 0 none."""
    most_pairs: PositiveInt = 50_000_000
    """Different pairs of words that may be counted: about 40 bytes of memory each."""
    seed: NonNegativeInt = 0
    """Of the random directions in which the largest singular values are looked for."""


class Word2VecConfig(Config):
    """word2vec: vectors by predicting words from their neighbours."""

    kind: Literal["skip-gram", "cbow"] = "skip-gram"
    """Whether a word predicts each of its neighbours (skip-gram), or their mean predicts the word (cbow)."""
    width: PositiveInt = 100
    """Dimensions of a word vector."""
    window: Annotated[int, Field(ge=1, le=100)] = 5
    """Words to each side at most; how many is drawn anew for each word, so near ones count more."""
    negatives: PositiveInt = 5
    """Negative samples for each right word."""
    subsample: NonNegativeFloat = 1e-3
    """Relative frequency above which a word is left out now and then; 0 leaves out none."""
    min_count: PositiveInt = 5
    """Times a word must occur to be learned; rarer ones are left out of the text."""
    epochs: PositiveInt = 5
    """Times the text is read."""
    rate: PositiveFloat | None = None
    """Learning rate at the start, falling in a straight line; None is 0.025 (cbow: 0.1), less for very few words."""
    seed: NonNegativeInt = 0
    """Of the initial vectors, the words left out, the windows and the negatives."""
