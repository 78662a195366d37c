"""A request's way through models and scheduler, without HTTP; the scheduler's thread starts when a test says so."""

import asyncio
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from seqloom.config import check
from seqloom.errors import ConfigError, SeqloomError
from seqloom.explaining.trained import explain_model
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.serving.errors import APIError
from seqloom.serving.service import InferenceService
from seqloom.serving.settings import Bounds
from seqloom.tasks.generate.options import GenerateOptions
from seqloom.tasks.task import characters_in
from seqloom.tasks.translate.options import TranslateOptions
from seqloom.tasks.translate.settings import TranslateConfig
from seqloom.tasks.translate.task import Translate
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.loading import load


class Connected:
    """A client that stays."""

    async def receive(self) -> Any:
        await asyncio.Event().wait()


CLIENT: Any = Connected()


def make(models, *names, **bounds) -> InferenceService:
    return InferenceService([str(models / name) for name in names], Bounds(**bounds))


def run(service, work):
    async def through():
        try:
            return await work()
        finally:
            service.scheduler.close()

    return asyncio.run(asyncio.wait_for(through(), 120))


def test_a_model_that_requests_wait_for_is_not_loaded_twice_nor_taken_for_another(models):
    service = make(models, "digits", "mood")
    service.model_store.model_bytes = max(
        entry.size for entry in service.model_store.entries.values()
    )  # there is room for one
    digits, mood = service.model_store.entries.values()

    async def work():
        first = await service.submit([(digits, ["1 2 3"])], {})
        with pytest.raises(APIError) as refused:
            await service.load_model(mood)
        assert (refused.value.status, refused.value.bound) == (503, "model_bytes")
        second = await service.submit([(digits, ["4 5"])], {})
        assert first[0].batch_key == second[0].batch_key, "the same model, so one batch"
        service.scheduler.thread.start()
        assert [found[0].text for found in await service.results([*first, *second], CLIENT)] == [
            "one two three",
            "four five",
        ]
        del first, second
        for _ in range(100):
            if not service.scheduler.batches:
                break
            await asyncio.sleep(0.01)
        other = await service.submit([(mood, ["a fine film"])], {})
        assert (await service.results(other, CLIENT))[0][0].label in ("good", "bad")
        assert list(service.model_store.alive) == ["mood"]

    run(service, work)


def test_jobs_of_one_request_are_all_queued_or_none_is(models):
    service = make(models, "digits", queue=5)
    (entry,) = service.model_store.entries.values()

    async def work():
        await service.submit([(entry, ["1", "2"])], {})
        with pytest.raises(APIError, match="2 texts are waiting, and 4 more are too many"):
            await service.submit([(entry, ["1", "2", "3"]), (entry, ["4"])], {})
        assert len(service.scheduler.queue) == 2
        with pytest.raises(APIError) as refused:
            await service.submit([(entry, ["1"] * 6)], {})
        assert (refused.value.status, refused.value.bound) == (413, "queue"), "to try again would not help"

    run(service, work)


def test_the_work_of_one_request_is_counted_together(models):
    service = make(models, "digits", work=200)
    (entry,) = service.model_store.entries.values()
    options = {"beam": 2, "max_length": 20}

    async def work():
        await service.submit([(entry, ["1"] * 5)], options)
        with pytest.raises(APIError, match="up to 240 tokens"):
            await service.submit([(entry, ["1"] * 3), (entry, ["1"] * 3)], options)

    run(service, work)


def test_who_waits_for_a_model_waits_for_one_loading_and_not_for_ever(models, monkeypatch):
    service, gate, loads = make(models, "digits", seconds=0.3), threading.Event(), []
    entry = service.model_store.entries["digits"]
    load = service.model_store.open

    def slow(name):
        loads.append(name)
        gate.wait(30)
        return load(name)

    monkeypatch.setattr(service.model_store, "open", slow)

    async def work():
        late = await asyncio.gather(*(service.load_model(entry) for _ in range(5)), return_exceptions=True)
        assert [(type(one), getattr(one, "bound", "")) for one in late] == [(APIError, "seconds")] * 5
        gate.set()
        assert (await service.load_model(entry)).config.task == "translate"
        assert loads == ["digits"]

    run(service, work)


