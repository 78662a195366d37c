"""The options of a translation, and of measuring translations; they need no torch."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from seqloom.decoding.settings import DecodingOptions

Measure = Literal["bleu", "chrf", "exact", "phrase_f1", "rouge_l", "loss"]


class TranslateOptions(DecodingOptions):
    """How an answer is decoded, and what is reported of it."""

    attention: bool = True
    """Whether the answer has its attention weights, if the model has attention."""
    copy_unknown: bool = False
    """Replace each unknown word of the answer by the source word with the highest attention weight."""
    task_tag: str = Field("", max_length=100)
    """Of a model for several tasks, the tag of the one that is asked for; empty: every text begins with it."""


class TranslateEvaluateOptions(TranslateOptions):
    """How answers are decoded, and how they are measured."""

    capitals: bool = True
    """Whether capitals count; of a model that writes none they never do."""
    measure: Measure | None = None
    """The metric with an interval, by length and against another model; without, the one that chose the model."""
