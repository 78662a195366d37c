"""What all routes share: the models, the scheduler, and a request's way through them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from fastapi import Request

from seqloom.config import check
from seqloom.errors import SeqloomError
from seqloom.serving.errors import APIError, over_bound, validation_error
from seqloom.serving.job import Compute, Job
from seqloom.serving.logs import log_error
from seqloom.serving.metrics import ServerMetrics
from seqloom.serving.model_store import ModelEntry, ModelStore, Unfinished
from seqloom.serving.scheduler import Scheduler
from seqloom.serving.settings import Bounds
from seqloom.tasks.requests import Keys, Reply, TaskRequest
from seqloom.tasks.task import text_sizes
from seqloom.training.model import Model

T = TypeVar("T")
Sizes = Callable[[Any], Mapping[str, int]]
"""How large an input is, by the name of the bound that counts it."""


class InferenceService:
    """The models of a server and the threads that compute with them; one for all routes."""

    def __init__(self, folders: Sequence[str], bounds: Bounds, key: str = "", unfinished: Unfinished = "none") -> None:
        self.bounds, self.key = bounds, key
        self.metrics = ServerMetrics()
        self.model_store = ModelStore(folders, bounds.model_bytes, unfinished)
        self.scheduler = Scheduler(bounds, self.metrics)
        self.draining = False
        self.loader, self.explainer = ThreadPoolExecutor(1, "loader"), ThreadPoolExecutor(1, "explainer")
        """For what takes long and cannot be done in steps."""
        self.loading: dict[str, asyncio.Future[Model]] = {}
        self.explaining = 0

    def entry(self, name: str | None) -> ModelEntry:
        """The model of a name; without one, the first."""
        entries = self.model_store.entries
        if name is not None and name not in entries:
            raise APIError(404, f"no model is called {name!r:.80}; there are: {', '.join(entries)}")
        if not entries:
            raise APIError(503, "no model on this server is trained yet", retry_after=5)
        return entries[name] if name is not None else next(iter(entries.values()))

    async def seen_entry(self, name: str | None) -> ModelEntry:
        """The model that the studio looks at: also one that was trained since, or a checkpoint, NAME@STEP."""
        if name is not None and name not in self.model_store.entries:
            try:
                found = await asyncio.to_thread(self.model_store.find, name)
            except SeqloomError as error:
                raise validation_error(error) from None
            if found is not None:
                return found
        return self.entry(name)

    def close(self) -> None:
        """Let the scheduler finish its queue; nothing else is started."""
        self.scheduler.close()
        for pool in (self.loader, self.explainer):
            pool.shutdown(wait=False, cancel_futures=True)

    def deadline(self) -> float:
        return asyncio.get_running_loop().time() + self.bounds.seconds

    # --- inputs -----------------------------------------------------------------------------------

    async def load_model(self, entry: ModelEntry) -> Model:
        """The model, loaded if it is not; requests that need the same one wait for one loading."""
        if (model := self.model_store.get(entry.name)) is not None:
            return model
        if entry.name not in self.loading:
            loading = asyncio.get_running_loop().run_in_executor(self.loader, self.model_store.open, entry.name)
            self.loading[entry.name] = loading
            loading.add_done_callback(lambda _: self.loading.pop(entry.name))
        try:
            async with asyncio.timeout(self.bounds.seconds):
                model = await asyncio.shield(self.loading[entry.name])
        except APIError:
            raise
        except TimeoutError:
            what = f"the model {entry.name} is still being loaded"
            raise APIError(503, what, bound="seconds", retry_after=5) from None
        except Exception as error:
            log_error(error)
            raise APIError(503, f"the model {entry.name} cannot be loaded", retry_after=60) from None
        self.metrics.models.set(len(self.model_store.loaded))
        return model

    def parse_inputs(self, model: Model, texts: Sequence[Any]) -> list[Any]:
        """Inputs for a model, checked."""
        self.check_texts(texts, model.task.input_sizes)
        try:
            inputs = [model.task.accept(text) for text in texts]
        except SeqloomError as error:
            raise validation_error(error) from None
        self.check_sizes(inputs, model.task.input_sizes)
        return inputs

    def check_texts(self, texts: Sequence[Any], sizes: Sizes = text_sizes) -> None:
        if len(texts) > self.bounds.texts:
            raise over_bound("texts", self.bounds.texts, f"{len(texts):,} texts", 413)
        try:
            json.dumps(texts, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise APIError(422, "a text has a lone surrogate: half a character") from None
        self.check_sizes(texts, sizes)

    def check_sizes(self, inputs: Sequence[Any], sizes: Sizes) -> None:
        """Hold inputs to the bounds that count them: characters of a text, bytes and pixels of a picture."""
        for given in inputs:
            for name, size in sizes(given).items():
                most = getattr(self.bounds, name)
                if size > most:
                    thing, _, unit = name.partition("_")
                    raise over_bound(name, most, f"a {thing} of {size:,} {unit}", 413)

    # --- work -----------------------------------------------------------------------------------------

    async def predict(
        self, entry: ModelEntry, texts: Sequence[Any], given: dict[str, Any], request: Request
    ) -> list[Any]:
        """The answers of a model to what a client sent."""
        inputs = self.parse_inputs(await self.load_model(entry), texts)
        (found,) = await self.results(await self.submit([(entry, inputs)], given), request)
        return found

    async def submit(
        self, requests: Sequence[tuple[ModelEntry, Sequence[Any]]], given: dict[str, Any], *, streams: bool = False
    ) -> list[Job]:
        """Queue texts for models, inside all bounds; a job for each model, and all of them or none."""
        deadline, tokens, jobs = self.deadline(), 0, []
        for entry, texts in requests:
            options = options_of(entry, given)
            sequences = getattr(options, "sequences", 1)
            if sequences > self.bounds.beam:
                raise over_bound("beam", self.bounds.beam, f"{sequences} answers side by side", 422)
            model = await self.load_model(entry)
            tokens += sum(model.task.max_tokens(text, options) for text in texts)
            if tokens > self.bounds.work:
                what = f"up to {tokens:,} tokens (texts x beam x longest answer, more with attention)"
                raise over_bound("work", self.bounds.work, what, 422)
            seed = getattr(options, "seed", 0)
            inputs = [
                TaskRequest(text, key, streaming=streams) for text, key in zip(texts, Keys(seed).of(texts), strict=True)
            ]
            but_seed = options.model_copy(update={"seed": 0}) if hasattr(options, "seed") else None
            compute = partial(answering, model, options)
            jobs.append(Job(inputs, compute, batch_key=(model, but_seed), sequences=sequences, deadline=deadline))
        self.scheduler.submit(*jobs)
        return jobs

    async def compute(self, texts: Sequence[Any], compute: Compute, request: Request) -> list[Any]:
        """Compute something else than answers, such as vectors, in a batch of its own."""
        job = Job([TaskRequest(text) for text in texts], compute, deadline=self.deadline())
        self.scheduler.submit(job)
        (found,) = await self.results([job], request)
        return found

    async def explain(self, work: Callable[[Callable[[], bool]], str], request: Request) -> str:
        """Explain in a thread of its own, since it has no steps; few may wait for it.

        The work is handed a function that says whether anybody still waits: it ends soon after nobody does.
        """
        if self.explaining >= self.bounds.explanations:
            most = self.bounds.explanations
            raise APIError(429, f"{most} explanations are waited for", bound="explanations", retry_after=5)
        self.explaining += 1
        abandoned = threading.Event()
        begun = self.explainer.submit(work, lambda: not abandoned.is_set())
        making = asyncio.wrap_future(begun)
        making.add_done_callback(self.explanation_done)

        async def made() -> str:
            return await asyncio.shield(making)

        try:
            async with asyncio.timeout(self.bounds.seconds):
                return await unless_disconnected(request, made())
        except TimeoutError:
            what = f"no explanation within {self.bounds.seconds:g} seconds"
            raise APIError(503, what, bound="seconds", retry_after=5) from None
        except SeqloomError as error:
            raise validation_error(error) from None
        finally:
            abandoned.set()
            begun.cancel()  # if it has not begun

    def explanation_done(self, made: asyncio.Future[str]) -> None:
        """One is done, whether anybody still waits for it or not."""
        self.explaining -= 1
        if not made.cancelled():
            made.exception()  # whoever waited has it; asyncio should not log it again

    async def results(self, jobs: Sequence[Job], request: Request) -> list[list[Any]]:
        """The answers to each job, in order; nothing more is done for any of them when one fails."""

        async def all_of() -> list[dict[int, Reply]]:
            if len(jobs) == 1:
                return [await last(self.updates(jobs[0]))]
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(last(self.updates(job))) for job in jobs]
            return [task.result() for task in tasks]

        try:
            found = await unless_disconnected(request, all_of())
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            for job in jobs:
                job.cancel()
        return [[known[index].answer for index in range(len(known))] for known in found]

    async def updates(self, job: Job) -> AsyncIterator[dict[int, Reply]]:
        """The updates of a job, with errors as clients are told them."""
        try:
            async for known in job.updates():
                yield known
        except TimeoutError:
            what = f"no answer within {self.bounds.seconds:g} seconds"
            raise APIError(503, what, bound="seconds", retry_after=5) from None
        except SeqloomError as error:
            raise validation_error(error) from None


async def last(found: AsyncIterator[dict[int, Reply]]) -> dict[int, Reply]:
    known: dict[int, Reply] = {}
    async for newer in found:
        known = newer
    return known


async def unless_disconnected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of some work, which is cancelled when the client disconnects."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(disconnected(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise APIError(499, "the client is gone")
        return working.result()
    finally:
        for one in (working, leaving):
            one.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def disconnected(request: Request) -> None:
    """Returns when the client has closed its connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def options_of(entry: ModelEntry, given: dict[str, Any]) -> Any:
    """Options by name, checked; without one, the default, but attention only if asked for."""
    known = entry.options.model_fields
    if "length" in known and "max_length" in given:  # one name for all models that generate
        given = {**given, "length": given["max_length"]}
        del given["max_length"]
    if unknown := [name for name in given if name not in known]:
        names = ", ".join(known) or "none"
        raise APIError(422, f"a model for {entry.task} has no option {', '.join(unknown)}; there are: {names}")
    defaults = {"attention": False} if "attention" in known else {}
    try:
        return check(entry.options, {**defaults, **given}, where="options")
    except SeqloomError as error:
        raise validation_error(error) from None


def answering(model: Model, options: Any, inputs: Sequence[TaskRequest]) -> Iterator[Sequence[Reply]]:
    """The steps for a batch; they keep the model in memory until they end."""
    return model.task.answer_steps(model.network, inputs, options)
