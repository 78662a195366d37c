"""Whether a model learns in bfloat16 what it learns in float32: loss curves of both, with several seeds.

python -m bench.precisions --steps 150 --seeds 3
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import torch

from bench.training_jobs import JOBS, opened, write_data

MODELS = ("tiny", "LSTM classifier", "character LSTM")
PRECISIONS = ("float32", "bfloat16")
PIECES = 5
"""Parts that a curve is cut into; the mean loss of each is compared."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=JOBS, default=MODELS)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--batch-tokens", type=int, default=1_024)
    parser.add_argument("--data", default="data:multi30k/train")
    parser.add_argument("--json", type=Path, help="a file for all losses")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    found: dict[str, dict[str, list[list[float]]]] = {}
    with tempfile.TemporaryDirectory(prefix="seqloom-bench-") as folder:
        write_data(Path(folder), asked.data)
        for model in asked.models:
            found[model] = {precision: [] for precision in PRECISIONS}
            for seed in range(1, asked.seeds + 1):
                for precision in PRECISIONS:
                    losses = list(trained(model, precision, seed, asked.steps, asked.batch_tokens, Path(folder)))
                    size = -(-len(losses) // PIECES)
                    parts = [mean(losses[first : first + size]) for first in range(0, len(losses), size)]
                    found[model][precision].append(parts)
            show(model, found[model])
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n")


def trained(model: str, precision: str, seed: int, steps: int, batch_tokens: int, folder: Path) -> Iterator[float]:
    """The mean loss of each step."""
    job = replace(JOBS[model], batch_tokens=batch_tokens)
    trainer, trainable = opened(job, folder, precision, 1, seed)
    batches, progress = iter(trainable.stream), trainer.progress
    for _ in range(steps):
        progress.loss_sum = progress.loss_count = 0.0
        trainer.step(trainer.model, next(batches))
        yield progress.loss_sum / progress.loss_count


def show(model: str, curves: dict[str, list[list[float]]]) -> None:
    """Part by part: the mean over seeds in each precision, how they differ seed by seed, and how seeds differ."""
    print(f"{model}\n  {'float32':>8} {'bfloat16':>9} {'difference':>11} {'of seeds':>9}")
    for place in range(len(curves["float32"][0])):
        exact, rough = ([curve[place] for curve in curves[precision]] for precision in PRECISIONS)
        apart = mean(abs(a - b) for a, b in zip(exact, rough, strict=True))
        print(f"  {mean(exact):8.4f} {mean(rough):9.4f} {apart:11.4f} {stdev(exact):9.4f}", flush=True)


if __name__ == "__main__":
    main()
