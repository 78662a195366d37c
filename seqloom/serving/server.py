"""What all routes share: models, the desk, and a request's way through them."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from fastapi import Request

from seqloom.config import check
from seqloom.errors import SeqloomError
from seqloom.serving.costs import letters_of, rows_of, work_of
from seqloom.serving.desk import Desk
from seqloom.serving.errand import Begin, Errand
from seqloom.serving.figures import Figures
from seqloom.serving.logs import report
from seqloom.serving.refusal import Refusal, mistake, over
from seqloom.serving.settings import Bounds
from seqloom.serving.shelf import Entry, Shelf
from seqloom.tasks.requests import Keys, Reply, TaskRequest
from seqloom.training.model import Model

T = TypeVar("T")


class Server:
    """What all routes share."""

    def __init__(self, folders: Sequence[str], bounds: Bounds, key: str = "") -> None:
        self.bounds, self.key = bounds, key
        self.figures = Figures()
        self.shelf = Shelf(folders, bounds.model_bytes)
        self.desk = Desk(bounds, self.figures)
        self.draining = False
        self.loader, self.explainer = ThreadPoolExecutor(1, "loader"), ThreadPoolExecutor(1, "explainer")
        """For what takes long and has no steps."""
        self.opening: dict[str, asyncio.Future[Model]] = {}
        self.explaining = 0

    def entry(self, name: str | None) -> Entry:
        """The model of a name; without one, the first."""
        entries = self.shelf.entries
        if name is not None and name not in entries:
            raise Refusal(404, f"no model is called {name!r:.80}; there are: {', '.join(entries)}")
        return entries[name] if name is not None else next(iter(entries.values()))

    def check_key(self, key: str) -> None:
        """Refuse a key that is not the right one; it takes the same time for any."""
        if self.key and not hmac.compare_digest(key.encode(), self.key.encode()):
            raise Refusal(401, "the key is wrong" if key else "a key is needed: send it as Authorization: Bearer KEY")

    def close(self) -> None:
        """Finish what waits at the desk; nothing else is begun."""
        self.desk.close()
        for pool in (self.loader, self.explainer):
            pool.shutdown(wait=False, cancel_futures=True)

    def until(self) -> float:
        return asyncio.get_running_loop().time() + self.bounds.seconds

    # --- what a client sent ---------------------------------------------------------------------------

    async def open(self, entry: Entry) -> Model:
        """The model, in memory; all who wait for it wait for the same loading."""
        if (model := self.shelf.get(entry.name)) is not None:
            return model
        if entry.name not in self.opening:
            loading = asyncio.get_running_loop().run_in_executor(self.loader, self.shelf.open, entry.name)
            self.opening[entry.name] = loading
            loading.add_done_callback(lambda _: self.opening.pop(entry.name))
        try:
            async with asyncio.timeout(self.bounds.seconds):
                model = await asyncio.shield(self.opening[entry.name])
        except Refusal:
            raise
        except TimeoutError:
            what = f"the model {entry.name} is still being loaded"
            raise Refusal(503, what, bound="seconds", retry_after=5) from None
        except Exception as error:
            report(error)
            raise Refusal(503, f"the model {entry.name} cannot be loaded", retry_after=60) from None
        self.figures.models.set(len(self.shelf.loaded))
        return model

    def accepted(self, model: Model, texts: Sequence[Any]) -> list[Any]:
        """Inputs for a model, checked."""
        self.check_texts(texts)
        try:
            return [model.task.accept(text) for text in texts]
        except SeqloomError as error:
            raise mistake(error) from None

    def check_texts(self, texts: Sequence[Any]) -> None:
        bounds = self.bounds
        if len(texts) > bounds.texts:
            raise over("texts", bounds.texts, f"{len(texts):,} texts", 413)
        try:
            json.dumps(texts, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise Refusal(422, "half a letter (a lone surrogate) in a text") from None
        longest = max(map(letters_of, texts), default=0)
        if longest > bounds.text_characters:
            raise over("text_characters", bounds.text_characters, f"a text of {longest:,} characters", 413)

    # --- work -----------------------------------------------------------------------------------------

    async def predict(self, entry: Entry, texts: Sequence[Any], given: dict[str, Any], request: Request) -> list[Any]:
        """The answers of a model to what a client sent."""
        accepted = self.accepted(await self.open(entry), texts)
        (found,) = await self.finish(await self.errands([(entry, accepted)], given), request)
        return found

    async def errands(
        self, asked: Sequence[tuple[Entry, Sequence[Any]]], given: dict[str, Any], *, grows: bool = False
    ) -> list[Errand]:
        """Texts for models to answer, inside all bounds; all of them wait for their turn, or none does."""
        until, work, made = self.until(), 0, []
        for entry, texts in asked:
            options = options_of(entry, given)
            rows = rows_of(options)
            if rows > self.bounds.beam:
                raise over("beam", self.bounds.beam, f"{rows} answers side by side", 422)
            model = await self.open(entry)
            work += work_of(texts, options, model.task.config.model)
            if work > self.bounds.work:
                what = f"up to {work:,} tokens (texts x beam x longest answer, more with attention)"
                raise over("work", self.bounds.work, what, 422)
            seed = getattr(options, "seed", 0)
            inputs = [
                TaskRequest(text, key, streaming=grows) for text, key in zip(texts, Keys(seed).of(texts), strict=True)
            ]
            same = options.model_copy(update={"seed": 0}) if hasattr(options, "seed") else None
            begin = partial(answering, model, options)
            made.append(Errand(inputs, begin, together=(model, same), rows=rows, until=until))
        self.desk.take(*made)
        return made

    async def compute(self, texts: Sequence[Any], begin: Begin, request: Request) -> list[Any]:
        """Something else than answers, by itself."""
        errand = Errand([TaskRequest(text) for text in texts], begin, until=self.until())
        self.desk.take(errand)
        (found,) = await self.finish([errand], request)
        return found

    async def explain(self, work: Callable[[], str]) -> str:
        """Work that has no steps, beside the desk; few may wait for it."""
        if self.explaining >= self.bounds.explanations:
            most = self.bounds.explanations
            raise Refusal(429, f"{most} explanations are waited for", bound="explanations", retry_after=5)
        self.explaining += 1
        making = asyncio.get_running_loop().run_in_executor(self.explainer, work)
        making.add_done_callback(self.explained)
        try:
            async with asyncio.timeout(self.bounds.seconds):
                return await asyncio.shield(making)
        except TimeoutError:
            what = f"no explanation within {self.bounds.seconds:g} seconds"
            raise Refusal(503, what, bound="seconds", retry_after=5) from None
        except SeqloomError as error:
            raise mistake(error) from None

    def explained(self, made: asyncio.Future[str]) -> None:
        """One is done, whether anybody still waits for it or not."""
        self.explaining -= 1
        if not made.cancelled():
            made.exception()  # it was told to whoever waited

    async def finish(self, errands: Sequence[Errand], request: Request) -> list[list[Any]]:
        """The answers to each errand, in order; nothing more is done for any of them when one fails."""

        async def all_of() -> list[dict[int, Reply]]:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(last(self.growing(errand))) for errand in errands]
            return [task.result() for task in tasks]

        try:
            found = await while_connected(request, all_of())
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            for errand in errands:
                errand.leave()
        return [[known[place].answer for place in range(len(known))] for known in found]

    async def growing(self, errand: Errand) -> AsyncIterator[dict[int, Reply]]:
        """What is known of an errand while it is worked on; errors as refusals."""
        try:
            async for said in errand.growth():
                yield said
        except TimeoutError:
            what = f"no answer within {self.bounds.seconds:g} seconds"
            raise Refusal(503, what, bound="seconds", retry_after=5) from None
        except SeqloomError as error:
            raise mistake(error) from None


async def last(found: AsyncIterator[dict[int, Reply]]) -> dict[int, Reply]:
    known: dict[int, Reply] = {}
    async for newer in found:
        known = newer
    return known


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of some work, which ends when the client is gone."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(gone(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Refusal(499, "the client is gone")
        return working.result()
    finally:
        for one in (working, leaving):
            one.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def gone(request: Request) -> None:
    """Returns when the client has closed its connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def options_of(entry: Entry, given: dict[str, Any]) -> Any:
    """Options by name, checked; what is not said has the default, but attention is for those who ask."""
    known = entry.options.model_fields
    if "length" in known and "max_length" in given:  # one name for all models that write
        given = {**given, "length": given["max_length"]}
        del given["max_length"]
    if unknown := [name for name in given if name not in known]:
        told = ", ".join(known) or "none"
        raise Refusal(422, f"a model for {entry.task} has no option {', '.join(unknown)}; there are: {told}")
    quiet = {"attention": False} if "attention" in known else {}
    try:
        return check(entry.options, {**quiet, **given}, where="options")
    except SeqloomError as error:
        raise mistake(error) from None


def answering(model: Model, options: Any, asked: Sequence[TaskRequest]) -> Iterator[Sequence[Reply]]:
    """The work on inputs; it keeps the model in memory as long as it lasts or waits."""
    return model.task.answer_steps(model.network, asked, options)
