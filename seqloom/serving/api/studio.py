"""What the studio asks for: a model looked at while it answers, its gates over time, its definition opened."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field
from torch import Tensor

from seqloom.attribution import Method, attribute
from seqloom.config import check
from seqloom.engines.engine_module import check_in_torch
from seqloom.errors import SeqloomError
from seqloom.explaining.influence import influence_in
from seqloom.explaining.trained import at_work
from seqloom.explaining.walkthrough import check_wanted
from seqloom.models.observed import Head
from seqloom.serving.api.common import RequestBody, ServiceDep, error_responses
from seqloom.serving.api.native import Input
from seqloom.serving.errors import APIError, over_bound, validation_error
from seqloom.studio.data_errors import data_errors
from seqloom.studio.embedding_map import embedding_map_data
from seqloom.studio.examples import example_input
from seqloom.studio.inspection_data import inspection_data
from seqloom.studio.strips import strips_data
from seqloom.tasks.inspection import MOST_TOKENS, Inspection, InspectOptions
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.views.document import as_json

router = APIRouter(prefix="/api", tags=["studio"])


class InspectRequest(RequestBody):
    """An input to look at a model with, and how."""

    model: str | None = None
    """A model by name; without it the first one."""
    text: Input | None = None
    """An input of the model; without one, an example of what it was trained for."""
    example: int = Field(0, ge=0, le=999)
    """Which example, where there is no text."""
    beam: int = Field(4, ge=1, le=8)
    """Beam size."""
    temperature: float | None = Field(None, ge=0, le=10)
    """0 takes the most probable tokens; above it, the answer is sampled; without it as the task does by default."""
    seed: int = Field(0, ge=0, le=2**53)
    """Random seed of the sampling."""
    length: int = Field(40, ge=1, le=MOST_TOKENS)
    """Number of tokens that a language model generates."""
    prefix: list[int] = Field(default_factory=list, max_length=MOST_TOKENS)
    """Token ids that the answer begins with."""
    off: list[str] = Field(default_factory=list, max_length=256)
    """Attention heads to switch off, e.g. `cross.0.3`: attention, layer and head, counted from 0."""
    look: str = ""
    """A head to send in full where there are too many to send all, named in the same way."""


class InspectResponse(BaseModel):
    """What was seen; what is in it depends on the task and on the architecture."""

    model: str
    task: str
    input: Any
    """What was read: the input, or the example that was chosen."""
    milliseconds: float
    answer: dict[str, Any]
    text: str
    rows: dict[str, Any]
    attention: list[dict[str, Any]]
    stepped: str
    steps: list[dict[str, Any]]
    tree: list[dict[str, Any]]
    importance: dict[str, list[float]]
    temperature: float
    cut: bool
    picture: dict[str, Any] | None
    """The picture as the model sees it, where it reads one, with the grid of its regions."""


class StripsRequest(RequestBody):
    """A text that a recurrent model reads."""

    text: str = Field(pattern=r"\S")
    """A sentence of a few words; a picture in base64."""
    model: str | None = None
    """A model by name; without it the first one."""


class StripsResponse(BaseModel):
    """Gates and states over time, and how much each input token still matters to the last state."""

    model: str
    strips: list[dict[str, Any]]
    tokens: list[str]
    influence: list[float]


class AttributeRequest(RequestBody):
    """An input whose outputs are to be attributed, and how."""

    text: Input
    """An input of the model."""
    model: str | None = None
    """A model by name; without it the first one."""
    method: Method = "integrated"
    """Gradient times input, integrated gradients, or leaving one input out at a time."""


class AttributeResponse(BaseModel):
    """How much each input mattered for each output: a row of signed weights for each output."""

    model: str
    input: Any
    method: str
    inputs: list[str]
    outputs: list[str]
    weights: list[list[float]]
    scores: list[float]
    sentence: str


class DataRequest(RequestBody):
    """A model whose validation part is looked at."""

    model: str | None = None
    """A model by name; without it the first one."""


class DataResponse(BaseModel):
    """A sample of the validation part, the largest loss first."""

    model: str
    task: str
    part: str
    read: int
    """Examples that the sample was drawn from."""
    all: bool
    """Whether the sample is the whole part."""
    examples: list[dict[str, Any]]


@router.post("/inspect", responses={**error_responses(404), 200: {"model": InspectResponse}})
async def inspect(body: InspectRequest, request: Request, service: ServiceDep) -> Response:
    """Look at a model while it answers: attention of every head, candidates of every step, what mattered."""
    entry = await service.seen_entry(body.model)
    if body.beam > service.bounds.beam:
        raise over_bound("beam", service.bounds.beam, f"{body.beam} answers side by side", 422)
    model = await service.load_model(entry)
    sent: Any = body.text
    if sent is None:
        sent = await asyncio.to_thread(example_input, model, from_data=not service.key, number=body.example)
    (given,) = service.parse_inputs(model, [sent])
    names = ("beam", "temperature", "seed", "length", "prefix", "off")
    try:
        check_in_torch(model.network)
        options = check(InspectOptions, {name: getattr(body, name) for name in names}, where="options")
        look = Head.named(body.look) if body.look else ("", None, None)
    except SeqloomError as error:
        raise validation_error(error) from None
    began = time.monotonic()

    def compute(requests: Sequence[TaskRequest]) -> Iterator[Sequence[Reply]]:
        (one,) = requests
        for seen in model.task.inspect(model.network, one.input, options, lambda: one.wanted):
            yield [] if seen is None else [Reply(0, Seen(seen))]

    (found,) = await service.compute([given], compute, request)
    took = round(1000 * (time.monotonic() - began), 1)
    facts = {"model": entry.name, "task": entry.task, "input": sent, "milliseconds": took}
    text = await asyncio.to_thread(lambda: as_json({**facts, **inspection_data(found.seen, look)}))
    return Response(text, media_type="application/json")


@router.post("/strips", responses={**error_responses(404), 200: {"model": StripsResponse}})
async def strips(body: StripsRequest, request: Request, service: ServiceDep) -> Response:
    """Gates and states of a recurrent model at every token, and the influence of each token on the last state."""
    entry = await service.seen_entry(body.model)
    model = await service.load_model(entry)
    service.parse_inputs(model, [body.text])

    def work(wanted: Callable[[], bool]) -> str:
        example = at_work(model, body.text)
        with torch.no_grad():
            found = strips_data(example, wanted)
        tokens, values = influence_in(example, model.network) if found else ([], [])
        return as_json({"model": entry.name, "strips": found, "tokens": tokens, "influence": values})

    return Response(await service.explain(work, request), media_type="application/json")


class WordsRequest(RequestBody):
    """A model whose embeddings are looked at."""

    model: str | None = None
    """A model by name; without it the first one."""
    side: str = Field("", max_length=40)
    """Which vocabulary, where there are two: source or target."""
    word: str = Field("", max_length=200)
    """A word whose neighbours are asked for."""


class WordsResponse(BaseModel):
    """Frequent tokens on a plane, and the neighbours of one of them."""

    model: str
    sides: list[str]
    side: str
    tokens: list[str]
    frequency: list[int]
    places: list[float]
    labels: list[str]
    """What the model says of each token alone, where it gives labels or tags."""
    word: str
    near: list[Any]


@router.post("/words", responses={**error_responses(404), 200: {"model": WordsResponse}})
async def words(body: WordsRequest, request: Request, service: ServiceDep) -> Response:
    """The embeddings of frequent tokens on their two principal axes, and the nearest to a word."""
    entry = await service.seen_entry(body.model)
    model = await service.load_model(entry)
    service.check_texts([body.word])

    def work(wanted: Callable[[], bool]) -> str:
        return as_json({"model": entry.name, **embedding_map_data(model, body.side, body.word)})

    return Response(await service.explain(work, request), media_type="application/json")


@router.post("/attribute", responses={**error_responses(404), 200: {"model": AttributeResponse}})
async def attributed(body: AttributeRequest, request: Request, service: ServiceDep) -> Response:
    """Attribute every output of a model to its inputs: which words an answer came from."""
    entry = await service.seen_entry(body.model)
    model = await service.load_model(entry)
    (given,) = service.parse_inputs(model, [body.text])
    try:
        check_in_torch(model.network)
    except SeqloomError as error:
        raise validation_error(error) from None

    def work(wanted: Callable[[], bool]) -> str:
        probe = model.task.probe(model.network, given)

        def scores(x: Tensor, places: Tensor) -> Tensor:
            check_wanted(wanted)
            return probe.scores(x, places)

        found = attribute(replace(probe, scores=scores), body.method)
        return as_json({"model": entry.name, "input": body.text, **found.json(), "sentence": found.sentence()})

    return Response(await service.explain(work, request), media_type="application/json")


@router.post("/data", responses={**error_responses(404), 200: {"model": DataResponse}})
async def data(body: DataRequest, request: Request, service: ServiceDep) -> Response:
    """What a model says of examples of its validation part, beside what is right, with the loss of each.

    Not where a key is set: who may ask a model need not be allowed to read the data that it was trained with.
    """
    entry = await service.seen_entry(body.model)
    if service.key:
        raise APIError(403, "a server with a key does not show validation data; start one without, on this machine")
    model = await service.load_model(entry)

    def work(wanted: Callable[[], bool]) -> str:
        return as_json({"model": entry.name, "task": entry.task, **data_errors(model, wanted)})

    return Response(await service.explain(work, request), media_type="application/json")


class Seen:
    """An inspection in the place of a task's answer."""

    def __init__(self, seen: Inspection) -> None:
        self.seen = seen

    def json(self) -> dict[str, Any]:
        return inspection_data(self.seen)
