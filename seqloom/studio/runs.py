"""How models were trained: the learning curves of their folders, few enough points to be drawn."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Any

from seqloom.training.metrics import FILE, read_metrics

POINTS = 400
"""Points of a curve at most; of longer ones, evenly spaced."""
NO_CURVES = ("step", "epoch", "rate", "tokens", "seconds")
"""Entries of a line that are no metrics."""


def run_data(folder: Path) -> dict[str, Any]:
    """Curves by metric, and how far training went; empty where the folder keeps none."""
    lines = read_metrics(folder) if (folder / FILE).is_file() else []
    curves: dict[str, dict[str, list[float]]] = defaultdict(lambda: {"steps": [], "values": []})
    for line in lines:
        for name, value in line.items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if name not in NO_CURVES and number and math.isfinite(value):
                curves[name]["steps"].append(line["step"])
                curves[name]["values"].append(value)
    last = lines[-1] if lines else {}
    facts = {name: last[name] for name in ("step", "epoch", "tokens") if name in last}
    return {"curves": {name: thinned(curve) for name, curve in curves.items()}, "facts": facts}


def thinned(curve: dict[str, list[float]]) -> dict[str, list[float]]:
    """The same curve with few points, its last among them.

    >>> thinned({"steps": list(range(1000)), "values": [0.5] * 1000})["steps"][-1]
    999
    """
    stride = -(-len(curve["steps"]) // POINTS)
    return {name: numbers[::-1][::stride][::-1] for name, numbers in curve.items()}
