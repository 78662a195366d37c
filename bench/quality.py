"""BLEU against speed: folders of translators, trained or exported, on the same sentences, in a table and one picture.

python -m bench.quality runs/teacher runs/teacher-int8 runs/student-int8 --picture curve.png
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from operator import eq
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.decoding import machine
from bench.peers import Running
from bench.serving import BARE
from seqloom.data.source import open_source
from seqloom.evaluating.bleu import bleu
from seqloom.tasks.translate.task import Translate

WAYS = {
    "greedy, one by one": {"beam": 1, "one_by_one": True},
    "beam 5, one by one": {"beam": 5, "one_by_one": True},
    "greedy, all at once": {"beam": 1, "one_by_one": False},
    "beam 5, all at once": {"beam": 5, "one_by_one": False},
}


@dataclass
class Measured:
    """A folder: BLEU of each beam, the share of answers that are the first folder's, and sentences per second of each
    way, one number a round.
    """

    name: str
    bleu: dict[int, float] = field(default_factory=dict)
    same: dict[int, float] = field(default_factory=dict)
    speeds: dict[str, list[float]] = field(default_factory=lambda: {way: [] for way in WAYS})

    def speed(self, way: str) -> float:
        return median(self.speeds[way])


def main() -> None:
    asked = arguments()
    found = measure(asked)
    Console(width=130).print(table(found))
    if asked.json:
        report = {"machine": machine([asked.threads]), "folders": [asdict(one) for one in found]}
        asked.json.write_text(json.dumps(report, indent=1) + "\n")
    if asked.picture:
        draw(found, asked.picture)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", help="translators; the ratios are to the first")
    parser.add_argument("--data", default="data:multi30k/test", help="pairs: sources and their translations")
    parser.add_argument("--source", default="en")
    parser.add_argument("--target", default="de")
    parser.add_argument("--cased", action="store_true", help="BLEU with capital letters as they are")
    parser.add_argument("--threads", type=int, default=1, help="threads of each engine")
    parser.add_argument("--rounds", type=int, default=3, help="turns of all folders; the median counts")
    parser.add_argument("--one-by-one", type=int, default=200, help="sentences that are asked for one by one")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    parser.add_argument("--picture", type=Path, help="a file for the picture, PNG or SVG")
    return parser.parse_args()


def measure(asked: argparse.Namespace) -> list[Measured]:
    """All folders in turns, so that noise meets everybody."""
    records = open_source(asked.data, task=Translate.columns, languages=(asked.source, asked.target))
    pairs = [(str(record.columns["source"]), str(record.columns["target"])) for record in records]
    job = {"texts": [source for source, _ in pairs], "options": {}, "threads": asked.threads}
    references = [[target] for _, target in pairs]
    found = [Measured(folder.name) for folder in asked.folders]
    with ExitStack() as stack:
        running = [stack.enter_context(Running(BARE, {**job, "model": str(folder)})) for folder in asked.folders]
        for _ in range(asked.rounds):
            for way, options in WAYS.items():
                count = asked.one_by_one if options["one_by_one"] else len(pairs)
                first: list[str] = []
                for one, measured in zip(running, found, strict=True):
                    answer = one.ask(request(count, options))
                    measured.speeds[way].append(count / answer["seconds"])
                    if count == len(pairs):
                        beam, answers = options["beam"], answer["answers"]
                        first = first or answers
                        measured.bleu[beam] = bleu(answers, references, asked.target, cased=asked.cased).score
                        measured.same[beam] = sum(map(eq, first, answers)) / count
    return found


def request(count: int, options: Mapping[str, Any]) -> dict[str, Any]:
    return {"count": count, "one_by_one": options["one_by_one"], "options": {"beam": options["beam"]}}


def table(found: list[Measured]) -> Table:
    """A row for each folder; behind a speed, its multiple of the first folder's."""
    shown = Table(
        "",
        "BLEU greedy",
        "beam 5",
        *WAYS,
        title="BLEU (answers like those of the first) and sentences per second, from text to text",
    )
    for one in found:
        scores = [f"{one.bleu[beam]:.2f} ({one.same[beam]:.1%})" for beam in (1, 5)]
        speeds = [f"{one.speed(way):,.0f} ({one.speed(way) / found[0].speed(way):.2f} x)" for way in WAYS]
        shown.add_row(one.name, *scores, *speeds)
    return shown


def draw(found: list[Measured], place: Path) -> None:
    """Two panels, one by one and all at once: a line for each folder, from a beam of 5 to greedy."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

    figure = Figure(figsize=(11, 4.2), layout="constrained")
    for panel, at_once in zip(figure.subplots(1, 2, sharey=True), (False, True), strict=True):
        for number, one in enumerate(found):
            ways = {way: options["beam"] for way, options in WAYS.items() if options["one_by_one"] != at_once}
            speeds, scores = [one.speed(way) for way in ways], [one.bleu[beam] for beam in ways.values()]
            panel.plot(speeds, scores, marker="o", color=f"C{number}", label=one.name)
        panel.set(xscale="log", xlabel="sentences per second", title="all at once" if at_once else "one by one")
        panel.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.xaxis.set_major_formatter(ScalarFormatter())
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.grid(alpha=0.3)
    figure.axes[0].set_ylabel("BLEU")
    figure.legend(*figure.axes[1].get_legend_handles_labels(), loc="outside right upper", fontsize="small")
    figure.savefig(place, dpi=150)


if __name__ == "__main__":
    main()
