"""How much faster two processes train than one, each with one thread: python -m bench.scaling

By the clock, so on a machine that nobody else uses; `torchrun` starts the processes, which take turns with one alone.
As many that train by themselves, side by side, show what the machine has to give without any exchange of gradients.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import median

import torch

from bench.training_jobs import JOBS, opened, write_data
from seqloom.training.distributed import init_processes

WARM = 3
"""Steps that are not counted."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=["tiny", "small", "GRU with attention"], default="small")
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default="float32")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--batch-tokens", type=int, default=4096, help="of a step, over all processes")
    parser.add_argument("--data", default="data:multi30k/train")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker:
        work(asked)
        return
    count = asked.processes
    speeds: dict[str, list[float]] = {"one": [], "together": [], "by themselves": []}
    with tempfile.TemporaryDirectory(prefix="seqloom-bench-") as name:
        folder = Path(name)
        write_data(folder, asked.data)
        for _ in range(asked.rounds):
            speeds["one"].append(measured(asked, 1, folder))
            speeds["together"].append(measured(asked, count, folder))
            with ThreadPoolExecutor(count) as pool:
                speeds["by themselves"].append(sum(pool.map(lambda _: measured(asked, 1, folder), range(count))))
    alone, together, apart = (median(found) for found in speeds.values())
    print(f"{asked.model}, {asked.precision}, {asked.batch_tokens:,} tokens a step, {count} processes of one thread")
    print(
        f"one {alone:,.0f} target tokens/s; together {together:,.0f}, {together / alone:.2f} x; by themselves", end=" "
    )
    print(f"{apart:,.0f}, {apart / alone:.2f} x\n{json.dumps(speeds)}")


def measured(asked: argparse.Namespace, processes: int, folder: Path) -> float:
    """Target tokens per second of so many processes together."""
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes),
        "-m", "bench.scaling", "--worker", str(folder), "--model", asked.model, "--precision", asked.precision,
        "--steps", str(asked.steps), "--batch-tokens", str(asked.batch_tokens),
    ]  # fmt: skip
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    printed = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return float(printed.split()[-1])


def work(asked: argparse.Namespace) -> None:
    """One of the processes."""
    torch.set_num_threads(1)
    group = init_processes("cpu")
    job = replace(JOBS[asked.model], batch_tokens=asked.batch_tokens)
    trainer, trainable = opened(job, asked.worker, asked.precision, 1, group=group)
    trained, batches = trainer.wrapped(), list(islice(trainable.stream, WARM + asked.steps))
    for batch in batches[:WARM]:
        trainer.step(trained, batch)
    group.barrier()
    began = time.perf_counter()
    for batch in batches[WARM:]:
        trainer.step(trained, batch)
    group.barrier()
    took = time.perf_counter() - began
    if group.is_main:
        print(sum(int(batch.target_lengths.sum()) for batch in batches[WARM:]) / took, flush=True)
    group.close()


if __name__ == "__main__":
    main()
