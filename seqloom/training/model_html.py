"""A trained model in a notebook: how good it is beside simple models, how it learned, what it is, how it is called."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from seqloom.evaluating.tables import metric_text
from seqloom.training.metrics import best_line, has_metrics, read_metrics
from seqloom.training.model_card import best_metrics, facts_of

if TYPE_CHECKING:
    from seqloom.training.model import Model

BLUE, GREY = "#3d6fb4", "#9aa0a6"
"""The model and what it is compared with: seen on white and on black."""
BOX = "font: 14px/1.5 system-ui, sans-serif; display: inline-block; max-width: 52em; padding: 0.9em 1.2em; " \
      "border: 1px solid #9aa0a666; border-radius: 8px"  # fmt: skip
SMALL = "font-size: 0.85em; opacity: 0.75"
WIDE, HIGH = 220, 56
"""Pixels of a learning curve."""
FALLING = ("loss", "perplexity", "error", "bits_per_", "mae", "rmse")
"""A metric with one of these in its name is better when it is lower."""


def as_html(model: Model) -> str:
    """A box that a notebook shows; plain HTML and SVG, nothing runs in it."""
    facts = facts_of(model)
    title = f"<b>seqloom model</b> &nbsp;{escape(' · '.join(value for _, value in facts[:2]))}"
    parts = [row(*(part for part in (score_bars(model), learning_curve(model)) if part))]
    parts += [fact_list(facts[2:])]
    calls = 'model("a text") &nbsp; model.evaluate(data) &nbsp; model.explain("a text") &nbsp; model.pack("m.seqloom")'
    parts += [f'<div style="{SMALL}; font-family: monospace; margin-top: 0.6em">{calls}</div>']
    return f'<div style="{BOX}"><div style="margin-bottom: 0.5em">{title}</div>{"".join(parts)}</div>'


def row(*parts: str) -> str:
    return (
        f'<div style="display: flex; flex-wrap: wrap; gap: 0.8em 2.4em; align-items: flex-start">{"".join(parts)}</div>'
    )


def score_bars(model: Model) -> str:
    """The metrics on validation data; one of them as a bar above those of the baselines."""
    metrics = best_metrics(model.folder)
    if not metrics:
        return ""
    baselines = model.measured_baselines()
    shown = baselines[0].metric if baselines else next((name for name, _ in metrics if name != "loss"), "loss")
    value = dict(metrics).get(shown)
    bars = [] if value is None else [("this model", float(value.replace(",", "")), BLUE)]
    bars += [(one.name, one.value, GREY) for one in baselines]
    most = max([*(size for _, size, _ in bars), 1.0])  # many metrics end at 1
    lines = "".join(
        f'<span>{escape(name)}</span><span style="background: {colour}; height: 0.8em; border-radius: 3px; '
        f'width: {7 * max(size, 0) / most:.2f}em"></span><span style="font-variant-numeric: tabular-nums">'
        f"{metric_text(size)}</span>"
        for name, size, colour in bars
    )
    grid = "display: grid; grid-template-columns: auto 7em auto; gap: 0.1em 0.7em; align-items: center"
    others = ", ".join(f"{name} {text}" for name, text in metrics if name != shown)
    lower = ", lower is better" if is_falling(shown) else ""
    head = f'<div style="{SMALL}">validation data: {escape(shown)}{lower}</div>'
    rest = f'<div style="{SMALL}">{escape(others)}</div>' if others else ""
    return f'<div>{head}<div style="{grid}">{lines}</div>{rest}</div>'


def is_falling(metric: str) -> bool:
    return any(name in metric for name in FALLING)


def learning_curve(model: Model) -> str:
    """The validation metric by step as a line, with a dot where the weights were kept."""
    lines = read_metrics(model.folder) if model.folder is not None and has_metrics(model.folder) else []
    measured = [line for line in lines if any(name.startswith("valid_") for name in line)]
    names = [name for name in best_line(lines) if name.startswith("valid_")]
    name = next((name for name in names if name != "valid_loss"), "valid_loss")
    points = [(line["step"], line[name]) for line in measured if isinstance(line.get(name), int | float)]
    if len(points) < 2:
        return ""
    kept = best_line(lines)["step"]
    steps, values = zip(*points)
    x = [4 + (WIDE - 8) * (step - steps[0]) / max(steps[-1] - steps[0], 1) for step in steps]
    low, high = min(values), max(values)
    y = [HIGH - 4 - (HIGH - 8) * (value - low) / ((high - low) or 1) for value in values]
    path = " ".join(f"{across:.1f},{down:.1f}" for across, down in zip(x, y))
    dots = "".join(
        f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3.5" fill="{BLUE}"/>'
        for across, down, step in zip(x, y, steps)
        if step == kept
    )
    head = f'<div style="{SMALL}">{escape(name.removeprefix("valid_"))} by step</div>'
    foot = f'<div style="{SMALL}">weights kept at step {kept:,} of {steps[-1]:,}</div>'
    line = f'<polyline points="{path}" fill="none" stroke="{BLUE}" stroke-width="1.8"/>'
    return f'<div>{head}<svg width="{WIDE}" height="{HIGH}" role="img">{line}{dots}</svg>{foot}</div>'


def fact_list(facts: Sequence[tuple[str, str]]) -> str:
    """What else is known, as a line of names and values."""
    each = "".join(f'<span><span style="{SMALL}">{escape(name)}</span> {escape(value)}</span>' for name, value in facts)
    return f'<div style="display: flex; flex-wrap: wrap; gap: 0 1.4em; margin-top: 0.6em">{each}</div>'
