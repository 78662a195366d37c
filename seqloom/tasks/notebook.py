"""An answer in a notebook: the same views as in the studio, in a frame."""

from __future__ import annotations

from math import exp
from typing import Any

from seqloom.attention.html import EMPTY, row_data, run_page
from seqloom.views.document import frame

HEIGHT = 620
"""Pixels of a frame."""


class ShownInNotebook:
    """A mixin of answers. What it draws is `run`: by default what every answer says as JSON."""

    def json(self) -> dict[str, Any]:
        raise NotImplementedError

    def run(self) -> dict[str, Any]:
        """What is known of the run that led here; see `attention/html.py`."""
        answer = self.json()
        run = {**EMPTY, "answer": answer, "text": str(self), "title": [str(answer.get("source", answer["text"]))]}
        if "tags" in answer:
            return {**run, "rows": {"text": row_data(answer["tokens"])}}
        if "continuation" in answer:
            return {**run, "title": [answer["seed"] or "…"], "rows": {"text": row_data(answer["tokens"])},
                    "stepped": "text", "steps": written_steps(answer)}  # fmt: skip
        return {**run, "title": [*run["title"], str(self)]}

    def _repr_html_(self) -> str:
        return frame(run_page("seqloom", [self.run()]), HEIGHT)


def written_steps(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The tokens of a continuation with their probabilities, and the others that were reported."""
    steps = []
    likeliest = answer.get("likeliest") or [{}] * len(answer["tokens"])
    for token, score, others in zip(answer["tokens"], answer["scores"], likeliest, strict=True):
        best = [{"id": other, "token": other, "p": exp(p)} for other, p in others.items()]
        steps.append({"id": token, "token": token, "p": exp(score), "given": False, "candidates": best})
    return steps
