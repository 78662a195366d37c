"""How much may be let in so that all of it is answered in time: learned from the answers, as TCP learns its window."""

from __future__ import annotations

AMPLE = 0.5
"""The share of the time allowed that an answer may take before less is let in."""
FIRST, LEAST = 128, 4
"""Texts that are let in before anything was learned, and at least."""
MORE = 0.05
"""Added for each quick answer: a twentieth more whenever all that are here have been answered; twice as many before the
first slow one."""
LESS, PAUSE = 0.8, 0.2
"""What is left after an answer that was slow, and the share of the time allowed in which that happens once."""


class Room:
    """Texts that may wait or be worked on at the same time.

    A speed in texts per second would not do: a batch of few takes as long as one of many, so that who refuses some
    would seem slow and refuse all.
    """

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = float(most), seconds
        self.size = min(float(FIRST), self.most)
        self.lessened = float("-inf")

    def full(self, here: int, more: int) -> bool:
        """Whether those who come would be too many; who has nothing to do takes anything."""
        return here > 0 and here + more > self.size

    def learn(self, arrived: float, now: float, here: int, *, answered: bool = True) -> None:
        """A text that arrived then is answered now, or its client is gone; so many others are here.

        Slow ones in a row count once: they tell of one mistake. Quick ones say that there is room for more only where
        about as many as are let in have come.
        """
        if now - arrived > self.seconds * AMPLE:
            if now >= self.lessened + self.seconds * PAUSE:
                self.size, self.lessened = max(self.size * LESS, float(LEAST)), now
        elif answered and 2 * here >= self.size:
            unknown = self.lessened == float("-inf")
            self.size = min(self.size + (1 if unknown else MORE), self.most)
