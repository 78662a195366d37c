"""seqloom's own API: every task, with every option that it has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from seqloom.config import problem
from seqloom.explaining.page import page, page_body, page_data
from seqloom.explaining.trained import explain_model
from seqloom.explaining.walkthrough import check_wanted
from seqloom.serving.api.common import RequestBody, ServiceDep, error_responses
from seqloom.tasks.registry import known_tasks
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.views.document import as_json

router = APIRouter(prefix="/api", tags=["seqloom"])


Input = str | list[Any] | dict[str, Any]
TEXT_OR_TEXTS: dict[str, Any] = {"oneOf": [{"required": ["text"]}, {"required": ["texts"]}]}


class TextsRequest(RequestBody):
    """One text, or several."""

    model_config = ConfigDict(json_schema_extra=TEXT_OR_TEXTS)
    model: str | None = None
    """A model by name; without it the first one."""
    text: Input = ""
    """A text; for some models an object with columns, a list of words, frames, or a picture as {"image": base64}."""
    texts: list[Input] = Field(default_factory=list)
    """Several, in place of one."""

    @model_validator(mode="after")
    def text_or_texts(self) -> Self:
        if ("text" in self.model_fields_set) == ("texts" in self.model_fields_set):
            raise problem("text", "give either text or texts", remedy="leave one of them out")
        return self

    def all(self) -> list[Any]:
        return self.texts if "texts" in self.model_fields_set else [self.text]


def every_option() -> dict[str, Any]:
    """The options of all tasks, each of which may be left out."""
    fields: dict[str, Any] = {}
    for task in known_tasks():
        for name, field in task.Options.model_fields.items():
            kind: Any = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
            fields.setdefault(name, (kind | None, Field(None, description=field.description)))
    return fields


PredictRequest: Any = create_model(
    "PredictRequest", __base__=TextsRequest, __doc__="Texts, and the options of the task.", **every_option()
)
OPTIONS = set(PredictRequest.model_fields) - set(TextsRequest.model_fields)


class PredictResponse(BaseModel):
    """An answer for each text, in order; what is in it depends on the task."""

    model: str
    task: str
    answers: list[dict[str, Any]]


class ExplainRequest(RequestBody):
    """A text to explain."""

    text: Annotated[str, Field(pattern=r"\S")] | dict[str, Any]
    """A sentence of a few words; for some models an object with columns, or a picture as {"image": base64}."""
    model: str | None = None
    """A model by name; without it the first one."""
    format: Literal["json", "html", "view"] = "json"
    """Data; a page that needs nothing else; or, as JSON, the body of that page and its data."""


class VectorsResponse(BaseModel):
    """A vector for each text, in order."""

    model: str
    vectors: list[list[float]]


class ModelInfo(BaseModel):
    """A model that is served."""

    model_config = ConfigDict(extra="forbid")
    name: str
    task: str
    model: str
    source_language: str
    target_language: str
    options: list[str]
    loaded: bool


@router.post("/predict", response_model=PredictResponse, responses=error_responses(404))
async def predict(body: PredictRequest, request: Request, service: ServiceDep) -> Response:
    """Predict: labels, tags, a continuation, a translation."""
    entry = service.entry(body.model)
    options = {name: value for name in OPTIONS if (value := getattr(body, name)) is not None}
    found = await service.predict(entry, body.all(), options, request)

    def written() -> str:
        answers = [answer_json(answer, options) for answer in found]
        return PredictResponse.model_construct(model=entry.name, task=entry.task, answers=answers).model_dump_json()

    large = options.get("attention")  # weights by the thousand; a few numbers are quicker written than handed over
    return Response(await asyncio.to_thread(written) if large else written(), media_type="application/json")


def answer_json(answer: Any, options: dict[str, Any]) -> dict[str, Any]:
    """An answer as JSON, with the attention weights if they were asked for."""
    data: dict[str, Any] = answer.json()
    if options.get("attention") and answer.attention is not None:
        data["attention"] = answer.attention.json()
    return data


@router.post(
    "/explain", responses={**error_responses(404), 200: {"content": {"text/html": {}, "application/json": {}}}}
)
async def explain(body: ExplainRequest, request: Request, service: ServiceDep) -> Response:
    """Explain what a model computes for a text, from the whole down to a single gate."""
    entry = await service.seen_entry(body.model)
    model = await service.load_model(entry)
    service.parse_inputs(model, [body.text])

    def work(wanted: Callable[[], bool]) -> str:
        explained = explain_model(model, body.text, wanted)
        check_wanted(wanted)
        if body.format == "html":
            return page(explained)
        data = page_data(explained)
        return as_json({"body": page_body(explained), "data": data} if body.format == "view" else data)

    found = await service.explain(work, request)
    kind = "text/html; charset=utf-8" if body.format == "html" else "application/json"
    return Response(found, media_type=kind, headers={"content-security-policy": "sandbox allow-scripts"})


@router.post("/vectors", responses=error_responses(404))
async def vectors(body: TextsRequest, request: Request, service: ServiceDep) -> VectorsResponse:
    """Embed texts: a vector for each, close together for texts of similar meaning."""
    entry = service.entry(body.model)
    model = await service.load_model(entry)
    texts = service.parse_inputs(model, body.all())

    def compute(texts: Sequence[TaskRequest]) -> Iterator[Sequence[Reply]]:
        vectors = model.vectors([text.input for text in texts]).tolist()
        yield [Reply(index, VectorAnswer(vector)) for index, vector in enumerate(vectors)]

    found = await service.compute(texts, compute, request)
    return VectorsResponse(model=entry.name, vectors=[answer.vector for answer in found])


@router.get("/models", responses=error_responses())
async def models(service: ServiceDep) -> list[ModelInfo]:
    """The models of this server; each is loaded at its first request."""
    loaded = set(service.model_store.loaded)
    return [ModelInfo(**entry.info(), loaded=entry.name in loaded) for entry in service.model_store.entries.values()]


class VectorAnswer:
    """A vector in the place of a task's answer."""

    def __init__(self, vector: list[float]) -> None:
        self.vector = vector

    def json(self) -> dict[str, Any]:
        return {"vector": self.vector}
