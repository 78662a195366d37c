"""What a classifier learned before its first step, as `config.json` keeps it: the schema that it is held to."""

from __future__ import annotations

from pydantic import FiniteFloat

from seqloom.config import Config
from seqloom.tasks.facts import Deviation, FrameFacts, Names


class NumberFacts(Config):
    """The scale of the number that is predicted."""

    mean: FiniteFloat
    deviation: Deviation


class FeatureFacts(Config):
    """Columns beside the input: the mean and deviation of numbers, and the categories that are known."""

    standardise: bool
    numbers: dict[str, tuple[FiniteFloat, Deviation]]
    binary: list[str]
    categories: dict[str, Names]


class ClassifyFacts(Config):
    """Labels or a scale, and what the inputs need."""

    labels: Names | None = None
    number: NumberFacts | None = None
    frames: FrameFacts | None = None
    features: FeatureFacts | None = None
