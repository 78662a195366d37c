"""The thread that works, with work whose every step is in our hands."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any, cast

import pytest

from seqloom.errors import SeqloomError
from seqloom.serving.errors import APIError
from seqloom.serving.job import CLIENT, Job
from seqloom.serving.metrics import ServerMetrics
from seqloom.serving.scheduler import PATIENCE, Scheduler
from seqloom.serving.settings import Bounds
from seqloom.tasks.requests import Reply, TaskRequest


class Gate:
    """Work that answers "x3" after three steps; each step waits to be let through."""

    def __init__(self, *, open: bool = True) -> None:
        self.steps = threading.Semaphore(10**6 if open else 0)
        self.batches: list[list[str]] = []
        self.worked: list[list[str]] = []

    def compute(self, asked) -> Iterator[list[Reply]]:
        self.batches.append([one.input for one in asked])
        left = dict(enumerate(asked))
        for step in range(1, 100):
            if not left:
                return
            assert self.steps.acquire(timeout=30)
            left = {place: one for place, one in left.items() if one.wanted}
            self.worked.append([one.input for one in left.values()])
            if "wrong" in self.worked[-1]:
                raise SeqloomError("a wrong text")
            done = [place for place, one in left.items() if int(one.input[1:] or 1) == step]
            yield [Reply(place, left.pop(place).input) for place in done]

    def job(self, *texts: str, batch_key: object = "all", **more) -> Job:
        return Job([TaskRequest(text) for text in texts], self.compute, batch_key=batch_key, **more)


async def finished(job: Job) -> list[str]:
    known: dict[int, Reply] = {}
    async for newer in job.updates():
        known = newer
    return [str(known[place].answer) for place in range(len(job.inputs))]


def run(work, **bounds):
    """Some work at a scheduler, whose thread ends with it."""
    scheduler = Scheduler(Bounds(**bounds), ServerMetrics())

    async def through():
        try:
            return await work(scheduler)
        finally:
            scheduler.close()

    found = asyncio.run(asyncio.wait_for(through(), 60))
    if scheduler.thread.ident is not None:
        scheduler.thread.join(timeout=30)
        assert not scheduler.thread.is_alive()
    return found


def test_many_requests_become_one_batch():
    gate = Gate()

    async def work(scheduler):
        jobs = [gate.job(f"x{number}") for number in range(1, 9)]
        for job in jobs:
            scheduler.submit(job)
        scheduler.thread.start()
        return [await finished(job) for job in jobs]

    assert run(work) == [[f"x{number}"] for number in range(1, 9)]
    assert gate.batches == [[f"x{number}" for number in range(1, 9)]]


def test_what_cannot_be_computed_together_is_not():
    gate = Gate()

    async def work(scheduler):
        jobs = [gate.job("x1", "x2", batch_key=kind) for kind in ("a", "b", "a", None, None)]
        for job in jobs:
            scheduler.submit(job)
        scheduler.thread.start()
        return [await finished(job) for job in jobs]

    assert run(work) == [["x1", "x2"]] * 5
    assert sorted(map(len, gate.batches)) == [2, 2, 2, 4]


def test_a_batch_holds_so_many_rows():
    gate = Gate()

    async def work(scheduler):
        job = gate.job(*["x1"] * 7, sequences=3)
        scheduler.submit(job)
        scheduler.thread.start()
        return await finished(job)

    run(work, batch=8)
    assert list(map(len, gate.batches)) == [2, 2, 2, 1]


def test_a_short_text_need_not_wait_for_a_long_one():
    gate = Gate(open=False)

    async def work(scheduler):
        long, short = gate.job("x60"), gate.job("x2")
        scheduler.submit(long)
        scheduler.thread.start()
        gate.steps.release(1)
        while not gate.worked:
            await asyncio.sleep(0.001)
        scheduler.submit(short)
        gate.steps.release(1000)
        return await finished(short) + await finished(long)

    assert run(work) == ["x2", "x60"]
    assert gate.batches == [["x60"], ["x2"]]
    assert [place for place, texts in enumerate(gate.worked) if texts == ["x2"]][-1] < 30, "they take turns"


def test_an_answer_leaves_at_the_step_in_which_it_is_done():
    gate = Gate(open=False)

    async def work(scheduler):
        first, second = gate.job("x1"), gate.job("x3")
        for job in (first, second):
            scheduler.submit(job)
        scheduler.thread.start()
        gate.steps.release()
        assert await finished(first) == ["x1"]
        assert len(gate.worked) == 1
        gate.steps.release(9)
        assert await finished(second) == ["x3"]

    run(work)


def test_nothing_is_computed_for_who_is_gone():
    gate = Gate(open=False)

    async def work(scheduler):
        leaves, stays, waits = gate.job("x50"), gate.job("x4"), gate.job("x9", batch_key="other")
        for job in (leaves, stays, waits):
            scheduler.submit(job)
        waits.cancel()
        scheduler.thread.start()
        gate.steps.release(1)
        while len(gate.worked) < 1:
            await asyncio.sleep(0.001)
        leaves.cancel()
        gate.steps.release(50)
        assert await finished(stays) == ["x4"]

    run(work)
    assert gate.batches == [["x50", "x4"]]
    assert ["x50", "x4"] in gate.worked[:2] and gate.worked[2:] == [["x4"]] * (len(gate.worked) - 2)
    assert len(gate.worked) == 4


def test_a_batch_that_nobody_waits_for_ends():
    gate = Gate(open=False)

    async def work(scheduler):
        job = gate.job("x50")
        scheduler.submit(job)
        scheduler.thread.start()
        gate.steps.release(3)
        while len(gate.worked) < 3:
            await asyncio.sleep(0.001)
        job.cancel()
        gate.steps.release(100)

    run(work)
    assert len(gate.worked) <= 5


def test_a_mistake_in_one_request_does_not_hurt_its_neighbours():
    gate = Gate()

    async def work(scheduler):
        jobs = [gate.job("x2"), gate.job("wrong"), gate.job("x3")]
        for job in jobs:
            scheduler.submit(job)
        scheduler.thread.start()
        with pytest.raises(SeqloomError, match="a wrong text"):
            await finished(jobs[1])
        return [await finished(jobs[0]), await finished(jobs[2])]

    assert run(work) == [["x2"], ["x3"]]


def test_an_error_of_ours_is_told_without_its_words(caplog):
    def compute(asked):
        raise ValueError("secret words")
        yield

    async def work(scheduler):
        job = Job([TaskRequest("x")], compute)
        scheduler.submit(job)
        scheduler.thread.start()
        with pytest.raises(ValueError, match="secret"):
            await finished(job)

    run(work)
    assert "ValueError at " in caplog.text and "test_scheduler.py" in caplog.text
    assert "secret" not in caplog.text


def test_the_queue_has_a_bound():
    gate = Gate()

    async def work(scheduler):
        scheduler.submit(first := gate.job("x1", "x1", "x1"))
        with pytest.raises(APIError) as refused:
            scheduler.submit(gate.job("x1", "x1", "x1"))
        assert (refused.value.status, refused.value.bound) == (429, "queue")
        assert refused.value.headers()["retry-after"] == "1"
        scheduler.submit(gate.job("x1"))
        first.cancel()
        scheduler.submit(gate.job("x1", "x1", "x1"))

    run(work, queue=4)


def test_a_request_that_would_come_too_late_is_refused_at_once():
    gate = Gate(open=False)

    async def work(scheduler):
        scheduler.admission.limit = 2.5  # what was learned
        scheduler.submit(first := gate.job("x2"))
        scheduler.submit(second := gate.job("x2"))
        scheduler.thread.start()
        while not gate.worked and not gate.batches:
            await asyncio.sleep(0.001)
        with pytest.raises(APIError) as refused:
            scheduler.submit(gate.job("x1"))
        assert (refused.value.status, refused.value.bound, refused.value.retry_after) == (429, "seconds", 1)
        gate.steps.release(100)
        await finished(first)
        await finished(second)
        while scheduler.batches or scheduler.active:
            await asyncio.sleep(0.001)
        await finished_at(scheduler, gate.job("x1", "x1", "x1"))  # who has nothing to do takes anything

    run(work)


async def finished_at(scheduler, job):
    scheduler.submit(job)
    return await finished(job)


def test_no_answer_in_time_is_an_end():
    gate = Gate(open=False)

    async def work(scheduler):
        job = gate.job("x1", deadline=asyncio.get_running_loop().time() + 0.05)
        scheduler.submit(job)
        with pytest.raises(TimeoutError):
            await finished(job)
        assert not job.inputs[0].wanted

    run(work)


def test_closing_finishes_what_waits():
    gate = Gate()

    async def work(scheduler):
        job = gate.job("x5", "x7")
        scheduler.submit(job)
        scheduler.close()
        scheduler.thread.start()
        return await finished(job)

    assert run(work) == ["x5", "x7"]


def test_no_texts_are_answered_at_once():
    assert run(lambda scheduler: finished(Job([], Gate().compute))) == []


# --- one client among others --------------------------------------------------------------------------


def from_address(gate: Gate, address: str, *texts: str, **more) -> Job:
    token = CLIENT.set(address)
    try:
        return gate.job(*texts, **more)
    finally:
        CLIENT.reset(token)


@pytest.mark.parametrize("address", ["10.0.0.1", "10.0.0.2"], ids=["the same address", "another address"])
def test_a_request_with_many_texts_does_not_shut_others_out(address):
    """Three hundred sentences of one text were more than the limit: everybody else was refused until they were done."""
    gate = Gate(open=False)

    async def work(scheduler):
        scheduler.admission.limit = 20.0
        scheduler.submit(many := from_address(gate, "10.0.0.1", *["x30"] * 300))
        scheduler.thread.start()
        while not gate.batches:
            await asyncio.sleep(0.001)
        short = [from_address(gate, address, "x1") for _ in range(10)]
        for job in short:
            scheduler.submit(job)
        with pytest.raises(APIError):
            scheduler.submit(from_address(gate, address, *["x1"] * 20))
        gate.steps.release(10_000)
        found = [await finished(job) for job in short]
        await finished(many)
        return found

    assert run(work) == [["x1"]] * 10
    worked = [place for place, texts in enumerate(gate.worked) if "x1" in texts]
    assert worked[-1] < len(gate.worked) / 2, "they need not wait for its end"


def test_many_requests_of_one_address_count_as_one_client():
    gate = Gate(open=False)

    async def work(scheduler):
        scheduler.admission.limit = 20.0
        for _ in range(20):
            scheduler.submit(from_address(gate, "10.0.0.1", "x1"))
        with pytest.raises(APIError):
            scheduler.submit(from_address(gate, "10.0.0.1", "x1"))
        scheduler.submit(from_address(gate, "10.0.0.2", "x1"))
        gate.steps.release(1_000)

    run(work)


def test_waiting_texts_are_taken_by_turns():
    gate = Gate()

    async def work(scheduler):
        jobs = [
            from_address(gate, "a", "x1", "x2", "x3"),
            from_address(gate, "a", "x4"),
            from_address(gate, "b", "x5", "x6"),
        ]
        for job in jobs:
            scheduler.submit(job)
        scheduler.thread.start()
        for job in jobs:
            await finished(job)

    run(work, batch=3)
    assert gate.batches[0] == ["x1", "x5", "x4"], "a request of each client, then the next of each"


def test_a_request_that_is_slow_by_itself_does_not_lower_the_limit():
    """What one long text takes on an idle server says nothing of the load."""
    scheduler = Scheduler(Bounds(seconds=1e-3), ServerMetrics())
    gate = Gate()

    async def work():
        def slow(asked) -> Iterator[list[Reply]]:
            time.sleep(0.02)
            yield [Reply(0, cast(Any, "x1"))]

        job = Job([TaskRequest("x1")], slow)
        scheduler.submit(job, gate.job())
        before = scheduler.admission.limit
        scheduler.run_once()
        assert scheduler.admission.limit >= before

    asyncio.run(asyncio.wait_for(work(), 60))


def test_texts_wait_for_one_large_batch_but_not_for_long():
    gate = Gate(open=False)

    async def work(scheduler):
        first = gate.job("x60")
        scheduler.submit(first)
        scheduler.thread.start()
        while not gate.batches:
            await asyncio.sleep(0.01)
        one, other = gate.job("x1"), gate.job("x2", "x2")
        scheduler.submit(one)
        scheduler.submit(other)
        gate.steps.release(10**6)
        return [await finished(job) for job in (one, other, first)]

    assert run(work) == [["x1"], ["x2", "x2"], ["x60"]]
    assert gate.batches == [["x60"], ["x1", "x2", "x2"]]
    assert gate.worked.index(["x1", "x2", "x2"]) == PATIENCE + 1  # the longer one is stepped first


def test_a_batch_starts_as_soon_as_the_one_before_it_has_ended():
    gate = Gate(open=False)

    async def work(scheduler):
        first = gate.job("x3", "x4")
        scheduler.submit(first)
        scheduler.thread.start()
        while not gate.batches:
            await asyncio.sleep(0.01)
        second = gate.job("x1", "x2")
        scheduler.submit(second)
        gate.steps.release(10**6)
        return [await finished(job) for job in (first, second)]

    run(work)
    assert gate.worked[4] == ["x1", "x2"]
