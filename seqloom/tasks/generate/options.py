"""The options of a text that is written on; they need no torch."""

from __future__ import annotations

from pydantic import Field, NonNegativeInt, PositiveInt

from seqloom.decoding.settings import SamplingOptions


class GenerateOptions(SamplingOptions):
    """How a text is continued, or its blanks are filled."""

    temperature: float = Field(0.8, ge=0, le=100)
    length: PositiveInt = 200
    """Maximum number of tokens to generate."""
    lines: NonNegativeInt = 0
    """Stop after this many lines; 0: generate `length` tokens."""
    candidates: PositiveInt = 5
    """Number of candidates listed for each blank that a masked model fills."""
