"""OpenAI's completions API, for models that generate and models that translate."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import Field, field_validator

from seqloom.serving.api.common import RequestBody, ServiceDep, error_responses
from seqloom.serving.api.completions import CompletionChoice
from seqloom.serving.errors import APIError, internal_error
from seqloom.serving.job import Job
from seqloom.serving.logs import log_error
from seqloom.serving.model_store import ModelEntry
from seqloom.serving.service import InferenceService, unless_disconnected
from seqloom.tasks.task import Task
from seqloom.tokens.tokenizer import Tokenizer

router = APIRouter(prefix="/v1", tags=["OpenAI"])
Stop = Annotated[str, Field(min_length=1, max_length=100)]


class StreamOptions(RequestBody):
    """What a stream sends besides the text."""

    include_usage: bool = False
    """Whether a last chunk counts tokens."""


class CompletionRequest(RequestBody):
    """A prompt to continue, or a text to translate."""

    model: str
    """A model by name."""
    prompt: str | list[str]
    """A text, or several."""
    n: int | None = Field(None, ge=1, le=16)
    """Answers to each; without a temperature they are the same."""
    max_tokens: int | None = Field(None, ge=1, le=4096)
    """Maximum number of tokens; by default 16 for a model that generates."""
    temperature: float | None = Field(None, ge=0, le=2)
    """Sampling temperature; by default 1 for a model that generates, and 0, beam search, for one that translates."""
    top_p: float | None = Field(None, gt=0, le=1)
    """Nucleus sampling: sample from the most likely tokens with this much probability."""
    stop: Stop | Annotated[list[Stop], Field(max_length=4)] | None = None
    """Stop sequences, at which an answer ends; they are not part of it."""
    seed: int | None = Field(None, ge=-(2**63), lt=2**63)
    """Random seed; without it every call samples anew."""
    logprobs: int | None = Field(None, ge=0, le=5)
    """Return each token's log-probability, and those of so many of the most likely tokens."""
    stream: bool | None = None
    """Send chunks as they are generated."""
    stream_options: StreamOptions | None = None
    """What a stream sends besides the text."""
    user: str | None = None
    """Ignored."""
    presence_penalty: Annotated[float, Field(ge=0, le=0)] | None = None
    """Not supported: only 0, which many clients send."""
    frequency_penalty: Annotated[float, Field(ge=0, le=0)] | None = None
    """Not supported: only 0."""
    best_of: Annotated[int, Field(ge=1, le=1)] | None = None
    """Not supported: only 1."""
    echo: bool | None = None
    """Not supported: only false."""
    suffix: None = None
    """Not supported."""
    logit_bias: None = None
    """Not supported."""

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

    def options(self, task: Task[Any]) -> dict[str, Any]:
        """As the task calls them."""
        options: dict[str, Any] = {
            **task.completion_options(self.max_tokens, self.temperature),
            "top_p": self.top_p,
            "likeliest": self.logprobs or None,
            "seed": self.seed % 2**64 if self.seed is not None else uuid.uuid4().int % 2**31,
        }
        return {name: value for name, value in options.items() if value is not None}


@router.get("/models", responses=error_responses())
async def models(service: ServiceDep) -> dict[str, Any]:
    """The models that can complete."""
    return {
        "object": "list",
        "data": [model_json(one) for one in service.model_store.entries.values() if one.generates_text],
    }


@router.get("/models/{name}", responses=error_responses(404))
async def model(name: str, service: ServiceDep) -> dict[str, Any]:
    """One of the models that can complete."""
    return model_json(text_generator(service, name))


def model_json(entry: ModelEntry) -> dict[str, Any]:
    return {"id": entry.name, "object": "model", "created": 0, "owned_by": "seqloom"}


def text_generator(service: InferenceService, name: str) -> ModelEntry:
    """A model by name, of those that generate text."""
    entry = service.entry(name)
    if not entry.generates_text:
        raise APIError(422, f"{name} does not generate or translate")
    return entry


@router.post("/completions", responses={**error_responses(404), 200: {"content": {"text/event-stream": {}}}})
async def completions(body: CompletionRequest, request: Request, service: ServiceDep) -> Response:
    """Continue a text, or translate it."""
    entry = text_generator(service, body.model)
    loaded = await service.load_model(entry)
    prompts = service.parse_inputs(loaded, body.prompts())
    stops = body.stops()
    texts = [prompt for prompt in prompts for _ in range(body.n or 1)]
    streams = loaded.task.streams(body.temperature) and bool(body.stream or stops)
    (job,) = await service.submit([(entry, texts)], body.options(loaded.task), streams=streams)
    tokenizer = next(iter(loaded.task.tokenizers.values()))  # of the text, or of the source
    completion = Completion(
        service, job, body, [CompletionChoice(index, stops) for index in range(len(texts))], tokenizer
    )
    if body.stream:
        return StreamingResponse(completion.stream(), media_type="text/event-stream")
    return JSONResponse(await unless_disconnected(request, completion.response()))


class Completion:
    """A completion while it is generated."""

    def __init__(
        self,
        service: InferenceService,
        job: Job,
        body: CompletionRequest,
        choices: list[CompletionChoice],
        tokenizer: Tokenizer,
    ) -> None:
        self.service, self.job, self.body, self.choices = service, job, body, choices
        self.tokenizer = tokenizer
        self.id, self.created = f"cmpl-{uuid.uuid4().hex}", int(time.time())

    async def updates(self) -> AsyncIterator[None]:
        """Step by step until every choice is finished; one that a stop sequence ended is not computed any further."""
        try:
            async for known in self.service.updates(self.job):
                for index, reply in known.items():
                    self.choices[index].update(reply.answer, reply.whole)
                    self.job.inputs[index].wanted = not self.choices[index].finish_reason
                yield
                if all(choice.finish_reason for choice in self.choices):
                    return
        finally:
            self.job.cancel()

    async def response(self) -> dict[str, Any]:
        async for _ in self.updates():
            pass
        return {
            **self.common(),
            "choices": [self.choice_json(choice, choice.text) for choice in self.choices],
            "usage": self.usage(),
        }

    async def stream(self) -> AsyncIterator[str]:
        """Server-sent events: the chunks of all choices, then [DONE]."""
        try:
            async for _ in self.updates():
                for choice in self.choices:
                    if choice.finish_sent:
                        continue
                    text = choice.new_text()
                    choice.finish_sent = choice.finish_reason is not None
                    if text or choice.finish_sent:
                        yield event(
                            {**self.common(), "choices": [self.choice_json(choice, text, last=choice.finish_sent)]}
                        )
            if self.body.stream_options and self.body.stream_options.include_usage:
                yield event({**self.common(), "choices": [], "usage": self.usage()})
            yield "data: [DONE]\n\n"
        except APIError as error:
            yield event(error.body("/v1/"))
        except Exception as error:
            log_error(error)
            yield event(internal_error().body("/v1/"))

    def common(self) -> dict[str, Any]:
        return {"id": self.id, "object": "text_completion", "created": self.created, "model": self.body.model}

    def choice_json(self, choice: CompletionChoice, text: str, *, last: bool = True) -> dict[str, Any]:
        count = self.body.logprobs
        logprobs = choice.logprobs(count) if count is not None else None
        return {
            "index": choice.index,
            "text": text,
            "logprobs": logprobs,
            "finish_reason": choice.finish_reason if last else None,
        }

    def usage(self) -> dict[str, int]:
        prompt = sum(map(len, self.tokenizer.encode_batch(self.body.prompts())))
        completion = sum(len(choice.answer.tokens) for choice in self.choices)
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"
