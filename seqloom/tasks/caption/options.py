"""The options of a caption, and of measuring captions; they need no torch."""

from __future__ import annotations

from typing import Literal

from seqloom.decoding.settings import DecodingOptions

CaptionMeasure = Literal["loss", "exact", "chrf", "bleu", "rouge_l"]


class CaptionOptions(DecodingOptions):
    """How a caption is decoded, and what is reported of it; limits of length count from the longest in training."""

    attention: bool = True
    """Return the attention weights, if the model has attention."""


class CaptionEvaluateOptions(CaptionOptions):
    """How captions are decoded, and how they are measured."""

    capitals: bool = True
    """Case-sensitive metrics; ignored for a model that writes lower case only."""
    measure: CaptionMeasure | None = None
    """The metric for the confidence interval, by length and for comparison; default: the one that selected it."""
