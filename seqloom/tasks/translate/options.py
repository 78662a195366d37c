"""The options of a translation, and of measuring translations; they need no torch."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from seqloom.decoding.settings import DecodingOptions

Measure = Literal["bleu", "chrf", "exact", "phrase_f1", "rouge_l", "loss"]


class TranslateOptions(DecodingOptions):
    """How an answer is decoded, and what is reported of it."""

    attention: bool = True
    """Return the attention weights, if the model has attention."""
    copy_unknown: bool = False
    """Replace each unknown token of the answer by the source word with the highest attention weight."""
    task_tag: str = Field("", max_length=100)
    """The tag of the task, for a model with several; empty: every text begins with its tag."""


class TranslateEvaluateOptions(TranslateOptions):
    """How answers are decoded, and how they are measured."""

    capitals: bool = True
    """Case-sensitive metrics; ignored for a model that writes lower case only."""
    measure: Measure | None = None
    """The metric for the confidence interval, by length and for comparison; default: the one that selected it."""
