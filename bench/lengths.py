"""Time and memory by the length of a sequence, for every architecture that stands in a line: python -m bench.lengths

The models of `seqloom compare` at their sizes for the embedded data, with fresh weights, read (and write) one sequence
of 32 to 4,096 tokens: the forward pass alone, and a training step. One thread, seconds of the processor; memory is the
most bytes of tensors that are there at once, beside the weights.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from bench.training import machine
from seqloom.comparing.charts import Chart
from seqloom.comparing.cost import Cost, cost_of, lengths_up_to, train_once
from seqloom.comparing.default_models import LINES, DefaultModel
from seqloom.comparing.plots import draw
from seqloom.config import over
from seqloom.explaining.panels import LineChart, Series
from seqloom.training.catalogue import build
from seqloom.training.run_config import check_run

VOCABULARY = 1_000
"""Small, so that the layers are measured and not the readout."""
UNITS = {"seconds": ("milliseconds", 1e3), "bytes": ("megabytes", 1e-6)}


@dataclass(frozen=True)
class Curve:
    """One model of a line, at each length that it came to."""

    label: str
    forward: list[Cost]
    training: list[Cost]


def main() -> None:
    asked = arguments()
    torch.set_num_threads(asked.threads)
    console = Console(width=130)
    found: dict[str, list[Curve]] = {}
    for task in asked.tasks:
        found[task] = []
        for place in LINES[task].places:
            found[task].append(measure(task, place, asked))
            console.print(f"{task}: {place.label}", highlight=False)
        for table in tables(task, found[task]):
            console.print(table)
        if asked.plots:
            for picture in pictures(task, found[task]):
                draw(picture, asked.plots)
        if asked.json:  # after each line: the next may take long
            write(found, asked)


def write(found: Mapping[str, list[Curve]], asked: argparse.Namespace) -> None:
    """All figures so far."""
    curves = {task: [asdict(curve) for curve in line] for task, line in found.items()}
    about = {"machine": machine(asked), "versions": {"torch": torch.__version__}, "vocabulary": VOCABULARY}
    asked.json.write_text(json.dumps({**about, "curves": curves}, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", nargs="+", choices=LINES, default=["translate", "generate"], help="whose lines")
    parser.add_argument("--longest", type=int, default=4_096, help="tokens")
    parser.add_argument("--seconds", type=float, default=20.0, help="a curve ends where a training step takes longer")
    parser.add_argument("--megabytes", type=float, default=6_000.0, help="or more memory")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--clock", choices=["seconds", "processor"], default="processor")
    parser.add_argument("--plots", type=Path, help="a folder for pictures")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    return parser.parse_args()


def measure(task: str, place: DefaultModel, asked: argparse.Namespace) -> Curve:
    """The forward pass and a training step at every length, as long as they fit."""
    torch.manual_seed(0)
    network: Any = build(check_run(settings_of(task, place, asked.longest), where="bench"), VOCABULARY).train()
    clock = time.process_time if asked.clock == "processor" else time.perf_counter
    curve = Curve(place.label, [], [])
    for length in lengths_up_to(asked.longest):
        batch = network.example_batch(1, length, length)
        with torch.no_grad():
            curve.forward.append(cost_of(partial(network, *batch), length, clock))
        curve.training.append(cost_of(partial(train_once, network, length), length, clock))
        if curve.training[-1].seconds > asked.seconds or curve.training[-1].bytes > asked.megabytes * 1e6:
            break
    return curve


def settings_of(task: str, place: DefaultModel, longest: int) -> Mapping[str, Any]:
    """The settings of a model of the line, for sequences up to the longest."""
    given: Mapping[str, Any] = over(over(LINES[task].shared, place.small), place.settings)
    return over(given, {"task": task, "model": {"length": longest + 2}})


def tables(task: str, line: list[Curve]) -> Iterator[Table]:
    """A table for each kind of pass and unit: the lengths to the right."""
    lengths = max(([cost.length for cost in curve.forward] for curve in line), key=len)
    for passes in ("forward", "training"):
        for unit, (name, factor) in UNITS.items():
            table = Table("", *map(str, lengths), title=f"{task}: {passes}, {name} by the length of one sequence")
            for curve in line:
                values = [getattr(cost, unit) * factor for cost in getattr(curve, passes)]
                table.add_row(curve.label, *(f"{value:,.{0 if value >= 100 else 1}f}" for value in values))
            yield table


def pictures(task: str, line: list[Curve]) -> Iterator[Chart]:
    """Time and memory of a training step, each model a line."""
    for unit, (name, factor) in UNITS.items():
        series = [
            Series(curve.label, [cost.length for cost in curve.training],
                   [getattr(cost, unit) * factor for cost in curve.training], look=look)
            for look, curve in enumerate(line)
        ]  # fmt: skip
        what = "Time" if unit == "seconds" else "Memory"
        panel = LineChart(
            f"{what} of a training step by the length of one sequence", "tokens", name, series, "log", "log"
        )
        yield Chart(f"{task}-{what.lower()}-by-length", "length", panel)


if __name__ == "__main__":
    main()
