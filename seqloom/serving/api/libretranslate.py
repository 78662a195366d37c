"""LibreTranslate's API: texts in, texts out, with all their paragraphs; its clients work unchanged."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from seqloom.serving.api.common import RequestBody, ServiceDep, error_responses
from seqloom.serving.body_fields import body_fields
from seqloom.serving.errors import APIError
from seqloom.serving.model_store import ModelEntry
from seqloom.serving.segmentation import MAX_SENTENCE_LENGTH, SegmentedText, detect, name_of, segment
from seqloom.serving.service import InferenceService

router = APIRouter(tags=["LibreTranslate"])
M = TypeVar("M", bound="LibreTranslateRequest")


class LibreTranslateRequest(RequestBody):
    """A body of LibreTranslate's API; unknown fields are ignored, as LibreTranslate does."""

    model_config = ConfigDict(extra="ignore", strict=False)
    api_key: str | None = None
    """The key of the server, if it has one; it was checked before."""


class TranslateRequest(LibreTranslateRequest):
    """Texts to translate."""

    q: str | Annotated[list[str], Field(min_length=1)]
    """A text, or several."""
    source: str = "auto"
    """Their language; auto detects it."""
    target: str
    """The language to translate into."""
    format: Literal["text", "html"] = "text"
    """Whether they are plain text or HTML."""
    alternatives: Annotated[int, Field(ge=0, le=15)] | Annotated[str, Field(pattern="^([0-9]|1[0-5])$")] = 0
    """Number of other translations; a string too, as LibreTranslate takes it."""


class DetectRequest(LibreTranslateRequest):
    """A text whose language is to be detected."""

    q: str
    """The text."""


class DetectedLanguage(BaseModel):
    """A language, and the confidence in it from 0 to 100."""

    language: str
    confidence: float


class TranslateResponse(BaseModel):
    """Translations: a text for a text, a list for a list."""

    translatedText: str | list[str]  # noqa: N815
    alternatives: list[str] | list[list[str]] | None = None
    detectedLanguage: DetectedLanguage | list[DetectedLanguage] | None = None  # noqa: N815


class LanguageInfo(BaseModel):
    """A language, and those it can be translated into."""

    code: str
    name: str
    targets: list[str]


def body_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """The OpenAPI schema of a body that may be JSON or a form."""
    schema = kind.model_json_schema()
    forms = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
    return {"requestBody": {"required": True, "content": {form: {"schema": schema} for form in forms}}}


async def read_request(request: Request, kind: type[M]) -> M:
    """A body, as JSON or as a form."""
    values, is_form = await body_fields(request)
    try:
        return kind.model_validate(values, strict=not is_form)  # a form has texts only
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"][:1]))
        raise APIError(400, f"Invalid request: {name}: {first['msg'][0].lower()}{first['msg'][1:]}") from None


@router.post(
    "/translate",
    responses=error_responses(),
    response_model_exclude_none=True,
    openapi_extra=body_schema(TranslateRequest),
)
async def translate(request: Request, service: ServiceDep) -> TranslateResponse:
    """Translate texts; line ends, paragraphs and, in HTML, tags stay as they are."""
    body = await read_request(request, TranslateRequest)
    texts = body.q if isinstance(body.q, list) else [body.q]
    service.check_texts(texts)
    sources = [await asyncio.to_thread(prepare, service, text, body) for text in texts]
    more = int(body.alternatives)
    options = {"n_best": more + 1, "beam": max(more + 1, 4)} if more else {}
    jobs = await service.submit([(one.entry, one.segmented.sentences) for one in sources], options)
    answers = await service.results(jobs, request)
    versions = [one.versions(found, more + 1) for one, found in zip(sources, answers, strict=True)]
    detected = [one.detected for one in sources if one.detected is not None]
    several = isinstance(body.q, list)
    best, others = [found[0] for found in versions], [found[1:] for found in versions]
    return TranslateResponse(
        translatedText=best if several else best[0],
        alternatives=(others if several else others[0]) if more else None,
        detectedLanguage=(detected if several else detected[0]) if detected else None,
    )


