"""The OpenAPI description of a server: narrowed to the models that it serves."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from seqloom.serving.api.own import OPTIONS
from seqloom.serving.server import Server


def describe(routes: FastAPI, server: Server) -> dict[str, Any]:
    """FastAPI's description, with the names of models, and the options and inputs that one of them takes."""
    described = FastAPI.openapi(routes)
    schemas: dict[str, Any] = described["components"]["schemas"]
    entries = server.shelf.entries.values()
    names = [one.name for one in entries]
    for body in ("Predict", "Texts", "Explain"):
        narrow(schemas[body], "model", {"enum": [*names, None]})
    narrow(schemas["Complete"], "model", {"enum": [one.name for one in entries if one.writes] or [""]})
    if all(one.writes for one in entries):
        for body in ("Predict", "Texts"):
            narrow(schemas[body], "text", {"type": "string"})
            narrow(schemas[body], "texts", {"items": {"type": "string"}})
    for option in OPTIONS - {name for one in entries for name in one.options.model_fields}:
        schemas["Predict"]["properties"].pop(option, None)
    for option in ("beam", "n_best"):
        for kind in schemas["Predict"]["properties"].get(option, {}).get("anyOf", []):
            if "maximum" in kind:
                kind["maximum"] = min(kind["maximum"], server.bounds.beam)
    return described


def narrow(body: dict[str, Any], field: str, facts: dict[str, Any]) -> None:
    """Say more of a field than its type did."""
    told = body["properties"][field]
    if "items" not in facts:
        told.pop("anyOf", None)
    told |= facts
