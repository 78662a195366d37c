"""What may be said when a model is asked to write."""

from __future__ import annotations

from typing import Self

from pydantic import Field, NonNegativeInt, model_validator

from seqloom.config import problem
from seqloom.decoding.sampling import Sampling


class Search(Sampling):
    """How an answer is found: by beam search, or, with a temperature, by drawing."""

    beam: int = Field(4, ge=1, le=100)
    """Unfinished answers that are followed side by side; 1 takes the best word in every step."""
    n_best: int = Field(1, ge=1, le=100)
    """Answers for each input: by beam search the best first, else as they are drawn."""
    length_penalty: float = Field(1.0, ge=0, le=10)
    """0 prefers short answers; 1 divides by a length; above, longer ones."""
    max_length: int = Field(0, ge=0, le=100_000)
    """Tokens of an answer at most; 0: by the length of the source, see `max_ratio`."""
    max_ratio: float = Field(3.0, gt=0, le=100)
    """Tokens of an answer at most for each token of the source, and twenty more."""
    min_length: NonNegativeInt = 0
    """Tokens of an answer at least."""
    no_repeat: NonNegativeInt = 0
    """No run of so many tokens comes twice in an answer; 0 for any."""
    prefix: str = Field("", max_length=1_000)
    """What every answer begins with."""

    @model_validator(mode="after")
    def enough_is_followed(self) -> Self:
        if not self.temperature and self.n_best > self.beam:
            raise problem("n_best", f"{self.n_best} answers from a beam of {self.beam}", remedy="widen beam to n_best")
        return self

    def limit(self, source: int) -> int:
        """The most tokens that an answer to so many tokens may have."""
        return self.max_length or self.usual(source)

    def usual(self, source: int) -> int:
        """The length from which on an answer is taken to go on for ever."""
        return int(source * self.max_ratio) + 20
