"""A request's way through models and desk, without HTTP; the desk's thread starts when a test says so."""

import asyncio
import threading
from typing import Any

import pytest

from seqloom.config import check
from seqloom.errors import ConfigError, SeqloomError
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.serving.costs import letters_of, rows_of, tokens_of, work_of
from seqloom.serving.refusal import Refusal
from seqloom.serving.server import Server
from seqloom.serving.settings import Bounds
from seqloom.tasks.generate.settings import GenerateOptions
from seqloom.tasks.translate.settings import TranslateOptions


class Connected:
    """A client that stays."""

    async def receive(self) -> Any:
        await asyncio.Event().wait()


CLIENT: Any = Connected()


def make(models, *names, **bounds) -> Server:
    return Server([str(models / name) for name in names], Bounds(**bounds))


def run(server, work):
    async def through():
        try:
            return await work()
        finally:
            server.desk.close()

    return asyncio.run(through())


def test_a_model_that_requests_wait_for_is_not_loaded_twice_nor_taken_for_another(models):
    server = make(models, "digits", "mood")
    server.shelf.model_bytes = max(entry.size for entry in server.shelf.entries.values())  # there is room for one
    digits, mood = server.shelf.entries.values()

    async def work():
        first = await server.errands([(digits, ["1 2 3"])], {})
        with pytest.raises(Refusal) as refused:
            await server.open(mood)
        assert (refused.value.status, refused.value.bound) == (503, "model_bytes")
        second = await server.errands([(digits, ["4 5"])], {})
        assert first[0].together == second[0].together, "the same model, so one batch"
        server.desk.thread.start()
        assert [found[0].text for found in await server.finish([*first, *second], CLIENT)] == [
            "one two three",
            "four five",
        ]
        del first, second
        for _ in range(100):
            if not server.desk.batches:
                break
            await asyncio.sleep(0.01)
        other = await server.errands([(mood, ["a fine film"])], {})
        assert (await server.finish(other, CLIENT))[0][0].label in ("good", "bad")
        assert list(server.shelf.alive) == ["mood"]

    run(server, work)


def test_errands_of_one_request_all_wait_or_none_does(models):
    server = make(models, "digits", queue=5)
    (entry,) = server.shelf.entries.values()

    async def work():
        await server.errands([(entry, ["1", "2"])], {})
        with pytest.raises(Refusal, match="2 texts are waiting, and 4 more are too many"):
            await server.errands([(entry, ["1", "2", "3"]), (entry, ["4"])], {})
        assert len(server.desk.waiting) == 2
        with pytest.raises(Refusal) as refused:
            await server.errands([(entry, ["1"] * 6)], {})
        assert (refused.value.status, refused.value.bound) == (413, "queue"), "to try again would not help"

    run(server, work)


def test_the_work_of_one_request_is_counted_together(models):
    server = make(models, "digits", work=200)
    (entry,) = server.shelf.entries.values()
    options = {"beam": 2, "max_length": 20}

    async def work():
        await server.errands([(entry, ["1"] * 5)], options)
        with pytest.raises(Refusal, match="up to 240 tokens"):
            await server.errands([(entry, ["1"] * 3), (entry, ["1"] * 3)], options)

    run(server, work)


def test_who_waits_for_a_model_waits_for_one_loading_and_not_for_ever(models, monkeypatch):
    server, gate, loads = make(models, "digits", seconds=0.3), threading.Event(), []
    entry = server.shelf.entries["digits"]
    load = server.shelf.open

    def slow(name):
        loads.append(name)
        gate.wait(30)
        return load(name)

    monkeypatch.setattr(server.shelf, "open", slow)

    async def work():
        late = await asyncio.gather(*(server.open(entry) for _ in range(5)), return_exceptions=True)
        assert [(type(one), getattr(one, "bound", "")) for one in late] == [(Refusal, "seconds")] * 5
        gate.set()
        assert (await server.open(entry)).config.task == "translate"
        assert loads == ["digits"]

    run(server, work)


def test_a_model_that_cannot_be_loaded_is_said_without_details(models, monkeypatch):
    server = make(models, "digits")
    monkeypatch.setattr(server.shelf, "open", lambda name: (_ for _ in ()).throw(OSError("a secret path")))

    async def work():
        with pytest.raises(Refusal) as refused:
            await server.open(server.shelf.entries["digits"])
        assert (refused.value.status, refused.value.message) == (503, "the model digits cannot be loaded")

    run(server, work)


def test_explanations_have_a_bound_and_do_not_stop_the_desk(models):
    server, gate = make(models, "digits", explanations=2), threading.Event()
    (entry,) = server.shelf.entries.values()

    def work_of_one() -> str:
        gate.wait(30)
        return "explained"

    def wrong() -> str:
        raise SeqloomError("too many words")

    async def work():
        await server.open(entry)
        server.desk.thread.start()
        waiting = [asyncio.ensure_future(server.explain(work_of_one)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refusal) as refused:
            await server.explain(work_of_one)
        assert (refused.value.status, refused.value.bound) == (429, "explanations")
        errands = await server.errands([(entry, ["1 2"])], {})
        assert (await server.finish(errands, CLIENT))[0][0].text == "one two"
        gate.set()
        assert await asyncio.gather(*waiting) == ["explained"] * 2
        with pytest.raises(Refusal, match="too many words"):
            await server.explain(wrong)

    run(server, work)


def test_what_a_request_may_cost():
    model = Seq2SeqConfig(name="transformer-tiny", length=50)
    plain = TranslateOptions(beam=3, max_length=10, attention=False)
    assert work_of(["abc", "d"], plain, model) == 3 * (10 + 10)
    assert tokens_of("x" * 100, TranslateOptions(attention=False, max_ratio=2), model) == 2 * 50 + 20
    assert tokens_of("早上好", TranslateOptions(attention=False, max_ratio=1), model) == 10 + 20, "bytes may be tokens"
    looked = TranslateOptions(beam=3, max_length=10, attention=True)
    assert tokens_of("x" * 24, looked, model) == 10 * (1 + 4 * 4 * 25 // 100)
    assert rows_of(TranslateOptions(temperature=1, n_best=7, beam=9)) == 7
    assert work_of(["a", "b"], GenerateOptions(length=30), None) == 60
    assert letters_of([["ab", "c"], {"text": "defg", "age": 5}, 1.5]) == 7


@pytest.mark.parametrize("temperature", [float("inf"), float("nan"), -1, 101])
def test_no_temperature_without_a_number(temperature):
    with pytest.raises(ConfigError):
        check(GenerateOptions, {"temperature": temperature}, where="options")
