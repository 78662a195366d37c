"""The thread that works, with work whose every step is in our hands."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from seqloom.errors import SeqloomError
from seqloom.serving.desk import Desk
from seqloom.serving.errand import Errand
from seqloom.serving.figures import Figures
from seqloom.serving.refusal import Refusal
from seqloom.serving.settings import Bounds
from seqloom.tasks.requests import Reply, TaskRequest


class Gate:
    """Work that answers "x3" after three steps; each step waits to be let through."""

    def __init__(self, *, open: bool = True) -> None:
        self.steps = threading.Semaphore(10**6 if open else 0)
        self.batches: list[list[str]] = []
        self.worked: list[list[str]] = []

    def begin(self, asked) -> Iterator[list[Reply]]:
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

    def errand(self, *texts: str, together: object = "all", **more) -> Errand:
        return Errand([TaskRequest(text) for text in texts], self.begin, together=together, **more)


async def finished(errand: Errand) -> list[str]:
    known: dict[int, Reply] = {}
    async for newer in errand.growth():
        known = newer
    return [str(known[place].answer) for place in range(len(errand.asked))]


def run(work, **bounds):
    """Some work at a desk, whose thread ends with it."""
    desk = Desk(Bounds(**bounds), Figures())

    async def through():
        try:
            return await work(desk)
        finally:
            desk.close()

    found = asyncio.run(through())
    if desk.thread.ident is not None:
        desk.thread.join(timeout=30)
        assert not desk.thread.is_alive()
    return found


def test_many_requests_become_one_batch():
    gate = Gate()

    async def work(desk):
        errands = [gate.errand(f"x{number}") for number in range(1, 9)]
        for errand in errands:
            desk.take(errand)
        desk.thread.start()
        return [await finished(errand) for errand in errands]

    assert run(work) == [[f"x{number}"] for number in range(1, 9)]
    assert gate.batches == [[f"x{number}" for number in range(1, 9)]]


def test_what_cannot_be_computed_together_is_not():
    gate = Gate()

    async def work(desk):
        errands = [gate.errand("x1", "x2", together=kind) for kind in ("a", "b", "a", None, None)]
        for errand in errands:
            desk.take(errand)
        desk.thread.start()
        return [await finished(errand) for errand in errands]

    assert run(work) == [["x1", "x2"]] * 5
    assert sorted(map(len, gate.batches)) == [2, 2, 2, 4]


def test_a_batch_holds_so_many_rows():
    gate = Gate()

    async def work(desk):
        errand = gate.errand(*["x1"] * 7, rows=3)
        desk.take(errand)
        desk.thread.start()
        return await finished(errand)

    run(work, batch=8)
    assert list(map(len, gate.batches)) == [2, 2, 2, 1]


def test_a_short_text_need_not_wait_for_a_long_one():
    gate = Gate(open=False)

    async def work(desk):
        long, short = gate.errand("x60"), gate.errand("x2")
        desk.take(long)
        desk.thread.start()
        gate.steps.release(1)
        while not gate.worked:
            await asyncio.sleep(0.001)
        desk.take(short)
        gate.steps.release(1000)
        return await finished(short) + await finished(long)

    assert run(work) == ["x2", "x60"]
    assert gate.batches == [["x60"], ["x2"]]
    assert [place for place, texts in enumerate(gate.worked) if texts == ["x2"]][-1] < 6, "they take turns"


def test_an_answer_leaves_at_the_step_in_which_it_is_done():
    gate = Gate(open=False)

    async def work(desk):
        first, second = gate.errand("x1"), gate.errand("x3")
        for errand in (first, second):
            desk.take(errand)
        desk.thread.start()
        gate.steps.release()
        assert await finished(first) == ["x1"]
        assert len(gate.worked) == 1
        gate.steps.release(9)
        assert await finished(second) == ["x3"]

    run(work)


def test_nothing_is_computed_for_who_is_gone():
    gate = Gate(open=False)

    async def work(desk):
        leaves, stays, waits = gate.errand("x50"), gate.errand("x4"), gate.errand("x9", together="other")
        for errand in (leaves, stays, waits):
            desk.take(errand)
        waits.leave()
        desk.thread.start()
        gate.steps.release(1)
        while len(gate.worked) < 1:
            await asyncio.sleep(0.001)
        leaves.leave()
        gate.steps.release(50)
        assert await finished(stays) == ["x4"]

    run(work)
    assert gate.batches == [["x50", "x4"]]
    assert ["x50", "x4"] in gate.worked[:2] and gate.worked[2:] == [["x4"]] * (len(gate.worked) - 2)
    assert len(gate.worked) == 4


def test_a_batch_that_nobody_waits_for_ends():
    gate = Gate(open=False)

    async def work(desk):
        errand = gate.errand("x50")
        desk.take(errand)
        desk.thread.start()
        gate.steps.release(3)
        while len(gate.worked) < 3:
            await asyncio.sleep(0.001)
        errand.leave()
        gate.steps.release(100)

    run(work)
    assert len(gate.worked) <= 5


def test_a_mistake_in_one_request_does_not_hurt_its_neighbours():
    gate = Gate()

    async def work(desk):
        errands = [gate.errand("x2"), gate.errand("wrong"), gate.errand("x3")]
        for errand in errands:
            desk.take(errand)
        desk.thread.start()
        with pytest.raises(SeqloomError, match="a wrong text"):
            await finished(errands[1])
        return [await finished(errands[0]), await finished(errands[2])]

    assert run(work) == [["x2"], ["x3"]]


def test_an_error_of_ours_is_told_without_its_words(caplog):
    def begin(asked):
        raise ValueError("secret words")
        yield

    async def work(desk):
        errand = Errand([TaskRequest("x")], begin)
        desk.take(errand)
        desk.thread.start()
        with pytest.raises(ValueError, match="secret"):
            await finished(errand)

    run(work)
    assert "ValueError at " in caplog.text and "test_desk.py" in caplog.text
    assert "secret" not in caplog.text


def test_the_queue_has_a_bound():
    gate = Gate()

    async def work(desk):
        desk.take(first := gate.errand("x1", "x1", "x1"))
        with pytest.raises(Refusal) as refused:
            desk.take(gate.errand("x1", "x1"))
        assert (refused.value.status, refused.value.bound) == (429, "queue")
        assert refused.value.headers()["retry-after"] == "1"
        desk.take(gate.errand("x1"))
        first.leave()
        desk.take(gate.errand("x1", "x1", "x1"))

    run(work, queue=4)


def test_a_request_that_would_come_too_late_is_refused_at_once():
    gate = Gate(open=False)

    async def work(desk):
        desk.room.size = 2.5  # what was learned
        desk.take(first := gate.errand("x2", "x2"))
        desk.thread.start()
        while not gate.worked and not gate.batches:
            await asyncio.sleep(0.001)
        with pytest.raises(Refusal) as refused:
            desk.take(gate.errand("x1"))
        assert (refused.value.status, refused.value.bound, refused.value.retry_after) == (429, "seconds", 1)
        gate.steps.release(100)
        await finished(first)
        while desk.batches or desk.working:
            await asyncio.sleep(0.001)
        await finished_at(desk, gate.errand("x1", "x1", "x1"))  # who has nothing to do takes anything

    run(work)


async def finished_at(desk, errand):
    desk.take(errand)
    return await finished(errand)


def test_no_answer_in_time_is_an_end():
    gate = Gate(open=False)

    async def work(desk):
        errand = gate.errand("x1", until=asyncio.get_running_loop().time() + 0.05)
        desk.take(errand)
        with pytest.raises(TimeoutError):
            await finished(errand)
        assert not errand.asked[0].wanted

    run(work)


def test_closing_finishes_what_waits():
    gate = Gate()

    async def work(desk):
        errand = gate.errand("x5", "x7")
        desk.take(errand)
        desk.close()
        desk.thread.start()
        return await finished(errand)

    assert run(work) == ["x5", "x7"]


def test_no_texts_are_answered_at_once():
    assert run(lambda desk: finished(Errand([], Gate().begin))) == []
