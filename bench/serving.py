"""What a server makes of a model: `seqloom serve` beside the model called from Python.

python -m bench.serving                          # weights drawn at random, in torch, CTranslate2 and ONNX Runtime
python -m bench.serving --model runs/multi30k    # folders of one's own, trained or exported
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.decoding import FORCED, SIZES, drawn, machine
from bench.peers import Peer, Running
from seqloom.data.source import open_source
from seqloom.tasks.translate.task import Translate

BARE, CLIENTS = Peer("bare", "bare_engine.py"), Peer("clients", "clients.py")
LONE = 40
"""Requests one after the other, of which the median is a lone request's time."""
MAIN = "from seqloom.cli import main; main()"


def main() -> None:
    asked = arguments()
    console, found = Console(width=130), []
    records = open_source(asked.data, task=Translate.columns, languages=("en", "de"))
    both = [(str(record.columns["source"]), str(record.columns["target"])) for record in records]
    with tempfile.TemporaryDirectory(prefix="seqloom-bench-") as place:
        folders, options = (asked.model, {}) if asked.model else made(asked, both, Path(place))
        job = {"texts": [source for source, _ in both], "options": {**options, "beam": asked.beam}}
        for folder in folders:
            found.append(measure(asked, folder, {**job, "threads": asked.threads}))
        console.print(table(found, asked))
    if asked.json:
        report = {"machine": machine([asked.threads]), "found": [asdict(one) for one in found]}
        asked.json.write_text(json.dumps(report, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, nargs="+", help="folders of translators, instead of random weights")
    parser.add_argument("--size", choices=SIZES, default="tiny", help="the size with random weights")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES), help="of random weights")
    parser.add_argument("--data", default="data:multi30k/test", help="pairs whose sources are asked for")
    parser.add_argument("--clients", type=int, default=64, help="clients at once, each with one text at a time")
    parser.add_argument("--seconds", type=float, default=4.0, help="about how long a turn takes")
    parser.add_argument("--rounds", type=int, default=3, help="turns; the median counts")
    parser.add_argument("--threads", type=int, default=1, help="threads of the engine, in the server and alone")
    parser.add_argument("--beam", type=int, default=1)
    parser.add_argument("--json", type=Path, help="a file for all figures")
    return parser.parse_args()


ENGINES = {"torch": {}, "ctranslate2": {}, "ctranslate2 int8": {"int8": True}, "onnx": {}}


def made(asked: argparse.Namespace, both: list[tuple[str, str]], place: Path) -> tuple[list[Path], dict[str, Any]]:
    """Folders of one model with random weights, for each engine; and options that make its answers as long as real."""
    model = drawn(SIZES[asked.size], [text for pair in both for text in pair], place / "torch")
    for name in asked.engines:
        if name != "torch":
            model.export(place / name, name.split()[0], **ENGINES[name])
    return [place / name for name in asked.engines], {"min_length": FORCED, "max_length": FORCED}


@dataclass
class Measured:
    """One folder: texts a second alone and served, by the clock and of the processor, one number a turn."""

    name: str
    bare: list[float]
    bare_processor: list[float]
    served: list[float]
    served_processor: list[float]
    served_engine: list[float]
    """Of the processor without the thread that speaks HTTP, which another core can run."""
    lone: list[float]
    """Seconds of requests one after the other."""
    half: list[float]
    """Seconds of requests at half of what was served at most."""
    start: list[float]
    """Seconds from the start of the server to its first answer, and of them those of the processor."""


