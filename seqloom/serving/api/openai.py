"""OpenAI's API for completions, spoken by models that generate and by those that translate."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import Field, field_validator

from seqloom.serving.api.common import Body, Served, refusals
from seqloom.serving.api.completions import Choice
from seqloom.serving.errand import Errand
from seqloom.serving.logs import report
from seqloom.serving.refusal import Refusal, broken
from seqloom.serving.server import Server, while_connected
from seqloom.serving.shelf import Entry
from seqloom.tokens.tokenizer import Tokenizer

router = APIRouter(prefix="/v1", tags=["OpenAI"])
Stop = Annotated[str, Field(min_length=1, max_length=100)]


class StreamOptions(Body):
    """What a stream tells besides."""

    include_usage: bool = False
    """A last piece that counts tokens."""


class Complete(Body):
    """A text to go on with, or to translate."""

    model: str
    """A model by name."""
    prompt: str | list[str]
    """A text, or several."""
    n: int | None = Field(None, ge=1, le=16)
    """Answers to each; without a temperature they are the same."""
    max_tokens: int | None = Field(None, ge=1, le=4096)
    """Tokens of an answer at most; for a model that generates 16 if it is not said."""
    temperature: float | None = Field(None, ge=0, le=2)
    """How freely is drawn; for a model that generates 1 if it is not said, for one that translates 0: beam search."""
    top_p: float | None = Field(None, gt=0, le=1)
    """Draw from the likeliest tokens of this share."""
    stop: Stop | Annotated[list[Stop], Field(max_length=4)] | None = None
    """Words at which an answer ends; they are not part of it."""
    seed: int | None = Field(None, ge=-(2**63), lt=2**63)
    """Decides what is drawn; without it, chance."""
    logprobs: int | None = Field(None, ge=0, le=5)
    """For each token its log-probability, and those of so many others."""
    stream: bool | None = None
    """Send pieces as they are written."""
    stream_options: StreamOptions | None = None
    """What a stream tells besides."""
    user: str | None = None
    """Is not looked at."""
    presence_penalty: Annotated[float, Field(ge=0, le=0)] | None = None
    """Is not there: 0 alone, which many clients send."""
    frequency_penalty: Annotated[float, Field(ge=0, le=0)] | None = None
    """Is not there: 0 alone."""
    best_of: Annotated[int, Field(ge=1, le=1)] | None = None
    """Is not there: 1 alone."""
    echo: bool | None = None
    """Is not there: false alone."""
    suffix: None = None
    """Is not there."""
    logit_bias: None = None
    """Is not there."""

    @field_validator("echo")
    @classmethod
    def no_echo(cls, value: bool | None) -> bool | None:
        if value:
            raise ValueError("the prompt is not repeated")
        return value

    def prompts(self) -> list[str]:
        return [self.prompt] if isinstance(self.prompt, str) else self.prompt

    def stops(self) -> list[str]:
        return [self.stop] if isinstance(self.stop, str) else self.stop or []

    def options(self, task: str) -> dict[str, Any]:
        """As the task calls them."""
        told: dict[str, Any] = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "likeliest": self.logprobs or None,
            "seed": self.seed % 2**64 if self.seed is not None else uuid.uuid4().int % 2**31,
        }
        if task == "translate":
            told["max_length"] = self.max_tokens
        else:
            told["length"] = self.max_tokens or 16
            told["temperature"] = 1.0 if self.temperature is None else self.temperature
        return {name: value for name, value in told.items() if value is not None}


@router.get("/models", responses=refusals())
async def models(server: Served) -> dict[str, Any]:
    """The models that can complete."""
    return {"object": "list", "data": [about(one) for one in server.shelf.entries.values() if one.writes]}


@router.get("/models/{name}", responses=refusals(404))
async def model(name: str, server: Served) -> dict[str, Any]:
    """One of them."""
    return about(writer(server, name))


def about(entry: Entry) -> dict[str, Any]:
    return {"id": entry.name, "object": "model", "created": 0, "owned_by": "seqloom"}


def writer(server: Server, name: str) -> Entry:
    """A model by name, of those that write."""
    entry = server.entry(name)
    if not entry.writes:
        raise Refusal(422, f"{name} does not generate or translate")
    return entry


@router.post("/completions", responses={**refusals(404), 200: {"content": {"text/event-stream": {}}}})
async def completions(asked: Complete, request: Request, server: Served) -> Response:
    """Go on with a text, or translate it."""
    entry = writer(server, asked.model)
    loaded = await server.open(entry)
    prompts = server.accepted(loaded, asked.prompts())
    stops = asked.stops()
    drawn = entry.task == "generate" or bool(asked.temperature)
    texts = [prompt for prompt in prompts for _ in range(asked.n or 1)]
    grows = drawn and bool(asked.stream or stops)
    (errand,) = await server.errands([(entry, texts)], asked.options(entry.task), grows=grows)
    tokenizer = next(iter(loaded.task.tokenizers.values()))  # of the text, or of the source
    answering = Answering(server, errand, asked, [Choice(index, stops) for index in range(len(texts))], tokenizer)
    if asked.stream:
        return StreamingResponse(answering.stream(), media_type="text/event-stream")
    return JSONResponse(await while_connected(request, answering.whole()))


class Answering:
    """A request that is being answered."""

    def __init__(
        self, server: Server, errand: Errand, asked: Complete, choices: list[Choice], tokenizer: Tokenizer
    ) -> None:
        self.server, self.errand, self.asked, self.choices = server, errand, asked, choices
        self.tokenizer = tokenizer
        self.id, self.created = f"cmpl-{uuid.uuid4().hex}", int(time.time())

    async def growth(self) -> AsyncIterator[None]:
        """Step by step until every choice is finished; a choice that a stop word ended is not worked on any more."""
        try:
            async for known in self.server.growing(self.errand):
                for place, said in known.items():
                    self.choices[place].grow(said.answer, said.whole)
                    self.errand.asked[place].wanted = not self.choices[place].finished
                yield
                if all(choice.finished for choice in self.choices):
                    return
        finally:
            self.errand.leave()

    async def whole(self) -> dict[str, Any]:
        async for _ in self.growth():
            pass
        return {
            **self.head(),
            "choices": [self.told(choice, choice.text) for choice in self.choices],
            "usage": self.usage(),
        }

    async def stream(self) -> AsyncIterator[str]:
        """Server-sent events: the pieces of all choices, then [DONE]."""
        try:
            async for _ in self.growth():
                for choice in self.choices:
                    if choice.reported:
                        continue
                    text = choice.news()
                    choice.reported = choice.finished is not None
                    if text or choice.reported:
                        yield event({**self.head(), "choices": [self.told(choice, text, last=choice.reported)]})
            if self.asked.stream_options and self.asked.stream_options.include_usage:
                yield event({**self.head(), "choices": [], "usage": self.usage()})
            yield "data: [DONE]\n\n"
        except Refusal as refusal:
            yield event(refusal.body("/v1/"))
        except Exception as error:
            report(error)
            yield event(broken().body("/v1/"))

    def head(self) -> dict[str, Any]:
        return {"id": self.id, "object": "text_completion", "created": self.created, "model": self.asked.model}

    def told(self, choice: Choice, text: str, *, last: bool = True) -> dict[str, Any]:
        count = self.asked.logprobs
        logprobs = choice.logprobs(count) if count is not None else None
        return {
            "index": choice.index,
            "text": text,
            "logprobs": logprobs,
            "finish_reason": choice.finished if last else None,
        }

    def usage(self) -> dict[str, int]:
        read = sum(map(len, self.tokenizer.encode_batch(self.asked.prompts())))
        written = sum(len(choice.answer.tokens) for choice in self.choices)
        return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"
