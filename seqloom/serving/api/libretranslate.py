"""LibreTranslate's API: texts in, texts out, with all their paragraphs; its clients work unchanged."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.formparsers import MultiPartException

from seqloom.serving.api.common import Body, Served, refusals
from seqloom.serving.refusal import Refusal
from seqloom.serving.server import Server
from seqloom.serving.shelf import Entry
from seqloom.serving.texts import Laid, detect, lay, name_of

router = APIRouter(tags=["LibreTranslate"])
LONGEST = 1000
"""Characters of a sentence; fewer for a model that reads fewer tokens."""
M = TypeVar("M", bound="Asking")


class Asking(Body):
    """What every call may say; fields that are not known are left alone, as LibreTranslate does."""

    model_config = ConfigDict(extra="ignore", strict=False)
    api_key: str | None = None
    """The key of the server, if it has one."""


class Translate(Asking):
    """Texts to translate."""

    q: str | Annotated[list[str], Field(min_length=1)]
    """A text, or several."""
    source: str = "auto"
    """The language that they are in; auto finds out."""
    target: str
    """The language that they become."""
    format: Literal["text", "html"] = "text"
    """Whether there are tags in them."""
    alternatives: Annotated[int, Field(ge=0, le=15)] | Annotated[str, Field(pattern="^([0-9]|1[0-5])$")] = 0
    """So many other translations; as a text too, as LibreTranslate takes it."""


class Detect(Asking):
    """A text whose language is asked for."""

    q: str
    """The text."""


class Detected(BaseModel):
    """A language and how sure that is, from 0 to 100."""

    language: str
    confidence: float


class Translated(BaseModel):
    """Translations: a text for a text, a list for a list."""

    translatedText: str | list[str]  # noqa: N815
    alternatives: list[str] | list[list[str]] | None = None
    detectedLanguage: Detected | list[Detected] | None = None  # noqa: N815


class Language(BaseModel):
    """A language that can be read or written, and those it can become."""

    code: str
    name: str
    targets: list[str]


def body_of(kind: type[BaseModel]) -> dict[str, Any]:
    """How a body is described that may be JSON or a form."""
    schema = kind.model_json_schema()
    forms = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
    return {"requestBody": {"required": True, "content": {form: {"schema": schema} for form in forms}}}


async def read(request: Request, kind: type[M]) -> M:
    """A body, as JSON or as a form; the key in it or in the header is checked first."""
    values, is_form = await values_of(request)
    if "authorization" not in request.headers:  # there the guard has seen it
        key = values.get("api_key") or request.query_params.get("api_key")
        request.app.state.server.check_key(key if isinstance(key, str) else "")
    try:
        return kind.model_validate(values, strict=not is_form)  # a form has texts only
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"][:1]))
        raise Refusal(400, f"Invalid request: {name}: {first['msg'][0].lower()}{first['msg'][1:]}") from None


async def values_of(request: Request) -> tuple[dict[str, Any], bool]:
    """The fields of a body, and whether it is a form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
            form = await request.form()
            return {name: several if len(several := form.getlist(name)) > 1 else several[0] for name in form}, True
        body = await request.body()
        values = await request.json() if body else {}
    except (ValueError, MultiPartException, RecursionError):
        raise Refusal(400, "Invalid request: the body is neither JSON nor a form") from None
    if not isinstance(values, dict):
        raise Refusal(400, "Invalid request: the body is no object")
    return values, False


@router.post("/translate", responses=refusals(), response_model_exclude_none=True, openapi_extra=body_of(Translate))
async def translate(request: Request, server: Served) -> Translated:
    """Translate texts; line ends, paragraphs and, in HTML, tags stay as they are."""
    asked = await read(request, Translate)
    texts = asked.q if isinstance(asked.q, list) else [asked.q]
    server.check_texts(texts)
    laid = [await asyncio.to_thread(lay_out, server, text, asked) for text in texts]
    more = int(asked.alternatives)
    options = {"n_best": more + 1, "beam": max(more + 1, 4)} if more else {}
    errands = await server.errands([(one.entry, one.laid.sentences) for one in laid], options)
    answers = await server.finish(errands, request)
    versions = [one.versions(found, more + 1) for one, found in zip(laid, answers, strict=True)]
    told = [one.told for one in laid if one.told is not None]
    several = isinstance(asked.q, list)
    best, others = [found[0] for found in versions], [found[1:] for found in versions]
    return Translated(
        translatedText=best if several else best[0],
        alternatives=(others if several else others[0]) if more else None,
        detectedLanguage=(told if several else told[0]) if told else None,
    )


