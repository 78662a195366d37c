"""seqloom's own API: every task, with every option that it has."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from seqloom.config import problem
from seqloom.explaining.page import page, page_data
from seqloom.explaining.trained import explain_model
from seqloom.serving.api.common import Body, Served, refusals
from seqloom.tasks.registry import TASKS
from seqloom.tasks.requests import Reply, TaskRequest
from seqloom.views.document import as_json

router = APIRouter(prefix="/api", tags=["seqloom"])


Input = str | list[Any] | dict[str, Any]
ONE_OF_THE_TWO: dict[str, Any] = {"oneOf": [{"required": ["text"]}, {"required": ["texts"]}]}


class Texts(Body):
    """One text, or several."""

    model_config = ConfigDict(json_schema_extra=ONE_OF_THE_TWO)
    model: str | None = None
    """A model by name; without it the first one."""
    text: Input = ""
    """A text; for some models an object with columns, a list of words, or frames."""
    texts: list[Input] = Field(default_factory=list)
    """Several, in place of one."""

    @model_validator(mode="after")
    def one_of_the_two(self) -> Self:
        if ("text" in self.model_fields_set) == ("texts" in self.model_fields_set):
            raise problem("text", "give either text or texts", remedy="leave one of them out")
        return self

    def all(self) -> list[Any]:
        return self.texts if "texts" in self.model_fields_set else [self.text]


def every_option() -> dict[str, Any]:
    """The options of all tasks, each of which may be left out."""
    fields: dict[str, Any] = {}
    for task in TASKS.values():
        for name, field in task.Options.model_fields.items():
            kind: Any = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
            fields.setdefault(name, (kind | None, Field(None, description=field.description)))
    return fields


Predict: Any = create_model(
    "Predict", __base__=Texts, __doc__="Texts, and how they are to be answered.", **every_option()
)
OPTIONS = set(Predict.model_fields) - set(Texts.model_fields)


class Answers(BaseModel):
    """An answer for each text, in order; what is in it depends on the task."""

    model: str
    task: str
    answers: list[dict[str, Any]]


class Explain(Body):
    """A text to look at."""

    text: str = Field(pattern=r"\S")
    """A sentence of a few words."""
    model: str | None = None
    """A model by name; without it the first one."""
    format: Literal["json", "html"] = "json"
    """Data, or a page that needs nothing else."""


class Vectors(BaseModel):
    """A vector for each text, in order."""

    model: str
    vectors: list[list[float]]


class About(BaseModel):
    """A model that is served."""

    model_config = ConfigDict(extra="forbid")
    name: str
    task: str
    model: str
    source_language: str
    target_language: str
    options: list[str]
    loaded: bool


@router.post("/predict", responses=refusals(404))
async def predict(asked: Predict, request: Request, server: Served) -> Answers:
    """Answer texts: labels, tags, a text that goes on, a translation."""
    entry = server.entry(asked.model)
    options = {name: value for name in OPTIONS if (value := getattr(asked, name)) is not None}
    found = await server.predict(entry, asked.all(), options, request)
    answers = await asyncio.to_thread(lambda: [told(answer, options) for answer in found])
    return Answers(model=entry.name, task=entry.task, answers=answers)


def told(answer: Any, options: dict[str, Any]) -> dict[str, Any]:
    """An answer as data; what was looked at, if that was asked for."""
    data: dict[str, Any] = answer.json()
    if options.get("attention") and answer.attention is not None:
        data["attention"] = answer.attention.json()
    return data


@router.post("/explain", responses={**refusals(404), 200: {"content": {"text/html": {}, "application/json": {}}}})
async def explain(asked: Explain, server: Served) -> Response:
    """What a model computes for a text, from the whole down to a single gate."""
    entry = server.entry(asked.model)
    model = await server.open(entry)
    server.check_texts([asked.text])

    def work() -> str:
        explained = explain_model(model, asked.text)
        return page(explained) if asked.format == "html" else as_json(page_data(explained))

    found = await server.explain(work)
    kind = "text/html; charset=utf-8" if asked.format == "html" else "application/json"
    return Response(found, media_type=kind, headers={"content-security-policy": "sandbox allow-scripts"})


@router.post("/vectors", responses=refusals(404))
async def vectors(asked: Texts, request: Request, server: Served) -> Vectors:
    """A vector for each text, near for texts of like sense."""
    entry = server.entry(asked.model)
    model = await server.open(entry)
    texts = server.accepted(model, asked.all())

    def begin(texts: Sequence[TaskRequest]) -> Iterator[Sequence[Reply]]:
        rows = model.vectors([text.input for text in texts]).tolist()
        yield [Reply(place, Row(row)) for place, row in enumerate(rows)]

    found = await server.compute(texts, begin, request)
    return Vectors(model=entry.name, vectors=[row.vector for row in found])


@router.get("/models", responses=refusals())
async def models(server: Served) -> list[About]:
    """The models of this server; one is loaded when it is asked first."""
    loaded = set(server.shelf.loaded)
    return [About(**entry.about(), loaded=entry.name in loaded) for entry in server.shelf.entries.values()]


class Row:
    """A vector as an answer."""

    def __init__(self, vector: list[float]) -> None:
        self.vector = vector

    def json(self) -> dict[str, Any]:
        return {"vector": self.vector}
