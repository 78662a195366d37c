"""Models that decode by themselves: engines with a search of their own, which hand out whole sequences."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from seqloom.decoding.hypotheses import DecodingUpdate
from seqloom.decoding.settings import DecodingOptions


class SequenceWriter(ABC):
    """A model that is given sources and gives what is written from them, instead of logits."""

    at_once: int = 64
    """Sources that it wants to have together."""

    @abstractmethod
    def write_steps(
        self, sources: Sequence[Sequence[int]], requests: Sequence[Any], prefix: Sequence[int], options: DecodingOptions
    ) -> Iterator[list[DecodingUpdate]]:
        """After each step the sequences that are ready.

        sources   token ids, <eos> last
        requests  whom they are for; those that are not `wanted` any more may be left out
        prefix    token ids that every sequence begins with
        """
