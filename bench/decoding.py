"""How fast seqloom translates, beside Hugging Face transformers and CTranslate2 with the same weights and tokens.

python -m bench.decoding                          # weights drawn at random, answers of a fixed length
python -m bench.decoding --model runs/multi30k    # a trained model (norm "after", tied "all"): real answers
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

import seqloom
from bench.marian import save_as_marian
from bench.peers import Peer, Running
from seqloom.config import check
from seqloom.data.source import open_source
from seqloom.models.seq2seq.model import Seq2Seq
from seqloom.tasks.translate.task import Translate
from seqloom.tokens.settings import EOS
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.model import Model
from seqloom.training.run_config import run_config

FORCED = 14
"""Tokens of an answer where weights are random: about as many as a description of Multi30k has."""
SIZES = {"tiny": "transformer-tiny", "small": "transformer"}
WAYS = {"greedy, one by one": (1, 1), "beam 5, one by one": (5, 1), "greedy, 64": (1, 64), "beam 5, 64": (5, 64)}
"""Beam, and sources in a batch."""
HUGGING_FACE = ("transformers==5.23.0",)
PEERS = (
    Peer("seqloom", "seqloom_runner.py"),
    Peer("Hugging Face", "hugging_face.py", HUGGING_FACE),
    Peer(
        "CTranslate2 float32",
        "ctranslate2_runner.py",
        (*HUGGING_FACE, "ctranslate2==4.8.4"),
        {"compute_type": "float32"},
    ),
    Peer("CTranslate2 int8", "ctranslate2_runner.py", (*HUGGING_FACE, "ctranslate2==4.8.4"), {"compute_type": "int8"}),
)


def main() -> None:
    asked = arguments()
    console = Console(width=110)
    found = []
    with tempfile.TemporaryDirectory(prefix="seqloom-bench-") as folder:
        sizes = ["trained"] if asked.model else asked.sizes
        for size in sizes:
            job = prepared(asked, size, Path(folder) / size)
            measured = best_of([measure(asked, {**job, "threads": threads}) for threads in sorted(set(asked.threads))])
            console.print(table(size, measured))
            found.append(measured.json(size))
    report = {"machine": machine(asked.threads), "sizes": found}
    if asked.json:
        asked.json.write_text(json.dumps(report, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES), help="sizes with random weights")
    parser.add_argument("--model", type=Path, help="the folder of a trained Transformer instead")
    parser.add_argument("--data", default="data:multi30k/test", help="pairs whose sources are translated")
    parser.add_argument("--sentences", type=int, default=256, help="sources, in batches; a quarter of them one by one")
    parser.add_argument("--rounds", type=int, default=3, help="turns of all peers; the median counts")
    parser.add_argument(
        "--threads", type=int, nargs="+", default=[1, len(os.sched_getaffinity(0))],
        help="threads of each peer; of several numbers, the best counts, for each peer and each way by itself",
    )  # fmt: skip
    parser.add_argument("--only", nargs="+", choices=[peer.name for peer in PEERS], help="peers to run")
    parser.add_argument(
        "--clock", choices=["seconds", "processor"], default="seconds",
        help="on the wall, or of the processor: steadier on a machine that others use, with one thread",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, help="a file for all figures")
    return parser.parse_args()


def prepared(asked: argparse.Namespace, size: str, folder: Path) -> dict[str, Any]:
    """The job of every peer: a model in both formats, and sources as token ids, the longest first."""
    records = open_source(asked.data, task=Translate.columns, languages=("en", "de"))
    texts = [str(record.columns["source"]) for record in records]
    both = [str(record.columns[side]) for record in records for side in ("source", "target")]
    model = seqloom.load(asked.model) if asked.model else drawn(SIZES[size], both, folder / "ours")
    assert isinstance(model.network, Seq2Seq) and isinstance(model.task, Translate)
    settings: Any = model.config.model  # type: ignore[attr-defined]
    if (settings.norm, settings.tied) != ("after", "all"):
        raise SystemExit(f"{asked.model}: Marian has norm=after and tied=all, not {settings.norm} and {settings.tied}")
    save_as_marian(model.network, settings, folder / "marian")
    chosen = random.Random(0).sample(texts, min(asked.sentences, len(texts)))
    sources = [[*ids, EOS] for ids in model.task.source_tokenizer.encode_batch(chosen)]
    length = {"min_length": 0, "max_length": 60} if asked.model else {"min_length": FORCED, "max_length": FORCED}
    return {
        "model": str(asked.model or folder / "ours"),
        "marian": str(folder / "marian"),
        "sources": sorted(sources, key=len, reverse=True),
        **length,
    }


def drawn(name: str, texts: list[str], folder: Path) -> Model:
    """A model of this size with random weights, and a vocabulary of 6,000 tokens."""
    settings = {"name": name, "norm": "after", "tied": "all", "length": 100}
    given = {"task": "translate", "model": settings, "tokens": {"kind": "bpe", "size": 6000, "lower": True}}
    config: Any = check(run_config(Translate), given, where="bench")
    tokenizer = Tokenizer.train(texts, config.tokens.read)
    torch.manual_seed(0)
    task = Translate(config, {"text": tokenizer}, {})
    Model(config, task, task.make_model()).save(folder)
    return seqloom.load(folder)


@dataclass
class Measured:
    """Sentences per second of each peer in each way, one number a round; and what they answered."""

    speeds: dict[str, dict[str, list[float]]]
    agreement: dict[str, dict[str, float]]
    versions: dict[str, dict[str, str]]

    def speed(self, way: str, peer: str) -> float:
        return median(self.speeds[way][peer])

    def json(self, size: str) -> dict[str, Any]:
        return {"size": size, "speeds": self.speeds, "agreement": self.agreement, "versions": self.versions}


def measure(asked: argparse.Namespace, job: dict[str, Any]) -> Measured:
    """All peers in turns, so that noise meets everybody."""
    peers = [peer for peer in PEERS if not asked.only or peer.name in asked.only]
    speeds: dict[str, dict[str, list[float]]] = {way: defaultdict(list) for way in WAYS}
    agreement: dict[str, dict[str, float]] = {way: {} for way in WAYS}
    with ExitStack() as stack:
        running = [stack.enter_context(Running(peer, job)) for peer in peers]
        for way, (beam, batch) in WAYS.items():
            count = asked.sentences if batch > 1 else asked.sentences // 4
            first: list[list[int]] = []
            for round in range(asked.rounds + 1):  # the first is not counted: memory is touched, weights are packed
                for one in running:
                    answer = one.ask({"beam": beam, "batch": batch, "count": count if round else min(count, batch)})
                    if not round:
                        continue
                    first = first or answer["answers"]
                    same = sum(a == b for a, b in zip(first, answer["answers"], strict=True))
                    agreement[way][one.peer.name] = same / len(first)
                    speeds[way][one.peer.name].append(len(first) / answer[asked.clock])
        return Measured(speeds, agreement, {one.peer.name: one.versions for one in running})


def best_of(runs: list[Measured]) -> Measured:
    """Of runs with different numbers of threads, for each peer and each way the one in which it was fastest."""
    speeds = {
        way: {peer: max((run.speeds[way][peer] for run in runs), key=median) for peer in runs[0].versions}
        for way in WAYS
    }
    return Measured(speeds, runs[0].agreement, runs[0].versions)


def table(size: str, measured: Measured) -> Table:
    """Sentences per second, and the factor by which each peer is slower than seqloom."""
    shown = Table(title=f"{size}: sentences per second (seqloom's multiple of it; answers that are the same)")
    shown.add_column("")
    peers = list(measured.versions)
    for peer in peers:
        shown.add_column(f"{peer}\n{', '.join(' '.join(pair) for pair in measured.versions[peer].items())}")
    for way in WAYS:
        ours = measured.speed(way, peers[0])
        cells = [f"{ours:.1f}"]
        for peer in peers[1:]:
            theirs, same = measured.speed(way, peer), measured.agreement[way][peer]
            cells.append(f"{theirs:.1f} ({ours / theirs:.2f} x; {same:.0%})")
        shown.add_row(way, *cells)
    return shown


def machine(threads: list[int]) -> dict[str, Any]:
    return {
        "processor": platform.processor() or platform.machine(),
        "threads": threads,
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    main()
