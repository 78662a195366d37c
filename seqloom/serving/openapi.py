"""The OpenAPI schema of a server, narrowed to the models that it serves."""

from __future__ import annotations

import re
from typing import Any

from fastapi import FastAPI

from seqloom.serving.api.native import OPTIONS
from seqloom.serving.service import InferenceService

STUDIO = (
    "ExplainRequest", "InspectRequest", "StripsRequest", "AttributeRequest", "WordsRequest", "DataRequest",
)  # fmt: skip
"""Bodies that may name a checkpoint of a run as well."""


def openapi_schema(routes: FastAPI, service: InferenceService) -> dict[str, Any]:
    """FastAPI's schema, with the names of the models, and only the options and inputs that one of them takes."""
    schema = FastAPI.openapi(routes)
    schemas: dict[str, Any] = schema["components"]["schemas"]
    entries = service.model_store.entries.values()
    names = [one.name for one in entries]
    for body in ("PredictRequest", "TextsRequest"):
        narrow(schemas[body], "model", {"enum": [*names, None]})
    runs = [re.escape(name) for name in service.model_store.folders]
    at_a_step = {"type": "string", "pattern": f"^({'|'.join(runs)})@(0|[1-9][0-9]{{0,11}})$"}
    for body in STUDIO:
        narrow(schemas[body], "model", {"anyOf": [{"enum": [*names, None]}, at_a_step]})
    narrow(schemas["CompletionRequest"], "model", {"enum": [one.name for one in entries if one.generates_text] or [""]})
    if all(one.generates_text for one in entries):
        for body in ("PredictRequest", "TextsRequest"):
            narrow(schemas[body], "text", {"type": "string"})
            narrow(schemas[body], "texts", {"items": {"type": "string"}})
    for option in OPTIONS - {name for one in entries for name in one.options.model_fields}:
        schemas["PredictRequest"]["properties"].pop(option, None)
    for option in ("beam", "n_best"):
        for kind in schemas["PredictRequest"]["properties"].get(option, {}).get("anyOf", []):
            if "maximum" in kind:
                kind["maximum"] = min(kind["maximum"], service.bounds.beam)
    return schema


def narrow(body: dict[str, Any], field: str, facts: dict[str, Any]) -> None:
    """Say more of a field than its type did."""
    schema = body["properties"][field]
    if "items" not in facts:
        schema.pop("anyOf", None)
    schema |= facts
