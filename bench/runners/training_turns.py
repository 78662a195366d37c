"""How a runner that trains talks: a job on the first line of its input, then a request for each turn.

It is imported by scripts that run in environments without seqloom, and needs nothing but Python.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Step = Callable[[int], "float | tuple[float, int]"]
"""One step of the optimizer on a batch, by its number: the mean loss before it; of who chooses the batches, also how
many target tokens this one had."""
Start = Callable[[dict[str, Any]], tuple[dict[str, Any], Step]]
"""Build a model as the job says: versions and the number of parameters, and the step."""


def serve(start: Start) -> None:
    """Train whatever is asked for, and say how long it took."""
    answers, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr  # a library that prints does not disturb
    job = json.loads(sys.stdin.readline())
    before = memory("VmRSS")
    about, step = start(job)
    print(json.dumps(about), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        begin, processor = time.perf_counter(), time.process_time()
        found = [step(number) for number in asked["batches"]]
        times = {"seconds": time.perf_counter() - begin, "processor": time.process_time() - processor}
        own = [one for one in found if isinstance(one, tuple)]
        answer = {**times, "losses": [loss for loss, _ in own] or found, "memory": memory("VmHWM") - before}
        if own:
            answer["tokens"] = sum(tokens for _, tokens in own)
        print(json.dumps(answer), file=answers, flush=True)


def memory(kind: str) -> int:
    """Bytes of this process by their name in /proc: VmRSS for those of now, VmHWM for the most there were."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{kind}:"))
