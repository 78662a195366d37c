"""What a trained model says of itself, and the card that goes with a pack."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from seqloom.data.datasets import SCHEME, dataset
from seqloom.data.in_memory import is_in_memory
from seqloom.errors import SeqloomError, shortened
from seqloom.evaluating.tables import metric_text
from seqloom.training.metrics import best_line, has_metrics, read_metrics

if TYPE_CHECKING:
    from seqloom.training.model import Model

CARD = "README.md"
"""The name of a card in a pack."""
LABELS_SHOWN = 12
LONGEST_LABEL = 40
LONGEST_CELL = 300
"""Characters of a value in a card."""


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
    given = model.config.data.model_dump(mode="json")["train"]
    found.append(("trained on", shortened(", ".join(data_names(given)), LONGEST_CELL)))
    return found


def best_metrics(folder: Path | None) -> list[tuple[str, str]]:
    """The metrics on validation data of the weights that were kept, if those of the run are there."""
    if folder is None or not has_metrics(folder):
        return []
    return [
        (name.removeprefix("valid_"), metric_text(value))
        for name, value in best_line(read_metrics(folder)).items()
        if name.startswith("valid_") and isinstance(value, int | float)
    ]


def listed(labels: Sequence[Any]) -> str:
    """A few labels, long ones cut.

    >>> listed(["short", "a_label_that_has_many_more_characters_than_others"])
    'short, a_label_that_has_many_more_characters_t…'
    """
    names = map(str, labels[:LABELS_SHOWN])
    shown = ", ".join(name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 1]}…" for name in names)
    return shown if len(labels) <= LABELS_SHOWN else f"{shown} ..."


# --- the card of a pack -------------------------------------------------------------------------------


def as_markdown(model: Model, license: str = "", inputs: Sequence[str] = ()) -> str:
    """A model card: what the model is, its data, its metrics, its settings, its licence, the inputs that go with it."""
    config = model.config
    names = data_names(config.data.model_dump(mode="json")["train"])
    metrics = best_metrics(model.folder)
    baselines = [(one.name, f"{one.metric} {metric_text(one.value)}") for one in model.measured_baselines()]
    licences = [("model", license or "not stated: ask whoever sent it"), *data_licences(names)]
    shown = {"task": config.task, **config.model_dump(mode="json", exclude_defaults=True)}
    shown = changed_settings(shown, getattr(getattr(config, "model", None), "name", ""), names)
    parts = [
        f"# A seqloom model: {one_line(config.task)}",
        "One file, to be used as it is (`pip install seqloom`):",
        "```\n"
        'seqloom predict model.seqloom "a text"\n'
        "seqloom evaluate model.seqloom data.tsv\n"
        "seqloom serve model.seqloom\n"
        "python -c 'import seqloom; model = seqloom.load(\"model.seqloom\"); print(model.summary())'\n"
        "```",
        "It is a zip of safetensors and JSON: nothing in it is code, and every file is checked by its SHA-256.",
        markdown_table("Model", facts_of(model)),
        markdown_table("Validation data, the weights that are here", metrics) if metrics else "",
        markdown_table("Simple models on the same data", baselines) if baselines else "",
        markdown_table("Licence", licences),
        markdown_table("Inputs of the training data that are in this file", [("", text) for text in inputs])
        if inputs
        else "",
        "## Settings\n\nThose that are not as they come:",
        f"```toml\n{toml_of(shown)}\n```",
        f"Written by seqloom {version('seqloom')}.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def data_names(given: Any) -> list[str]:
    """Data by the names of its files: where they lay on a machine says nothing to others."""
    if is_in_memory(given):
        return ["rows from Python"]
    each = given.values() if isinstance(given, Mapping) else given if isinstance(given, list) else [given]
    return [one if str(one).startswith((SCHEME, "embedded:")) else PurePath(str(one)).name for one in each] or [
        "not known"
    ]


def data_licences(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The licence of each public data set among them."""
    for name in dict.fromkeys(name.removeprefix(SCHEME).partition("/")[0] for name in names if name.startswith(SCHEME)):
        try:
            yield f"data {name}", dataset(name).licence
        except SeqloomError:  # a set that a later version knows
            continue


def changed_settings(settings: dict[str, Any], name: str, names: Sequence[str]) -> dict[str, Any]:
    """Settings of a run for a reader elsewhere: files by name."""
    data = {name: value for name, value in settings.get("data", {}).items() if name not in ("train", "valid", "test")}
    model = {"name": name, **settings.get("model", {})} if name else settings.get("model", {})
    return {**settings, "model": model, "data": {"train": names[0] if len(names) == 1 else list(names), **data}}


def markdown_table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    lines = [f"| {one_line(name)} | {one_line(value)} |" for name, value in rows]
    return "\n".join([f"## {title}", "", "| | |", "|---|---|", *lines])


def one_line(text: str) -> str:
    """A value in a cell of a table, whatever it holds.

    >>> one_line("a | b\\n<script>")
    'a \\\\| b &lt;script>'
    """
    cut = text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]} ..."
    return " ".join(cut.split()).replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def toml_of(values: Mapping[str, Any], section: str = "") -> str:
    r"""Settings as a configuration file has them.

    >>> print(toml_of({"task": "tag", "train": {"steps": 5, "device": "cpu"}}))
    task = "tag"
    <BLANKLINE>
    [train]
    steps = 5
    device = "cpu"
    """
    plain = {name: value for name, value in values.items() if not isinstance(value, Mapping)}
    inner = {name: value for name, value in values.items() if isinstance(value, Mapping) and value}
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in plain.items() if value is not None]
    head = [f"[{section}]"] if section and lines else []
    blocks = ["\n".join([*head, *lines])] if lines else []
    blocks += [toml_of(value, f"{section}.{name}" if section else name) for name, value in inner.items()]
    return "\n\n".join(blocks)
