"""How fast seqloom trains, beside Hugging Face transformers, torch's own modules in a loop, Keras, eole and JoeyNMT.

python -m bench.training                                       # all models, float32 and bfloat16
python -m bench.training --models small --precisions float32   # one of them

Every peer trains the same model on the same batches of Multi30k with the same optimizer, in turns; target tokens per
second (of classifiers, tokens read), with the median over the turns. eole and JoeyNMT make batches of 2,048 tokens
of the same pairs by themselves.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from bench.decoding import HUGGING_FACE
from bench.matrix_products import matrix_speed, operations
from bench.peers import Peer, Running
from bench.training_jobs import JOBS, full_batches, opened, plain, sizes, write_data
from seqloom.training.loop import Trainer

OURS = Peer("seqloom", "train_seqloom.py")
MARIAN = Peer("Hugging Face", "train_hugging_face.py", HUGGING_FACE)
LOOP = Peer("torch.nn loop", "train_torch.py", HUGGING_FACE)  # the same torch as Hugging Face's
EOLE = Peer("eole", "train_eole.py", ("eole==0.6.4", "aiohttp"))
JOEY = Peer("JoeyNMT", "train_joeynmt.py", ("joeynmt==2.3.0", "importlib_metadata"))
KERAS = Peer("Keras", "train_keras.py", ("keras==3.15.1",))
PEERS = {
    "tiny": (OURS, MARIAN, LOOP, EOLE, JOEY),
    "small": (OURS, MARIAN, LOOP, EOLE, JOEY),
    "GRU with attention": (OURS, LOOP),
    "LSTM classifier": (OURS, LOOP, KERAS),
    "character LSTM": (OURS, LOOP, KERAS),
}


@dataclass
class Measured:
    """One model at one precision: for each peer, tokens per second of every turn, and what else it said."""

    model: str
    precision: str
    speeds: dict[str, list[float]]
    losses: dict[str, list[float]]
    memory: dict[str, int]
    about: dict[str, dict[str, Any]]
    products: float
    """Operations per second of the machine's matrix products, measured between the turns."""
    operations: float
    """Of matrix products, for each token of ours."""

    def speed(self, peer: str) -> float:
        return median(self.speeds[peer])

    def share(self) -> float:
        """Of the speed of matrix products, what our training reaches."""
        return self.speed(OURS.name) * self.operations / self.products

    def ratio(self) -> float:
        """Our speed beside that of the fastest other."""
        return self.speed(OURS.name) / max(self.speed(peer) for peer in self.speeds if peer != OURS.name)


def main() -> None:
    asked = arguments()
    torch.set_num_threads(asked.threads)
    console, found = Console(width=120), []
    with tempfile.TemporaryDirectory(prefix="seqloom-bench-") as folder:
        data = Path(folder)
        write_data(data, asked.data)
        for model in asked.models:
            for precision in asked.precisions:
                found.append(measure(asked, model, precision, data))
                console.print(table(found[-1]))
            model_folder = data / JOBS[model].task
            model_folder.rename(data / f"{model_folder.name}-{model}")  # the next one learns its own vocabulary
    if asked.json:
        report = {"machine": machine(asked), "models": [asdict(one) for one in found]}
        asked.json.write_text(json.dumps(report, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=JOBS, default=list(JOBS), help="which models")
    parser.add_argument("--precisions", nargs="+", choices=["float32", "bfloat16"], default=["float32", "bfloat16"])
    parser.add_argument("--data", default="data:multi30k/train", help="pairs to train on")
    parser.add_argument("--batches", type=int, default=8, help="batches of a turn")
    parser.add_argument("--rounds", type=int, default=3, help="turns of all peers; the median counts")
    parser.add_argument("--threads", type=int, default=1, help="threads of each peer")
    parser.add_argument("--only", nargs="+", help="peers to run, by name, seqloom among them")
    parser.add_argument(
        "--clock", choices=["seconds", "processor"], default="processor",
        help="of the processor, or on the wall: for several threads, on a machine that nobody else uses",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, help="a file for all figures")
    return parser.parse_args()


def measure(asked: argparse.Namespace, model: str, precision: str, data: Path) -> Measured:
    """All peers in turns, so that noise meets everybody."""
    peers = [peer for peer in PEERS[model] if not asked.only or peer.name in asked.only]
    request, trainer, batches = requested(asked, model, precision, data)
    work = sum(operations(partial(trainer.step, trainer.model, batch)) for batch in batches)
    given = request["batches"]
    tokens = sum(batch["count"] for batch in given)
    speeds, losses, products = defaultdict[str, list[float]](list), dict[str, list[float]](), []
    memory: dict[str, int] = {}
    with ExitStack() as stack:
        running = [stack.enter_context(Running(peer, request)) for peer in peers]
        for turn in range(asked.rounds + 1):  # the first is not counted: memory is touched, kernels are made
            products.append(matrix_speed(precision, asked.clock))
            for one in running:
                answer = one.ask({"batches": list(range(len(given)))})
                losses.setdefault(one.peer.name, []).append(mean(answer["losses"]))
                memory[one.peer.name] = answer["memory"]
                if turn:
                    speeds[one.peer.name].append(answer.get("tokens", tokens) / answer[asked.clock])
        about: dict[str, Any] = {one.peer.name: one.versions for one in running}
    return Measured(model, precision, dict(speeds), losses, memory, about, median(products), work / tokens)


def requested(
    asked: argparse.Namespace, model: str, precision: str, data: Path
) -> tuple[dict[str, Any], Trainer[Any], list[Any]]:
    """What every peer is told: the sizes of its model, and the batches; and our own trainer with the same ones."""
    job = JOBS[model]
    trainer, trainable = opened(job, data, precision, asked.threads)
    batches = list(full_batches(job, trainable, asked.batches))
    request = {
        "model": model, "precision": precision, "threads": asked.threads, "data": str(data),
        "batches": [plain(job, batch) for batch in batches], "sizes": sizes(job, trainer),
    }  # fmt: skip
    return request, trainer, batches


def table(found: Measured) -> Table:
    """Tokens per second, the factor by which each peer is slower than seqloom, its losses, its memory."""
    title = f"{found.model}, {found.precision}: matrix products {found.products / 1e9:.0f} GFLOP/s"
    if not found.model.endswith(("LSTM", "LSTM classifier")):  # whose kernel is not counted
        title += f", of which seqloom reaches {found.share():.0%}"
    shown = Table(title=title)
    columns = ("", "tokens/s", "seqloom is", "loss of the first and the last turn", "memory", "parameters", "versions")
    for name in columns:
        shown.add_column(name)
    for peer in found.speeds:
        speed, first, last = found.speed(peer), found.losses[peer][0], found.losses[peer][-1]
        about = found.about[peer]
        shown.add_row(
            peer, f"{speed:,.0f}", f"{found.speed(OURS.name) / speed:.2f} x", f"{first:.3f} {last:.3f}",
            f"{found.memory[peer] / 2**20:,.0f} MiB", f"{about['parameters']:,}",
            ", ".join(" ".join(pair) for pair in about["versions"].items()),
        )  # fmt: skip
    return shown


def machine(asked: argparse.Namespace) -> dict[str, Any]:
    return {
        "processor": platform.processor() or platform.machine(), "cores": len(os.sched_getaffinity(0)),
        "threads": asked.threads, "clock": asked.clock, "python": platform.python_version(),
    }  # fmt: skip


if __name__ == "__main__":
    main()
