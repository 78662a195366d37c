"""The thread that works: texts of many requests become batches, and every batch takes one step in turn.

A batch begins as soon as a place is free; its texts are those that waited longest and can be computed together. An
answer leaves at the step in which it is done, and a text that nobody waits for any more is dropped at the next step.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from seqloom.errors import SeqloomError
from seqloom.serving.errand import Errand
from seqloom.serving.figures import Figures
from seqloom.serving.logs import report
from seqloom.serving.refusal import Refusal, over
from seqloom.serving.room import Room
from seqloom.serving.settings import Bounds
from seqloom.tasks.requests import Reply, TaskRequest

AT_ONCE = 4
"""Batches that are worked on in turn, so that a short text need not wait for a long one."""
RETRY = 1
"""Seconds after which who was refused may try again."""


@dataclass(frozen=True)
class Text:
    """One input of an errand, waiting."""

    errand: Errand
    place: int

    @property
    def asked(self) -> TaskRequest:
        return self.errand.asked[self.place]


@dataclass
class Batch:
    """Texts that are worked on together."""

    texts: list[Text]
    steps: Iterator[Sequence[Reply]]
    left: set[int] = field(default_factory=set)
    """Places whose answers are still wanted and not whole."""

    @classmethod
    def of(cls, texts: list[Text]) -> Batch:
        steps = texts[0].errand.begin([text.asked for text in texts])
        return cls(texts, steps, set(range(len(texts))))

    def errands(self) -> list[Errand]:
        return list(dict.fromkeys(text.errand for text in self.texts))


class Desk:
    """A queue with a bound, and one thread."""

    def __init__(self, bounds: Bounds, figures: Figures) -> None:
        self.bounds, self.figures = bounds, figures
        self.waiting: deque[Text] = deque()
        self.batches: list[Batch] = []
        self.room = Room(bounds.queue, bounds.seconds)
        self.working = 0
        self.changed = threading.Condition()
        self.closing = False
        self.thread = threading.Thread(target=self.work, name="desk", daemon=True)

    # --- from outside ---------------------------------------------------------------------------------

    def take(self, *errands: Errand) -> None:
        """Let errands wait for their turn, all of them; or refuse them."""
        with self.changed:
            self.forget_unwanted()
            self.check_room(sum(len(errand.asked) for errand in errands))
            for errand in errands:
                self.waiting.extend(Text(errand, place) for place in range(len(errand.asked)))
            self.changed.notify()

    def check_room(self, more: int) -> None:
        """Refuse if there is no room for so many more texts; cheap, so it can be asked before a request is read."""
        if more > self.bounds.queue:
            raise over("queue", self.bounds.queue, f"{more:,} sentences or texts in one request")
        if (waiting := len(self.waiting)) + more > self.bounds.queue:
            what = f"{waiting} texts are waiting, and {more} more are too many"
            raise Refusal(429, what, bound="queue", retry_after=RETRY)
        if self.room.full(here := self.here(), more):
            what = f"{here} texts are worked on, and more would not be answered in {self.bounds.seconds:g} seconds"
            raise Refusal(429, what, bound="seconds", retry_after=RETRY)

    def here(self) -> int:
        """Texts that wait or are worked on."""
        return len(self.waiting) + self.working

    def forget_unwanted(self) -> None:
        if any(not text.asked.wanted for text in self.waiting):
            self.waiting = deque(text for text in self.waiting if text.asked.wanted)

    def close(self) -> None:
        """Finish what waits, then end."""
        with self.changed:
            self.closing = True
            self.changed.notify()

    # --- in the thread --------------------------------------------------------------------------------

    def work(self) -> None:
        while self.turn():
            pass  # what a turn had in its hands is let go of before the next one is waited for

    def turn(self) -> bool:
        """Begin what can begin, and let every batch take a step; False once there is nothing more to come."""
        with self.changed:
            while not self.waiting and not self.batches and not self.closing:
                self.changed.wait()
            if self.closing and not self.waiting and not self.batches:
                return False
        while self.waiting and len(self.batches) < AT_ONCE and (texts := self.next_texts()):
            self.begin(texts)
        for batch in list(self.batches):
            self.step(batch)
        self.working = sum(len(batch.left) for batch in self.batches)
        self.figures.step(len(self.waiting), self.working)
        return True

    def next_texts(self) -> list[Text]:
        """Those that waited longest, of one kind, as many as a batch holds."""
        with self.changed:
            self.forget_unwanted()
            chosen: list[Text] = []
            rest: deque[Text] = deque()
            rows = 0
            for text in self.waiting:
                fits = not chosen or (
                    text.errand.together == chosen[0].errand.together and rows + text.errand.rows <= self.bounds.batch
                )
                if fits:
                    rows += text.errand.rows
                (chosen if fits else rest).append(text)
            self.waiting = rest
            self.working += len(chosen)
        self.figures.batch(len(chosen))
        return chosen

    def begin(self, texts: list[Text]) -> None:
        try:
            self.batches.append(Batch.of(texts))
        except Exception as error:
            self.failed(Batch(texts, iter(())), error)

    def step(self, batch: Batch) -> None:
        """One step of a batch."""
        for errand in batch.errands():
            if time.monotonic() > errand.until:  # the clock of the event loop
                errand.leave()
        try:
            for said in next(batch.steps):
                text = batch.texts[said.place]
                text.errand.tell(Reply(text.place, said.answer, said.whole))
                if said.whole and said.place in batch.left:
                    batch.left.discard(said.place)
                    self.learn(text)
        except StopIteration:
            self.batches.remove(batch)
        except Exception as error:
            self.batches.remove(batch)
            self.failed(batch, error)
        else:
            gone = {place for place in batch.left if not batch.texts[place].asked.wanted}
            for place in gone:
                self.learn(batch.texts[place], answered=False)
            batch.left -= gone
            if not batch.left:
                self.batches.remove(batch)  # all are answered, or nobody waits any more

    def failed(self, batch: Batch, error: Exception) -> None:
        """A mistake in one request must not hurt its neighbours: each is tried again by itself."""
        errands = batch.errands()
        if len(errands) == 1:
            if not isinstance(error, SeqloomError):
                report(error)
            errands[0].fail(error)
            return
        for errand in errands:
            own = [text for text in batch.texts if text.errand is errand and not errand.answered(text.place)]
            if own:
                self.begin(own)

    def learn(self, text: Text, *, answered: bool = True) -> None:
        self.room.learn(text.errand.arrived, time.monotonic(), self.here(), answered=answered)
