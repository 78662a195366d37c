"""How much memory a process and all its children take, while it runs."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

EVERY = 0.2
"""Seconds between two looks."""


@dataclass(frozen=True)
class Cost:
    """What a command took: time, and the highest totals of memory that were seen, in bytes.

    rss   resident memory of every process added up: what they share counts again in each
    pss   what they share counted once (proportional set size): what the machine must really have
    """

    seconds: float
    rss: int
    pss: int


def watch(command: Sequence[str], **how: object) -> tuple[str, Cost]:
    """Run a command: what it printed, and what it took."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **how)  # type: ignore[call-overload]
    most = (0, 0)
    while process.poll() is None:
        rss, pss = total(process.pid)
        most = (max(most[0], rss), max(most[1], pss))
        time.sleep(EVERY)
    took = time.monotonic() - began
    assert process.stdout is not None
    printed = process.stdout.read()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}\nended with {process.returncode}: {printed}")
    return printed, Cost(took, *most)


def total(root: int) -> tuple[int, int]:
    sizes = [resident(process) for process in family(root)]
    return sum(rss for rss, _ in sizes), sum(pss for _, pss in sizes)


def family(root: int) -> list[int]:
    """A process and all that descend from it."""
    found = [root]
    for process in found:
        for children in Path(f"/proc/{process}/task").glob("*/children"):
            try:
                found += map(int, children.read_text().split())
            except OSError:  # it has just ended
                continue
    return found


def resident(process: int) -> tuple[int, int]:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0, 0
    sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines[1:]}
    return sizes["Rss"], sizes["Pss"]