def test_a_model_that_cannot_be_loaded_is_said_without_details(models, monkeypatch):
    service = make(models, "digits")
    monkeypatch.setattr(service.model_store, "open", lambda name: (_ for _ in ()).throw(OSError("a secret path")))

    async def work():
        with pytest.raises(APIError) as refused:
            await service.load_model(service.model_store.entries["digits"])
        assert (refused.value.status, refused.value.message) == (503, "the model digits cannot be loaded")

    run(service, work)


def test_explanations_have_a_bound_and_do_not_stop_the_scheduler(models):
    service, gate = make(models, "digits", explanations=2), threading.Event()
    (entry,) = service.model_store.entries.values()

    def work_of_one(wanted) -> str:
        gate.wait(30)
        return "explained"

    def wrong(wanted) -> str:
        raise SeqloomError("too many words")

    async def work():
        await service.load_model(entry)
        service.scheduler.thread.start()
        waiting = [asyncio.ensure_future(service.explain(work_of_one, CLIENT)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(APIError) as refused:
            await service.explain(work_of_one, CLIENT)
        assert (refused.value.status, refused.value.bound) == (429, "explanations")
        jobs = await service.submit([(entry, ["1 2"])], {})
        assert (await service.results(jobs, CLIENT))[0][0].text == "one two"
        gate.set()
        assert await asyncio.gather(*waiting) == ["explained"] * 2
        with pytest.raises(APIError, match="too many words"):
            await service.explain(wrong, CLIENT)

    run(service, work)


def test_what_a_request_may_cost(models):
    config = TranslateConfig(model=Seq2SeqConfig(name="transformer-tiny", length=50))
    task = Translate(config, {"text": Tokenizer.train(["abc"], TokenConfig())}, {})
    assert task.max_tokens("abc", TranslateOptions(beam=3, max_length=10, attention=False)) == 3 * 10
    greedy: Any = {"beam": 1, "attention": False}
    assert task.max_tokens("x" * 100, TranslateOptions(**greedy, max_ratio=2)) == 2 * 50 + 20
    assert task.max_tokens("早上好", TranslateOptions(**greedy, max_ratio=1)) == 10 + 20, "bytes may be tokens"
    attentive = TranslateOptions(beam=3, max_length=10, attention=True)
    assert task.max_tokens("x" * 24, attentive) == 3 * 10 * (1 + 4 * 4 * 25 // 100)
    assert TranslateOptions(temperature=1, n_best=7, beam=9).sequences == 7
    assert load(models / "song").task.max_tokens("a", GenerateOptions(length=30)) == 30
    assert load(models / "mood").task.max_tokens("a", None) == 1
    assert characters_in([["ab", "c"], {"text": "defg", "age": 5}, 1.5]) == 7


@pytest.mark.parametrize("temperature", [float("inf"), float("nan"), -1, 101])
def test_no_temperature_without_a_number(temperature):
    with pytest.raises(ConfigError):
        check(GenerateOptions, {"temperature": temperature}, where="options")


def test_an_explanation_ends_when_nobody_waits_for_it(models):
    service = make(models, "digits", explanations=2)
    begun, ended, never, answered = (threading.Event() for _ in range(4))
    told: list[bool] = []

    def stages(wanted) -> str:
        begun.set()
        until = time.monotonic() + 20
        while wanted() and time.monotonic() < until:
            time.sleep(0.001)
        told.append(not wanted())
        answered.wait(30)  # what waits behind it begins no sooner
        ended.set()
        raise SeqloomError("nobody waits")

    def behind(wanted) -> str:
        never.set()
        return ""

    async def work():
        gone: Any = SimpleNamespace(receive=leaves)
        waiting = [asyncio.ensure_future(service.explain(each, gone)) for each in (stages, behind)]
        found: list[Any] = await asyncio.gather(*waiting, return_exceptions=True)
        answered.set()
        assert [error.status for error in found] == [499, 499]
        assert await asyncio.to_thread(ended.wait, 30)
        while service.explaining:
            await asyncio.sleep(0.001)

    async def leaves():
        await asyncio.to_thread(begun.wait, 30)
        return {"type": "http.disconnect"}

    run(service, work)
    assert told == [True]
    assert not never.is_set(), "it had not begun"


@pytest.mark.parametrize("stages", [0, 1])
def test_a_walkthrough_goes_no_further_when_nobody_waits(models, stages):
    asked: list[bool] = []

    def wanted() -> bool:
        asked.append(len(asked) < stages)
        return asked[-1]

    with pytest.raises(SeqloomError, match="ask again"):
        explain_model(load(models / "digits"), "1 2", wanted)
    assert asked == [True] * stages + [False]
