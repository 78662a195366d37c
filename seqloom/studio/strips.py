"""Gates and states over time: what the cells of a recurrent model compute at every token, from its definition.

A cell is a definition with state. Of its lines, those that end in a sigmoid are gates, those that it returns are
states, the others are what is on the way; so a cell of somebody's own is shown like those that come with seqloom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from seqloom.attention.weave_data import as_numbers
from seqloom.equations import Equations, nodes
from seqloom.equations.drawing.graph import call_paths
from seqloom.explaining.chinese import in_chinese
from seqloom.explaining.explanation import at_path, by_position
from seqloom.explaining.walkthrough import check_wanted
from seqloom.models.stage import Example, StageExample

UNITS = 48
"""Units of a vector that are shown; of wider ones, evenly spaced."""
STRIPS = 24
"""Strips at most."""


def strips_data(example: Example, wanted: Callable[[], bool] = lambda: True) -> list[dict[str, Any]]:
    """The strips of all parts, in the order of computation; none for a model without recurrence.

    wanted  whether somebody still waits for it; asked before every part
    """
    found = []
    for each in example.stages:
        check_wanted(wanted)
        found += list(strips_of(each))
    return found[:STRIPS]


def strips_of(example: StageExample) -> Iterator[dict[str, Any]]:
    definition = example.stage.part.bound
    cells = [(path, at) for path in ("", *call_paths(definition)) if is_cell(at := at_path(definition, path))]
    if not cells:
        return  # what is not recurrent need not be computed
    traces = by_position(example.stage.whole, example.labels)
    if len(traces) < 2:
        return
    for path, cell in cells:
        prefix = f"{path}/" if path else ""
        for line in cell.body.lines:
            for target in line.targets:
                values = [trace.values.get(prefix + target.id) for trace in traces]
                if all(isinstance(value, torch.Tensor) and value.ndim == 1 for value in values):
                    yield {
                        "part": example.stage.name,
                        "cell": cell.label,
                        "path": path,
                        "symbol": target.name,
                        "kind": kind_of(cell, target, line.value),
                        "says": line.caption,
                        "chinese": in_chinese(line.caption) or "",
                        "tokens": list(example.labels),
                        **numbers(torch.stack([value for value in values if isinstance(value, torch.Tensor)])),
                    }


def is_cell(definition: Equations[..., Any]) -> bool:
    """Whether it has a state; but a model around a cell has one too."""
    return bool(definition.body.states) and not list(definition.body.calls())


def kind_of(definition: Equations[..., Any], target: nodes.Symbol, value: nodes.Node) -> str:
    if target.name in {symbol.name for symbol in definition.body.returns if isinstance(symbol, nodes.Symbol)}:
        return "state"
    return "gate" if isinstance(value, nodes.Call) and value.function.name == "sigmoid" else "value"


def numbers(values: torch.Tensor) -> dict[str, Any]:
    """A row for each unit (H, T), few enough to be seen."""
    width = values.shape[1]
    shown = np.unique(np.linspace(0, width - 1, min(UNITS, width)).round().astype(int))
    rows = values.detach().T.float().cpu().numpy()[shown]
    return {"units": shown.tolist(), "of": width, "shape": list(rows.shape), "data": as_numbers(rows, 3)}
