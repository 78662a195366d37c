"""Settings of co-occurrence vectors and word2vec."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from seqloom.config import Config


class CooccurrenceConfig(Config):
    """Word vectors from co-occurrence counts (PPMI and SVD)."""

    width: PositiveInt = 100
    """Dimension of a word vector."""
    window: PositiveInt = 5
    """Context window: words to each side."""
    by_distance: bool = True
    """Weight a context word at distance d by 1/d instead of 1."""
    min_count: PositiveInt = 5
    """Minimum count of a word; rarer words are removed from the text."""
    shift: PositiveFloat = 1.0
    """Shift k of shifted PPMI: log k is subtracted; k = 5 corresponds to 5 negative samples in word2vec."""
    smoothing: Annotated[float, Field(gt=0, le=1)] = 0.75
    """Exponent of the context counts (context distribution smoothing)."""
    singular_power: NonNegativeFloat = 0.5
    """Exponent of the singular values in the vectors."""
    most_pairs: PositiveInt = 50_000_000
    """Maximum number of distinct word pairs, about 40 bytes of memory each."""
    seed: NonNegativeInt = 0
    """Random seed of the randomised SVD."""


class Word2VecConfig(Config):
    """word2vec: vectors by predicting words from their neighbours."""

    kind: Literal["skip-gram", "cbow"] = "skip-gram"
    """Predict the context from the word (skip-gram), or the word from the mean of its context (cbow)."""
    width: PositiveInt = 100
    """Dimension of a word vector."""
    window: Annotated[int, Field(ge=1, le=100)] = 5
    """Maximum context window; the actual one is sampled for each word, so that near words count more."""
    negatives: PositiveInt = 5
    """Negative samples per positive pair."""
    subsample: NonNegativeFloat = 1e-3
    """Subsampling threshold: words with a higher relative frequency are randomly dropped; 0: none."""
    min_count: PositiveInt = 5
    """Minimum count of a word; rarer words are removed from the text."""
    epochs: PositiveInt = 5
    """Passes over the text."""
    rate: PositiveFloat | None = None
    """Initial learning rate, with linear decay; None: 0.025 (cbow: 0.1), less for small vocabularies."""
    seed: NonNegativeInt = 0
    """Random seed."""
