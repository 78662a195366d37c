"""What was seen of a model at work, as the JSON that the studio draws."""

from __future__ import annotations

from typing import Any

from seqloom.attention.html import picture_data, row_data
from seqloom.attention.weave_data import as_numbers, weave_data
from seqloom.tasks.inspection import Candidate, Inspection, TokenStep

TREE_NODES = 600
"""Hypotheses of beam search that are drawn at most."""


def inspection_data(seen: Inspection, look: tuple[str, int | None, int | None] = ("", None, None)) -> dict[str, Any]:
    """Everything that was seen; `look` names a head to send in full where a model has too many for all of them."""
    group, layer, head = look
    rows = {name: row_data(tokens) for name, tokens in seen.rows.items()}
    for one in seen.attention:
        for name, tokens in ((one.rows, one.map.target), (one.columns, one.map.source)):
            rows.setdefault(name, row_data(tokens))
    return {
        "answer": seen.answer.json(),
        "text": str(seen.answer),
        "rows": rows,
        "attention": [
            {
                "group": one.group,
                "rows": one.rows,
                "columns": one.columns,
                **weave_data(one.map, *((layer, head) if one.group == group else (None, None))),
            }
            for one in seen.attention
        ],
        "stepped": seen.stepped,
        "steps": [step_data(step) for step in seen.steps],
        "tree": [
            {
                "parent": node.parent,
                "token": node.token,
                "id": node.id,
                "p": round(node.probability, 5),
                "total": round(node.total, 4),
                "best": node.best,
            }
            for node in seen.tree[:TREE_NODES]
        ],
        "importance": {name: as_numbers(values) for name, values in seen.importance.items()},
        "temperature": seen.temperature,
        "cut": seen.cut,
        "picture": None if seen.picture is None else picture_data(seen.picture.png, seen.picture),
    }


def step_data(step: TokenStep) -> dict[str, Any]:
    return {
        **candidate_data(step.chosen),
        "given": step.given,
        "candidates": list(map(candidate_data, step.candidates)),
    }


def candidate_data(one: Candidate) -> dict[str, Any]:
    return {"id": one.id, "token": one.token, "p": round(one.probability, 6)}
