"""The scheduler: one thread that batches the texts of many requests and lets every batch decode one step in turn.

A batch starts as soon as there is a free slot, with the texts that waited longest and can be computed together. An
answer leaves at the step in which it is done, and a text that nobody waits for any more is dropped at the next step.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from seqloom.errors import SeqloomError
from seqloom.serving.admission import AdmissionControl
from seqloom.serving.errors import APIError, over_bound
from seqloom.serving.job import Job
from seqloom.serving.logs import log_error
from seqloom.serving.metrics import ServerMetrics
from seqloom.serving.settings import Bounds
from seqloom.tasks.requests import Reply, TaskRequest

MAX_BATCHES = 4
"""Batches that decode in turn, so that a short text need not wait for a long one."""
RETRY_AFTER = 1
"""Seconds after which a rejected client may try again."""


@dataclass(frozen=True)
class QueuedText:
    """One input of a job."""

    job: Job
    index: int

    @property
    def input(self) -> TaskRequest:
        return self.job.inputs[self.index]


@dataclass
class RunningBatch:
    """Texts that are computed together."""

    texts: list[QueuedText]
    steps: Iterator[Sequence[Reply]]
    pending: set[int] = field(default_factory=set)
    """Texts whose answers are still wanted and not whole."""

    @classmethod
    def start(cls, texts: list[QueuedText]) -> RunningBatch:
        steps = texts[0].job.compute([text.input for text in texts])
        return cls(texts, steps, set(range(len(texts))))

    def jobs(self) -> list[Job]:
        return list(dict.fromkeys(text.job for text in self.texts))


class Scheduler:
    """A bounded queue, and the thread that works on it."""

    def __init__(self, bounds: Bounds, metrics: ServerMetrics) -> None:
        self.bounds, self.metrics = bounds, metrics
        self.queue: deque[QueuedText] = deque()
        self.batches: list[RunningBatch] = []
        self.admission = AdmissionControl(bounds.queue, bounds.seconds)
        self.active = 0
        """Texts in batches."""
        self.condition = threading.Condition()
        self.closing = False
        self.thread = threading.Thread(target=self.run, name="scheduler", daemon=True)

    # --- from outside ---------------------------------------------------------------------------------

    def submit(self, *jobs: Job) -> None:
        """Queue all of these jobs, or reject all of them."""
        with self.condition:
            self.drop_cancelled()
            self.check_capacity(sum(len(job.inputs) for job in jobs))
            for job in jobs:
                self.queue.extend(QueuedText(job, index) for index in range(len(job.inputs)))
            self.condition.notify()

    def check_capacity(self, more: int) -> None:
        """Reject if so many more texts are too many; cheap, so it can be called before a request is read."""
        if more > self.bounds.queue:
            raise over_bound("queue", self.bounds.queue, f"{more:,} sentences or texts in one request")
        if (waiting := len(self.queue)) + more > self.bounds.queue:
            what = f"{waiting} texts are waiting, and {more} more are too many"
            raise APIError(429, what, bound="queue", retry_after=RETRY_AFTER)
        if self.admission.is_full(in_flight := self.in_flight(), more):
            what = f"{in_flight} texts are in flight, and more would not be answered in {self.bounds.seconds:g} seconds"
            raise APIError(429, what, bound="seconds", retry_after=RETRY_AFTER)

    def in_flight(self) -> int:
        """Texts that wait or are computed."""
        return len(self.queue) + self.active

    def drop_cancelled(self) -> None:
        if any(not text.input.wanted for text in self.queue):
            self.queue = deque(text for text in self.queue if text.input.wanted)

    def close(self) -> None:
        """Finish what is queued, then end."""
        with self.condition:
            self.closing = True
            self.condition.notify()

    # --- in the thread --------------------------------------------------------------------------------

    def run(self) -> None:
        while self.run_once():
            pass  # a call of its own, so that nothing of the last batch is held while the next is waited for

    def run_once(self) -> bool:
        """Start the batches that can start, and step each one; False once there is nothing more to come."""
        with self.condition:
            while not self.queue and not self.batches and not self.closing:
                self.condition.wait()
            if self.closing and not self.queue and not self.batches:
                return False
        while self.queue and len(self.batches) < MAX_BATCHES and (texts := self.next_batch()):
            self.start(texts)
        for batch in list(self.batches):
            self.step(batch)
        self.active = sum(len(batch.pending) for batch in self.batches)
        self.metrics.set_load(len(self.queue), self.active)
        return True

    def next_batch(self) -> list[QueuedText]:
        """The texts that waited longest, with one batch key, as many as a batch holds."""
        with self.condition:
            self.drop_cancelled()
            chosen: list[QueuedText] = []
            rest: deque[QueuedText] = deque()
            sequences = 0
            for text in self.queue:
                job = text.job
                fits = not chosen or (
                    job.batch_key == chosen[0].job.batch_key and sequences + job.sequences <= self.bounds.batch
                )
                if fits:
                    sequences += job.sequences
                (chosen if fits else rest).append(text)
            self.queue = rest
            self.active += len(chosen)
        self.metrics.observe_batch(len(chosen))
        return chosen

    def start(self, texts: list[QueuedText]) -> None:
        try:
            self.batches.append(RunningBatch.start(texts))
        except Exception as error:
            self.handle_failure(RunningBatch(texts, iter(())), error)

    def step(self, batch: RunningBatch) -> None:
        """One decoding step of a batch."""
        for job in batch.jobs():
            if time.monotonic() > job.deadline:  # the clock of the event loop
                job.cancel()
        try:
            for reply in next(batch.steps):
                text = batch.texts[reply.place]
                text.job.update(Reply(text.index, reply.answer, reply.whole))
                if reply.whole and reply.place in batch.pending:
                    batch.pending.discard(reply.place)
                    self.record_latency(text)
        except StopIteration:
            self.batches.remove(batch)
        except Exception as error:
            self.batches.remove(batch)
            self.handle_failure(batch, error)
        else:
            cancelled = {index for index in batch.pending if not batch.texts[index].input.wanted}
            for index in cancelled:
                self.record_latency(batch.texts[index], answered=False)
            batch.pending -= cancelled
            if not batch.pending:
                self.batches.remove(batch)  # all are answered, or nobody waits any more

    def handle_failure(self, batch: RunningBatch, error: Exception) -> None:
        """A mistake in one request must not fail its neighbours: each job is tried again by itself."""
        jobs = batch.jobs()
        if len(jobs) == 1:
            if not isinstance(error, SeqloomError):
                log_error(error)
            jobs[0].fail(error)
            return
        for job in jobs:
            own = [text for text in batch.texts if text.job is job and not job.is_done(text.index)]
            if own:
                self.start(own)

    def record_latency(self, text: QueuedText, *, answered: bool = True) -> None:
        self.admission.record(text.job.arrived, time.monotonic(), self.in_flight(), answered=answered)
