"""Admission control: how many texts may be in flight so that all are answered in time.

The limit is learned from latencies, as TCP learns its congestion window: additive increase, multiplicative decrease.
"""

from __future__ import annotations

TARGET = 0.5
"""Share of the time allowed that an answer may take before the limit goes down."""
INITIAL, MINIMUM = 128, 4
"""The limit before anything was learned, and the lowest one."""
INCREASE = 0.05
"""Added for each quick answer: a twentieth more whenever all texts in flight have been answered; before the first slow
answer the limit doubles in that time (slow start)."""
DECREASE, COOLDOWN = 0.8, 0.2
"""The factor after a slow answer, and the share of the time allowed in which it is applied once."""


class AdmissionControl:
    """A limit on the texts that wait or are computed at the same time.

    A rate in texts per second would not do: a small batch takes as long as a large one, so that a server that rejects
    some requests would seem slow and reject all.
    """

    def __init__(self, maximum: int, seconds: float) -> None:
        self.maximum, self.seconds = float(maximum), seconds
        self.limit = min(float(INITIAL), self.maximum)
        self.last_decrease = float("-inf")

    def is_full(self, in_flight: int, more: int) -> bool:
        """Whether `more` texts would be too many; an idle server takes any number."""
        return in_flight > 0 and in_flight + more > self.limit

    def record(self, arrived: float, now: float, in_flight: int, *, answered: bool = True) -> None:
        """Learn from a text that arrived then and is answered now, or whose client is gone.

        Slow answers in a row count once: they have one cause. Quick ones raise the limit only while it is nearly
        reached; otherwise they say nothing about it.
        """
        if now - arrived > self.seconds * TARGET:
            if now >= self.last_decrease + self.seconds * COOLDOWN:
                self.limit, self.last_decrease = max(self.limit * DECREASE, float(MINIMUM)), now
        elif answered and 2 * in_flight >= self.limit:
            slow_start = self.last_decrease == float("-inf")
            self.limit = min(self.limit + (1 if slow_start else INCREASE), self.maximum)
