"""What a trained model says of itself: in a notebook and as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqloom.errors import quoted
from seqloom.evaluating.tables import html_table
from seqloom.training.metrics import FILE, read_metrics

if TYPE_CHECKING:
    from seqloom.training.model import Model

LABELS_SHOWN = 12


def facts_of(model: Model) -> list[tuple[str, str]]:
    """What is known of a model: name and value, the most telling first."""
    settings = getattr(model.config, "model", None)
    name = getattr(settings, "name", type(model.network).__name__)
    found = [("task", model.config.task), ("architecture", name)]
    found.append(("parameters", f"{sum(weight.numel() for weight in model.network.parameters()):,}"))
    for side, tokenizer in model.task.tokenizers.items():
        found.append((f"vocabulary ({side})", f"{tokenizer.size:,} tokens"))
    if labels := model.task.facts.get("labels"):
        found.append(("labels", f"{len(labels):,}: {listed(labels)}"))
    found.append(("trained on", quoted(model.config.data.model_dump(mode="json")["train"])))
    return found + best_metrics(model.folder)


def best_metrics(folder: Path | None) -> list[tuple[str, str]]:
    """The last metrics on validation data, if the run is there."""
    if folder is None or not (folder / FILE).is_file():
        return []
    measured = [line for line in read_metrics(folder) if any(name.startswith("valid_") for name in line)]
    return [
        (f"{name.removeprefix('valid_')} on validation data, at the end", f"{value:.4f}")
        for name, value in (measured[-1] if measured else {}).items()
        if name.startswith("valid_") and isinstance(value, int | float)
    ]


def listed(labels: Sequence[Any]) -> str:
    """A few labels, each of them short."""
    shown = ", ".join(f"{label!s:.30}" for label in labels[:LABELS_SHOWN])
    return shown if len(labels) <= LABELS_SHOWN else f"{shown} ..."


def as_html(model: Model) -> str:
    """For a notebook: the facts, and how the model is called."""
    call = '<pre>model("a text")   model.evaluate(data)   model.explain("a text")   model.summary()</pre>'
    return f"{html_table('seqloom model', facts_of(model))}{call}"