@dataclass(frozen=True)
class SourceText:
    """A text cut into sentences for a model, and its language if that was detected."""

    entry: ModelEntry
    segmented: SegmentedText
    detected: DetectedLanguage | None

    def versions(self, answers: Sequence[Any], count: int) -> list[str]:
        """The text as translated, and with the other answers to each sentence."""
        most = max((len(answer.alternatives) for answer in answers), default=0) + 1
        return [
            self.segmented.join([nth_best(answer, number) for answer in answers]) for number in range(min(count, most))
        ]


def prepare(service: InferenceService, text: str, body: TranslateRequest) -> SourceText:
    detected, source = None, body.source
    if source == "auto":
        best = detect(text, source_languages(service))[0]
        detected, source = DetectedLanguage(language=best.language, confidence=best.confidence), best.language
    entry = model_for(service, source, body.target)
    return SourceText(entry, segment(text, body.format, source, max_sentence_length(entry)), detected)


def nth_best(answer: Any, number: int) -> str:
    """The best answer, or another; the best again where there are fewer."""
    text: str = answer.alternatives[number - 1].text if 0 < number <= len(answer.alternatives) else answer.text
    return text


def max_sentence_length(entry: ModelEntry) -> int:
    """Characters of a sentence that a model can read."""
    settings: Any = entry.config
    tokens: int = settings.model.length - 1
    return min(MAX_SENTENCE_LENGTH, tokens if settings.tokens.kind == "character" else 2 * tokens)


def source_languages(service: InferenceService) -> list[str]:
    return [entry.config.data.source_language for entry in translators(service)]


def translators(service: InferenceService) -> list[ModelEntry]:
    return [entry for entry in service.model_store.entries.values() if entry.translates]


def model_for(service: InferenceService, source: str, target: str) -> ModelEntry:
    """The model for two languages; one without languages in its settings takes any."""
    for exact in (True, False):
        for entry in translators(service):
            data = entry.config.data
            if matches(data.source_language, source, exact) and matches(data.target_language, target, exact):
                return entry
    raise APIError(400, f"{source[:40]} to {target[:40]} is not supported; see /languages")


def matches(language: str, asked: str, exact: bool) -> bool:
    return language == asked or (not exact and language == "und")


@router.post("/detect", responses=error_responses(), openapi_extra=body_schema(DetectRequest))
async def detect_language(request: Request, service: ServiceDep) -> list[DetectedLanguage]:
    """The languages that a text may be in, the most likely first."""
    body = await read_request(request, DetectRequest)
    service.check_texts([body.q])
    found = await asyncio.to_thread(detect, body.q, source_languages(service))
    return [DetectedLanguage(language=one.language, confidence=one.confidence) for one in found]


@router.get("/languages", responses=error_responses())
async def languages(service: ServiceDep) -> list[LanguageInfo]:
    """The languages of all models; needs no key, as with LibreTranslate."""
    targets: dict[str, list[str]] = {}
    for entry in translators(service):
        data = entry.config.data
        targets.setdefault(data.source_language, []).append(data.target_language)
        targets.setdefault(data.target_language, [])
    found = [LanguageInfo(code=code, name=name_of(code), targets=sorted(set(to))) for code, to in targets.items()]
    return found or [LanguageInfo(code="und", name=name_of("und"), targets=[])]


@router.get("/frontend/settings", responses=error_responses())
async def settings(service: ServiceDep) -> dict[str, Any]:
    """What a page of LibreTranslate asks first: whether there is a key, for one."""
    first = next(iter(translators(service)), None)
    source, target = (first.config.data.source_language, first.config.data.target_language) if first else ("und", "und")
    return {
        "apiKeys": bool(service.key),
        "keyRequired": bool(service.key),
        "charLimit": service.bounds.text_characters,
        "frontendTimeout": 500,
        "suggestions": False,
        "filesTranslation": False,
        "supportedFilesFormat": [],
        "language": {
            "source": {"code": source, "name": name_of(source)},
            "target": {"code": target, "name": name_of(target)},
        },
    }