def measure(asked: argparse.Namespace, folder: Path, job: dict[str, Any]) -> Measured:
    """Alone and served in turns, so that what else the machine does falls on both."""
    found = Measured(folder.name, [], [], [], [], [], [], [], [])
    with ExitStack() as stack:
        server = stack.enter_context(serving(folder, job))
        found.start = server.start
        bare = stack.enter_context(Running(BARE, {**job, "model": str(folder)}))
        clients = stack.enter_context(Running(CLIENTS, job))
        ask = {"port": server.port, "clients": asked.clients}
        speed = 256 / bare.ask({"count": 256})["seconds"]
        count = max(int(asked.seconds * speed) // 2, 4 * asked.clients)
        clients.ask({**ask, "count": count // 2})  # not counted: weights are packed, memory is touched
        for _ in range(asked.rounds):
            alone = bare.ask({"count": count})
            before = server.processor()
            together = clients.ask({**ask, "count": count})
            found.bare.append(count / alone["seconds"])
            found.bare_processor.append(count / alone["processor"])
            found.served.append(count / together["seconds"])
            http, rest = (now - then for now, then in zip(server.processor(), before, strict=True))
            found.served_processor.append(count / (http + rest))
            found.served_engine.append(count / rest)
            found.lone += clients.ask({**ask, "clients": 1, "count": LONE})["latencies"]
            rate = found.served[-1] / 2
            found.half += clients.ask({**ask, "rate": rate, "count": max(int(rate * asked.seconds / 2), LONE)})[
                "latencies"
            ]
    return found


class Server:
    """A server in a process of its own."""

    def __init__(self, folder: Path, job: dict[str, Any]) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": str(job["threads"]), "OMP_WAIT_POLICY": "PASSIVE"}
        environment |= {"PYTHONPATH": str(Path(__file__).parents[1])}
        self.began = time.perf_counter()
        command = [sys.executable, "-c", MAIN, "serve", str(folder), "--port", "0", "--quiet", "--set", "seconds=600"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    def answer(self, folder: Path, job: dict[str, Any]) -> None:
        """Wait for the first answer."""
        assert self.process.stdout is not None
        said = next((line for line in self.process.stdout if "Serving on" in line), None)
        if said is None:
            raise SystemExit(f"the server for {folder} ended with code {self.process.wait()}: see above")
        url = said.split()[2]
        self.port = int(url.rpartition(":")[2])
        body = json.dumps({"text": job["texts"][0], **job["options"]}).encode()
        request = urllib.request.Request(f"{url}/api/predict", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=300) as answer:
            answer.read()
        self.start = [time.perf_counter() - self.began, sum(self.processor())]

    def processor(self) -> tuple[float, float]:
        """Seconds of the processor so far: of the main thread, which speaks HTTP, and of all others."""
        own = Path(f"/proc/{self.process.pid}")
        every, main = spent(own / "stat"), spent(own / "task" / own.name / "stat")
        return main, every - main


def spent(stat: Path) -> float:
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(folder: Path, job: dict[str, Any]) -> Iterator[Server]:
    server = Server(folder, job)
    try:
        server.answer(folder, job)
        yield server
    finally:
        server.process.send_signal(signal.SIGTERM)
        server.process.wait()


def table(found: list[Measured], asked: argparse.Namespace) -> Table:
    title = (
        f"texts a second, alone and for {asked.clients} clients (ratio); beam {asked.beam}, threads: {asked.threads}"
    )
    shown = Table(title=title, caption="start to first answer: seconds, and those of the processor")
    columns = ["", "alone", "served", "processor: alone", "served", "without HTTP"]
    for name in (*columns, "lone request", "p95 at half load", "start"):
        shown.add_column(name)
    for one in found:
        alone, served, lone = median(one.bare), median(one.served), median(one.lone)
        processor, of_server, of_engine = map(median, (one.bare_processor, one.served_processor, one.served_engine))
        p95 = quantiles(one.half, n=20)[-1]
        shown.add_row(
            one.name, f"{alone:,.0f}", f"{served:,.0f} ({served / alone:.2f})",
            f"{processor:,.0f}", f"{of_server:,.0f} ({of_server / processor:.2f})",
            f"{of_engine:,.0f} ({of_engine / processor:.2f})",
            f"{lone * 1000:.1f} ms", f"{p95 * 1000:.1f} ms ({p95 / lone:.2f})",
            f"{one.start[0]:.2f} s ({one.start[1]:.2f})",
        )  # fmt: skip
    return shown


if __name__ == "__main__":
    main()
