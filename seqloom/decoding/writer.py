"""Models that decode by themselves: engines with a search of their own, which hand out whole sequences."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from seqloom.decoding.hypotheses import DecodingUpdate, SampledToken
from seqloom.decoding.settings import DecodingOptions


class SequenceWriter(ABC):
    """A model that is given sources and gives what is written from them, instead of logits."""

    at_once: int = 64
    """Sources that it wants to have together."""

    @abstractmethod
    def write_steps(
        self, sources: Sequence[Any], requests: Sequence[Any], prefix: Sequence[int], options: DecodingOptions
    ) -> Iterator[list[DecodingUpdate]]:
        """After each step the sequences that are ready.

        sources   token ids, <eos> last; or frames, or the pixels of pictures
        requests  whom they are for; those that are not `wanted` any more may be left out
        prefix    token ids that every sequence begins with
        """


class TextContinuer(ABC):
    """A model that is given texts and gives what comes after them, instead of logits."""

    @abstractmethod
    def continue_texts(
        self, texts: Sequence[Sequence[int]], keys: Sequence[str], options: Any, wanted: Callable[[int], bool]
    ) -> Iterator[list[SampledToken]]:
        """After each step what was written.

        texts    token ids, one at least
        keys     the seed of each text, as text
        options  of the task: `SamplingOptions`, and how long a text may get (`length`, `lines`)
        wanted   whether anybody still waits for a text, by its index
        """
