"""How threads wait, beside other work and alone: python -m bench.threads

A Transformer of the size of transformer-tiny is trained for a few seconds in a process of its own: alone, with a second
one beside it, and beside a process that keeps one core busy. Figures are target tokens a second, of two processes the
sum, by how threads wait and how many there are; rounds are alternated, and the median is shown. What others on the
machine use meanwhile is measured too: a figure during which they used more than a tenth of a core is taken again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from operator import itemgetter
from statistics import median

from seqloom.threads import POLICY, STAT, core_times

SECONDS, ROUNDS, TRIES = 2.0, 3, 3
OTHERS = 0.1
"""Cores that others may use while a figure is taken."""
B, S, T, V = 64, 16, 16, 4_000
WAYS: dict[str, dict[str, str]] = {
    "as torch comes, 2 threads": {},
    "asleep, 2 threads": {"OMP_WAIT_POLICY": "PASSIVE"},
    "as seqloom sets, 2 threads": dict(POLICY),
    "as seqloom sets, 1 thread": {**POLICY, "OMP_NUM_THREADS": "1"},
}
SCENES = ("alone", "two trainings", "beside a busy core")


def worker() -> None:
    """Train when told to, and say how many tokens a second were trained."""
    import torch
    from torch import nn

    from seqloom.training.catalogue import untrained

    _, _, model = untrained("transformer-tiny", "translate", (), V)
    torch.manual_seed(0)
    source, target = torch.randint(4, V, (B, S)), torch.randint(4, V, (B, T))
    lengths, real = torch.full((B,), S), torch.ones(B, T, dtype=torch.bool)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)

    def step() -> None:
        logits = model(source, lengths, target, real)
        nn.functional.cross_entropy(logits, target.flatten()).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    step()
    print("ready", flush=True)
    sys.stdin.readline()
    began, used, steps = time.monotonic(), time.process_time(), 0
    while time.monotonic() - began < SECONDS:
        step()
        steps += 1
    took = time.monotonic() - began
    print(json.dumps([steps * B * T / took, time.process_time() - used]), flush=True)


def measure(count: int, chosen: dict[str, str], *, busy: bool) -> tuple[float, float]:
    """Tokens a second of so many trainings at the same time, and cores that others used."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "KMP_"))}
    with ExitStack() as ends:
        if busy:
            other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            ends.callback(other.wait)
            ends.callback(other.kill)
        workers = [
            ends.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "bench.threads", "worker"],
                    env={**environ, **chosen},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for _ in range(count)
        ]
        for each in workers:
            assert each.stdout is not None and each.stdout.readline() == "ready\n"
        for each in workers:
            assert each.stdin is not None
            each.stdin.write("go\n")
            each.stdin.flush()
        before, began = busy_time(), time.monotonic()
        figures = [json.loads(each.stdout.readline()) for each in workers if each.stdout is not None]
        others = busy_time() - before - sum(used for _, used in figures) - busy * (time.monotonic() - began)
        return sum(speed for speed, _ in figures), others / (time.monotonic() - began)


def busy_time() -> float:
    """Seconds that all cores have worked."""
    times = core_times(STAT.read_text()).values()
    return sum(sum(ticks) - ticks[3] - ticks[4] for ticks in times) / os.sysconf("SC_CLK_TCK")


def main(arguments: Sequence[str]) -> None:
    if arguments == ["worker"]:
        worker()
        return
    found: dict[str, dict[str, list[tuple[float, float]]]] = {way: {scene: [] for scene in SCENES} for way in WAYS}
    for _ in range(int(arguments[0]) if arguments else ROUNDS):
        for way, chosen in WAYS.items():
            for scene in SCENES:
                count, busy = 2 if scene == "two trainings" else 1, scene == "beside a busy core"
                tried = [measure(count, chosen, busy=busy)]
                while tried[-1][1] > OTHERS and len(tried) < TRIES:
                    tried.append(measure(count, chosen, busy=busy))
                found[way][scene].append(min(tried, key=itemgetter(1)))
    print(f"{'tokens/s':28}{''.join(f'{scene:>22}' for scene in SCENES)}")
    for way, scenes in found.items():
        print(f"{way:28}{''.join(f'{median(speed for speed, _ in values):22,.0f}' for values in scenes.values())}")
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
