"""How much memory training and decoding take, beside every peer: python -m bench.memory

The jobs of `bench.training` and `bench.decoding`: the same models, batches and sources. Each peer is a process of its
own, and the most memory that it had is read from the system: libraries and all, since a machine must have that.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from bench import decoding, training
from bench.peers import Peer, Running
from bench.training_jobs import write_data

Peaks = dict[str, dict[str, int]]
"""What is done, by peer: bytes."""


def main() -> None:
    asked = arguments()
    torch.set_num_threads(asked.threads)
    with tempfile.TemporaryDirectory(prefix="seqloom-bench-") as folder:
        found = {"training": trained(asked, Path(folder)), "decoding": decoded(asked, Path(folder))}
    for what, peaks in found.items():
        Console(width=120).print(table(what, peaks))
    if asked.json:
        asked.json.write_text(json.dumps({"machine": training.machine(asked), "bytes": found}, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*", choices=training.PEERS, default=list(training.PEERS), help="to train")
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default="float32")
    parser.add_argument("--batches", type=int, default=8, help="batches that are trained on")
    parser.add_argument(
        "--sizes", nargs="*", choices=decoding.SIZES, default=list(decoding.SIZES), help="to decode with"
    )
    parser.add_argument("--sentences", type=int, default=128, help="sources that are decoded")
    parser.add_argument("--only", nargs="+", help="peers to run, by name, seqloom among them")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, help="a file for all figures")
    parsed = parser.parse_args()
    parsed.clock, parsed.model, parsed.data = "processor", None, "data:multi30k/test"
    return parsed


def trained(asked: argparse.Namespace, folder: Path) -> Peaks:
    """The peak of training each model on some batches."""
    found: Peaks = {}
    for model in asked.models:
        data = folder / model.replace(" ", "-")  # a vocabulary of its own
        data.mkdir()
        write_data(data, "data:multi30k/train")
        request, _, batches = training.requested(asked, model, asked.precision, data)
        found[model] = peaks(asked, training.PEERS[model], request, {"batches": list(range(len(batches)))})
    return found


def decoded(asked: argparse.Namespace, folder: Path) -> Peaks:
    """The peak of decoding in each way."""
    found: Peaks = {}
    for size in asked.sizes:
        job = {**decoding.prepared(asked, size, folder / size), "threads": asked.threads}
        for way, (beam, batch) in decoding.WAYS.items():
            count = asked.sentences if batch > 1 else asked.sentences // 4
            request = {"beam": beam, "batch": batch, "count": count}
            found[f"{size}, {way}"] = peaks(asked, decoding.PEERS, job, request)
    return found


def peaks(
    asked: argparse.Namespace, peers: Sequence[Peer], job: Mapping[str, Any], request: Mapping[str, Any]
) -> dict[str, int]:
    """Of each peer, one process after the other, so that each has the machine's memory to itself."""
    found: dict[str, int] = {}
    for peer in peers:
        if not asked.only or peer.name in asked.only:
            with Running(peer, job) as running:
                running.ask(request)
                found[peer.name] = running.peak()
    return found


def table(what: str, found: Peaks) -> Table:
    """Megabytes of each peer, and how many times what seqloom takes."""
    names = list(dict.fromkeys(name for peaks in found.values() for name in peaks))
    shown = Table("", *names, title=f"{what}: peak of the process, MiB (its multiple of seqloom's)")
    for way, of_peers in found.items():
        ours = next(iter(of_peers.values()))
        cells = [
            f"{of_peers[name] / 2**20:,.0f} ({of_peers[name] / ours:.2f})" if name in of_peers else "" for name in names
        ]
        shown.add_row(way, *cells)
    return shown


if __name__ == "__main__":
    main()
