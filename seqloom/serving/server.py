"""A server without HTTP: models, the desk, and a request's way through them."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

from fastapi import Request

from seqloom.config import check
from seqloom.decoding.settings import Search
from seqloom.errors import SeqloomError
from seqloom.serving.desk import Desk
from seqloom.serving.errand import Begin, Errand
from seqloom.serving.figures import Figures
from seqloom.serving.logs import report
from seqloom.serving.refusal import Refusal, mistake, over
from seqloom.serving.settings import Bounds
from seqloom.serving.shelf import Entry, Shelf
from seqloom.tasks.asking import Asked, Said, occurrences
from seqloom.tasks.generate.settings import GenerateOptions
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

    def entry(self, name: str | None, *tasks: str) -> Entry:
        """The model of a name; without one, the first that fits."""
        entries = self.shelf.entries
        if name is not None and name not in entries:
            raise Refusal(404, f"no model is called {name!r:.80}; there are: {', '.join(entries)}")
        fitting = [one for one in entries.values() if (not tasks or one.task in tasks) and name in (None, one.name)]
        if not fitting:
            raise Refusal(422, f"{name or 'no model here'} does not {' or '.join(tasks)}")
        return fitting[0]

    def knows(self, key: str) -> bool:
        """Whether a key is the right one, told in the same time for any."""
        return not self.key or hmac.compare_digest(key.encode(), self.key.encode())

    # --- work -----------------------------------------------------------------------------------------

    async def open(self, entry: Entry) -> Model:
        model = self.shelf.get(entry.name)
        if model is None:
            try:
                model = await asyncio.to_thread(self.shelf.open, entry.name)
            except SeqloomError as error:
                report(error)
                raise Refusal(503, f"the model {entry.name} cannot be loaded", retry_after=60) from None
            self.figures.models.set(len(self.shelf.loaded))
        return model

    async def predict(self, entry: Entry, texts: Sequence[Any], given: dict[str, Any], request: Request) -> list[Any]:
        """The answers of a model to what a client sent."""
        accepted = self.accepted(await self.open(entry), texts)
        return await self.finish(await self.errand(entry, accepted, given), request)

    def accepted(self, model: Model, texts: Sequence[Any]) -> list[Any]:
        """What a client sent, checked."""
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
        longest = max((len(str(text)) for text in texts), default=0)
        if longest > bounds.text_characters:
            raise over("text_characters", bounds.text_characters, f"a text of {longest:,} characters", 413)

    async def errand(self, entry: Entry, texts: Sequence[Any], given: dict[str, Any], *, grows: bool = False) -> Errand:
        """Texts for a model to answer, inside all bounds; they wait for their turn."""
        options = options_of(entry, given)
        rows = rows_of(options)
        if rows > self.bounds.beam:
            raise over("beam", self.bounds.beam, f"{rows} answers side by side", 422)
        model = await self.open(entry)
        work = sum(rows * length_of(text, model, options) for text in texts)
        if work > self.bounds.work:
            raise over("work", self.bounds.work, f"up to {work:,} tokens (texts x beam x longest answer)", 422)
        seed = getattr(options, "seed", 0)
        asked = [
            Asked(text, key=f"{seed} {number}", grows=grows)
            for text, number in zip(texts, occurrences(texts), strict=True)
        ]
        together = (id(model), options.model_copy(update={"seed": 0}) if hasattr(options, "seed") else None)
        begin = partial(model.task.answering, model.network, options=options)
        return self.wait(Errand(asked, begin, together=together, rows=rows, until=self.until()))

    async def compute(self, texts: Sequence[Any], begin: Begin, request: Request) -> list[Any]:
        """Something else than answers, by itself."""
        return await self.finish(self.wait(Errand([Asked(text) for text in texts], begin, until=self.until())), request)

    def wait(self, errand: Errand) -> Errand:
        self.desk.take(errand)
        return errand

    def until(self) -> float:
        return asyncio.get_running_loop().time() + self.bounds.seconds

    async def finish(self, errand: Errand, request: Request) -> list[Any]:
        """All answers of an errand, in order."""
        (found,) = await self.finish_all([errand], request)
        return found

    async def finish_all(self, errands: Sequence[Errand], request: Request) -> list[list[Any]]:
        """The answers of several errands; nothing more is done for any of them when one fails."""

        async def all_of() -> list[dict[int, Said]]:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(last(self.growing(errand))) for errand in errands]
            return [task.result() for task in tasks]

        try:
            found = await while_connected(request, all_of())
        except* Refusal as refused:
            raise refused.exceptions[0] from None
        finally:
            for errand in errands:
                errand.leave()
        return [[known[place].answer for place in range(len(known))] for known in found]

    async def growing(self, errand: Errand) -> AsyncIterator[dict[int, Said]]:
        """What is known of an errand while it is worked on; errors as refusals."""
        try:
            async for said in errand.growth():
                yield said
        except TimeoutError:
            what = f"no answer within {self.bounds.seconds:g} seconds"
            raise Refusal(503, what, bound="seconds", retry_after=5) from None
        except SeqloomError as error:
            raise mistake(error) from None


async def last(found: AsyncIterator[dict[int, Said]]) -> dict[int, Said]:
    known: dict[int, Said] = {}
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
    if unknown := [name for name in given if name not in known]:
        told = ", ".join(known) or "none"
        raise Refusal(422, f"a model for {entry.task} has no option {', '.join(unknown)}; there are: {told}")
    quiet = {"attention": False} if "attention" in known else {}
    try:
        return check(entry.options, {**quiet, **given}, where="options")
    except SeqloomError as error:
        raise mistake(error) from None


def rows_of(options: Any) -> int:
    """Answers that are followed side by side for one text."""
    if not isinstance(options, Search):
        return 1
    return options.n_best if options.temperature else max(options.beam, options.n_best)


def length_of(text: Any, model: Model, options: Any) -> int:
    """Tokens of the longest answer to a text; a token has a character at least."""
    if isinstance(options, Search):
        longest: int = model.config.model.length  # type: ignore[attr-defined]
        return options.limit(min(len(str(text)) + 1, longest))
    return options.length if isinstance(options, GenerateOptions) else 1