@dataclass(frozen=True)
class LaidOut:
    """A text cut into sentences for a model; its language, if that was found out."""

    entry: Entry
    laid: Laid
    told: Detected | None

    def versions(self, answers: Sequence[Any], count: int) -> list[str]:
        """The text as translated, and with the other answers to each sentence."""
        most = max((len(answer.alternatives) for answer in answers), default=0) + 1
        return [self.laid.join([nth(answer, number) for answer in answers]) for number in range(min(count, most))]


def lay_out(server: Server, text: str, asked: Translate) -> LaidOut:
    told, source = None, asked.source
    if source == "auto":
        best = detect(text, readable(server))[0]
        told, source = Detected(language=best.language, confidence=best.confidence), best.language
    entry = pair(server, source, asked.target)
    return LaidOut(entry, lay(text, asked.format, source, longest(entry)), told)


def nth(answer: Any, number: int) -> str:
    """The best answer, or another; the best again where there are fewer."""
    text: str = answer.alternatives[number - 1].text if 0 < number <= len(answer.alternatives) else answer.text
    return text


def longest(entry: Entry) -> int:
    """Characters of a sentence that a model can read."""
    settings: Any = entry.config
    tokens: int = settings.model.length - 1
    return min(LONGEST, tokens if settings.tokens.kind == "character" else 2 * tokens)


def readable(server: Server) -> list[str]:
    return [entry.config.data.source_language for entry in translators(server)]


def translators(server: Server) -> list[Entry]:
    return [entry for entry in server.shelf.entries.values() if entry.task == "translate"]


def pair(server: Server, source: str, target: str) -> Entry:
    """The model for two languages; one whose language was not said reads or writes any."""
    for said in (True, False):
        for entry in translators(server):
            data = entry.config.data
            if fits(data.source_language, source, said) and fits(data.target_language, target, said):
                return entry
    raise Refusal(400, f"{source[:40]} to {target[:40]} is not supported; see /languages")


def fits(language: str, asked: str, said: bool) -> bool:
    return language == asked or (not said and language == "und")


@router.post("/detect", responses=refusals(), openapi_extra=body_of(Detect))
async def detect_language(request: Request, server: Served) -> list[Detected]:
    """The languages that a text may be in, the most likely first."""
    asked = await read(request, Detect)
    server.check_texts([asked.q])
    found = await asyncio.to_thread(detect, asked.q, readable(server))
    return [Detected(language=one.language, confidence=one.confidence) for one in found]


@router.get("/languages", responses=refusals())
async def languages(server: Served) -> list[Language]:
    """The languages of all models; needs no key, as with LibreTranslate."""
    targets: dict[str, list[str]] = {}
    for entry in translators(server):
        data = entry.config.data
        targets.setdefault(data.source_language, []).append(data.target_language)
        targets.setdefault(data.target_language, [])
    found = [Language(code=code, name=name_of(code), targets=sorted(set(to))) for code, to in targets.items()]
    return found or [Language(code="und", name=name_of("und"), targets=[])]


@router.get("/frontend/settings", responses=refusals())
async def settings(server: Served) -> dict[str, Any]:
    """What a page of LibreTranslate asks first: whether there is a key, for one."""
    first = next(iter(translators(server)), None)
    source, target = (first.config.data.source_language, first.config.data.target_language) if first else ("und", "und")
    return {
        "apiKeys": bool(server.key),
        "keyRequired": bool(server.key),
        "charLimit": server.bounds.text_characters,
        "frontendTimeout": 500,
        "suggestions": False,
        "filesTranslation": False,
        "supportedFilesFormat": [],
        "language": {
            "source": {"code": source, "name": name_of(source)},
            "target": {"code": target, "name": name_of(target)},
        },
    }
