"""How fast a large corpus is prepared, beside the bare tokenizer; and how much memory it takes to make and to train.

python -m bench.prepare --lines 10_000_000
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.text import real_sentences, write_lines
from bench.watched_memory import Cost, watch

SHARED = Path(__file__).parents[2] / "shared" / "data"
PIECE = 1_000_000
"""Lines of a file; speeds are compared file by file, in turns, because the machine may be busy."""
SIZE = 10_000
"""Size of the vocabulary."""
LEARN_FROM = 200_000
"""Lines that the library's vocabulary is learned from."""
BARE = 300_000
"""Lines that a tokenizer alone is timed with."""
STEPS = 200
LIMIT = 2**30


def main() -> None:
    asked = arguments()
    console = Console(width=110)
    folder = Path(tempfile.mkdtemp(prefix="seqloom-bench-", dir=asked.folder))
    try:
        Bench(asked, folder, console).run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=PIECE, help="lines of text")
    parser.add_argument("--workers", type=int, help="processes that prepare; by default one for each core")
    parser.add_argument("--kind", choices=["bpe", "unigram", "word"], default="bpe", help="what a token is")
    parser.add_argument("--rounds", type=int, default=3, help="turns of the comparison")
    parser.add_argument("--folder", help="where there is room: about 3 GB for 10 million lines")
    parser.add_argument("--real", type=Path, default=SHARED, help="folder with rt-polarity in it")
    return parser.parse_args()


class Bench:
    """One run of all that is measured."""

    def __init__(self, asked: argparse.Namespace, folder: Path, console: Console) -> None:
        self.asked, self.folder, self.console = asked, folder, console
        self.library, self.first = folder / "library.json", folder / "first"

    def run(self) -> None:
        files = self.write()
        data = {"pattern": str(self.folder / "train-*.tsv"), "valid": str(self.folder / "valid.tsv")}
        how = {"kind": self.asked.kind, "size": SIZE}
        self.phase("train_library", file=str(files[0]), lines=LEARN_FROM, target=str(self.library), **how)
        rows: list[tuple[str, Cost]] = []
        _, cost = self.phase("train", **data, **how, out=str(self.first), steps=STEPS, again=None)
        rows.append((f"all of it: learn, prepare, train {STEPS} steps", cost))
        for name, steps in (("second start: to the first step", 1), (f"train {STEPS} steps", STEPS)):
            out = str(self.folder / f"again-{steps}")
            _, cost = self.phase("train", **data, **how, out=out, steps=steps, again=str(self.first))
            rows.append((name, cost))
        self.compare(files)
        whole = {"pattern": data["pattern"], "run": str(self.first), "folder": str(self.folder / "whole")}
        made, cost = self.phase("prepare", **whole, workers=self.asked.workers)
        rows.append((f"prepare: {made['wall']:,.0f} lines/s, {made['bytes'] / 1e6:,.0f} MB on disk", cost))
        self.memory(rows)
        self.console.print(f"hashing all files, to find a corpus again: {made['hashing']:.2f} s")

    def write(self) -> list[Path]:
        real = real_sentences(self.asked.real)
        files = []
        for number, first in enumerate(range(0, self.asked.lines, PIECE)):
            files.append(self.folder / f"train-{number:03d}.tsv")
            write_lines(files[-1], min(PIECE, self.asked.lines - first), number, real)
        write_lines(self.folder / "valid.tsv", 1_000, len(files), real)
        size = sum(file.stat().st_size for file in files)
        self.console.print(f"{self.asked.lines:,} lines, {size / 1e6:,.0f} MB, {len(real):,} real sentences among them")
        return files

    def phase(self, name: str, **settings: Any) -> tuple[dict[str, Any], Cost]:
        """Run one phase in its own process."""
        environment = {
            **os.environ, "SEQLOOM_CACHE": str(self.folder / "cache"), "TOKENIZERS_PARALLELISM": "true",
            "PYTHONPATH": str(Path(__file__).parent.parent), "OMP_NUM_THREADS": "1",
        }  # fmt: skip
        printed, cost = watch([sys.executable, "-m", "bench.phases", name, json.dumps(settings)], env=environment)
        print(f"  {name}: {cost.seconds:.1f} s, {cost.pss / 2**20:,.0f} MiB", file=sys.stderr, flush=True)
        return json.loads(printed.splitlines()[-1]), cost

    def compare(self, files: list[Path]) -> None:
        """Speeds in turns: the library, our tokenizer, our preparing from file to disk."""
        cores = len(os.sched_getaffinity(0))
        ratios: dict[str, list[float]] = {"wall": [], "used": []}
        titles = {
            "wall": f"Lines a second, on {cores} cores",
            "used": "Lines a second of one processor, all work counted",
        }
        tables = {
            clock: Table(title=f"{title}; {self.asked.kind}, vocabulary of {SIZE:,}") for clock, title in titles.items()
        }
        for table in tables.values():
            for name in (
                "turn",
                "library, all cores",
                "our tokenizer, one core",
                "prepare, file to disk",
                "prepare / library",
            ):
                table.add_column(name, justify="right")
        for turn in range(self.asked.rounds):
            file = str(files[turn % len(files)])
            made = {"pattern": file, "run": str(self.first), "folder": str(self.folder / f"turn-{turn}")}
            found = [
                self.phase("bare", file=file, tokenizer=str(self.library), lines=BARE)[0],
                self.phase("ours_bare", file=file, run=str(self.first), lines=BARE)[0],
                self.phase("prepare", **made, workers=self.asked.workers)[0],
            ]
            for clock, table in tables.items():
                library, _, ours = speeds = [one[clock] for one in found]
                ratios[clock].append(ours / library)
                table.add_row(str(turn + 1), *(f"{speed:,.0f}" for speed in speeds), f"{ours / library:.2f}")
        for clock, table in tables.items():
            self.console.print(table)
            self.console.print(f"prepare / library, median: {median(ratios[clock]):.2f} (0.70 is asked for)\n")

    def memory(self, rows: list[tuple[str, Cost]]) -> None:
        table = Table(title=f"Peak memory of all processes together, {self.asked.lines:,} lines")
        for name in ("", "seconds", "MiB, shared counted once (PSS)", "MiB, added up (RSS)", "below 1 GiB"):
            table.add_column(name, justify="right" if name else "left")
        for name, cost in rows:
            sizes = (f"{size / 2**20:,.0f}" for size in (cost.pss, cost.rss))
            table.add_row(name, f"{cost.seconds:,.1f}", *sizes, "yes" if cost.pss < LIMIT else "NO")
        self.console.print(table)


if __name__ == "__main__":
    main()
