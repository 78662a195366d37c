"""How a runner talks: a job on the first line of its input, then requests; an answer on a line of its output for each.

It is imported by scripts that run in environments without seqloom, and needs nothing but Python.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

Translate = Callable[[list[list[int]], int], list[list[int]]]
"""Decode a batch of sources with a beam: token ids of each answer, without <bos> and <eos>."""


def serve(start: Callable[[dict[str, Any]], tuple[dict[str, str], Translate]]) -> None:
    """Load a model as the job says (its answer: versions), then time whatever is asked for."""
    answers, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr  # a library that prints does not disturb
    job = json.loads(sys.stdin.readline())
    versions, translate = start(job)
    print(json.dumps(versions), file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        every = max(len(job["sources"]) // asked["count"], 1)  # short ones and long ones, as all are
        sources = job["sources"][::every][: asked["count"]]
        batches = [sources[first : first + asked["batch"]] for first in range(0, len(sources), asked["batch"])]
        begin, processor = time.perf_counter(), time.process_time()
        found = [answer for batch in batches for answer in translate(batch, asked["beam"])]
        times = {"seconds": time.perf_counter() - begin, "processor": time.process_time() - processor}
        print(json.dumps({**times, "answers": found}), file=answers, flush=True)
