"""Threads beside other work: how they wait, and how many there are.

OpenMP's threads wait for each other by spinning, for milliseconds. As soon as anything else runs on the machine, a
browser or a second training, the thread that is waited for is not running, and all spin in vain: two trainings side by
side become many times slower. So threads wait awake for a moment and then asleep, unless the user has said how
(`bench.threads` has the figures), and there are no more of them than the machine has free cores. Nothing here imports
torch: how threads wait is read when it loads.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path

POLICY = {"GOMP_SPINCOUNT": "1000", "KMP_BLOCKTIME": "1"}
"""Threads wait awake for some microseconds, then asleep: turns of GNU's OpenMP, milliseconds of LLVM's (Intel's)."""
CHOSEN = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
"""Any of these says how a user wants threads to wait."""
COUNTED = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Any of these says how many threads a user wants."""
LOOK = 0.1
"""Seconds over which it is measured how busy the machine is."""
STAT = Path("/proc/stat")


def wait_asleep(environ: MutableMapping[str, str] = os.environ) -> bool:
    """Let the threads of torch wait asleep, if it is not too late and the user has not chosen; whether it was done."""
    if "torch" in sys.modules or any(name in environ for name in CHOSEN):
        return False
    environ.update(POLICY)
    return True


def free_cores() -> float:
    """Cores of this process that nobody uses now; who is nice to others does not count."""
    own = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    if not STAT.exists():  # not Linux
        return max(len(own) - os.getloadavg()[0], 0.0) if hasattr(os, "getloadavg") else float(len(own))
    before = core_times(STAT.read_text())
    time.sleep(LOOK)
    after = core_times(STAT.read_text())
    return sum(share_free(before[core], after[core]) for core in own if core in before and core in after)


def core_times(text: str) -> dict[int, tuple[int, ...]]:
    """Ticks of each core since the machine was started: user, nice, system, idle, iowait, ...

    >>> core_times("cpu  9 9 9 9\\ncpu0 1 2 3 4 5\\nintr 7")
    {0: (1, 2, 3, 4, 5)}
    """
    lines = (line.split() for line in text.splitlines() if line.startswith("cpu") and line[3:4].isdigit())
    return {int(name[3:]): tuple(map(int, ticks)) for name, *ticks in lines}


def share_free(before: tuple[int, ...], after: tuple[int, ...]) -> float:
    """The share of a core that was idle, or worked for who is nice, between two looks.

    >>> share_free((10, 0, 0, 50, 0), (12, 3, 1, 52, 2))
    0.7
    """
    spent = [now - then for then, now in zip(before, after)]
    return (spent[1] + spent[3] + spent[4]) / sum(spent) if sum(spent) else 1.0


def choose_threads(most: int, free: float | None = None, environ: MutableMapping[str, str] = os.environ) -> int:
    """How many threads to work with, of `most`: what a user said, else one for each free core.

    >>> choose_threads(8, 5.2, {}), choose_threads(8, 0.1, {}), choose_threads(8, 0.1, {"OMP_NUM_THREADS": "8"})
    (5, 1, 8)
    """
    if most == 1 or any(name in environ for name in COUNTED):
        return most
    return min(max(round(free_cores() if free is None else free), 1), most)


@contextmanager
def using_threads(count: int) -> Iterator[None]:
    """So many threads inside torch while the block runs."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
