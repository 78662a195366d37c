"""The scheduler: one thread that batches the texts of many requests and lets every batch decode one step in turn.

A batch starts once the one before it has ended, or has taken a while: with texts that can be computed together, of all
clients by turns. An answer leaves at the step in which it is done, and a text that nobody waits for any more is dropped
at the next step.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from seqloom.errors import SeqloomError
from seqloom.serving.admission import AdmissionControl
from seqloom.serving.errors import APIError, over_bound
from seqloom.serving.fair_queue import ClientShares, Owner, in_turn
from seqloom.serving.job import Job, notify
from seqloom.serving.logs import log_error
from seqloom.serving.metrics import ServerMetrics
from seqloom.serving.settings import Bounds
from seqloom.tasks.requests import Reply, TaskRequest

MAX_BATCHES = 4
"""Batches that decode in turn, so that a short text need not wait for a long one."""
PATIENCE = 24
"""Steps for which texts wait for a batch to end, and for others to come: one large batch after the other is quicker
than several small ones in turn, also for whoever waited."""
SLICE = 64
"""Sequences of one request in a batch, while others wait: a step of a large batch takes long."""
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

    @property
    def owner(self) -> Owner:
        return self.job.owner


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
        self.all_shares, self.waiting_shares = ClientShares(), ClientShares()
        """Who has texts in flight; who has some that wait."""
        self.active = 0
        """Texts in batches."""
        self.waited = 0
        """Steps since the last batch began."""
        self.condition = threading.Condition()
        self.closing = False
        self.thread = threading.Thread(target=self.run, name="scheduler", daemon=True)

    # --- from outside ---------------------------------------------------------------------------------

    def submit(self, *jobs: Job) -> None:
        """Queue all of these jobs, or reject all of them."""
        with self.condition:
            self.drop_cancelled()
            self.count_rooms()
            self.check_capacity(sum(len(job.inputs) for job in jobs), jobs[0].owner[0] if jobs else "")
            for job in jobs:
                job.owner = jobs[0].owner  # one request
                self.queue.extend(QueuedText(job, index) for index in range(len(job.inputs)))
            self.count_rooms()
            self.condition.notify()

    def count_rooms(self) -> None:
        """Count who has what in flight; called with the lock held."""
        self.waiting_shares.count(self.queue)
        running = [batch.texts[index] for batch in list(self.batches) for index in list(batch.pending)]
        self.all_shares.count([*self.queue, *running])

    def check_capacity(self, more: int, client: str = "") -> None:
        """Reject if so many more texts of a client are too many; cheap, so it can be called before a request is read.

        What counts is what would be done before them, so that one client cannot take the room of all.
        """
        if more > self.bounds.queue:
            raise over_bound("queue", self.bounds.queue, f"{more:,} sentences or texts in one request")
        waiting = self.waiting_shares.ahead(client, more)
        if waiting + more > self.bounds.queue or len(self.queue) + more > 2 * self.bounds.queue:
            what = f"{len(self.queue)} texts are waiting, and {more} more are too many"
            raise APIError(429, what, bound="queue", retry_after=RETRY_AFTER)
        if self.admission.is_full(self.all_shares.ahead(client, more), more):
            what = f"{self.in_flight()} texts are in flight, and more would not be answered within "
            raise APIError(429, f"{what}{self.bounds.seconds:g} seconds", bound="seconds", retry_after=RETRY_AFTER)

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
        while self.may_start() and (texts := self.next_batch()):
            self.start(texts)
            self.waited = 0
        self.waited += 1
        for batch in list(self.batches):
            self.step(batch)
        self.active = sum(len(batch.pending) for batch in self.batches)
        with self.condition:
            self.count_rooms()
        self.metrics.set_load(len(self.queue), self.active)
        return True

    def may_start(self) -> bool:
        """Whether it is time for another batch."""
        free = not self.batches or (self.waited >= PATIENCE and len(self.batches) < MAX_BATCHES)
        return bool(self.queue) and free

    def next_batch(self) -> list[QueuedText]:
        """The texts whose turn it is, with one batch key, as many as a batch holds; none while those who wait have
        their share of the batches: one is kept for newcomers."""
        with self.condition:
            self.drop_cancelled()
            running = [{batch.texts[index].owner for index in batch.pending} for batch in self.batches]
            batches = Counter(owner for owners in running for owner in owners)
            active = Counter(batch.texts[index].owner for batch in self.batches for index in batch.pending)
            owners = {*batches, *(text.owner for text in self.queue)}
            share = max(1, MAX_BATCHES // (len(owners) + 1))
            largest = self.bounds.batch if len(owners) < 2 else min(SLICE, self.bounds.batch)
            chosen: list[QueuedText] = []
            sequences: Counter[Owner] = Counter()
            for text in in_turn(self.queue, active):
                job, own = text.job, sequences[text.owner]
                if batches[text.owner] >= share:
                    continue
                if chosen and (
                    job.batch_key != chosen[0].job.batch_key
                    or sequences.total() + job.sequences > self.bounds.batch
                    or own + job.sequences > largest
                ):
                    continue
                chosen.append(text)
                sequences[text.owner] += job.sequences
            taken = set(map(id, chosen))
            self.queue = deque(text for text in self.queue if id(text) not in taken)
            self.active += len(chosen)
        if chosen:
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
        began, sharing = time.monotonic(), [batch.texts[index].job for index in batch.pending]
        try:
            replies = next(batch.steps)
            each = (time.monotonic() - began) / max(len(sharing), 1)
            for job in sharing:
                job.computed += each
            told: dict[Job, None] = {}
            for reply in replies:
                text = batch.texts[reply.place]
                told[text.job] = None
                text.job.update(Reply(text.index, reply.answer, reply.whole))
                if reply.whole and reply.place in batch.pending:
                    batch.pending.discard(reply.place)
                    self.record_latency(text)
            notify(told)
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
        # what a request computes for itself says nothing of the load: a long text is slow on an idle server too
        self.admission.record(
            text.job.arrived + text.job.computed, time.monotonic(), self.in_flight(), answered=answered
        )
