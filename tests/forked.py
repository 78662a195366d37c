"""Run something in a forked process with bounds on memory and time: cheap, for everything is imported already."""

import json
import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable
from typing import NamedTuple

from seqloom.errors import SeqloomError


class Outcome(NamedTuple):
    """How it ended: answer, error (of seqloom's family), traceback, memory, hang, death; what it said; its cost."""

    kind: str
    text: str
    seconds: float
    peak: int
    """Bytes of memory at most, with everything that was imported before."""


def forked(work: Callable[[], object], *, seconds: float = 20.0, more_bytes: int = 1 << 30) -> Outcome:
    """Run `work` in a process that may take so much more memory than this one has, and so long."""
    reading, writing = os.pipe()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(reading)
        kind, text = run(work, more_bytes)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        with os.fdopen(writing, "w") as stream:
            json.dump([kind, text[-2_000:], peak], stream)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        ready, _, _ = select.select([stream], [], [], seconds)
        if not ready:
            os.kill(child, signal.SIGKILL)
        data = stream.read()
    _, status = os.waitpid(child, 0)
    took = time.monotonic() - began
    if not ready:
        return Outcome("hang", "", took, 0)
    if not data:
        return Outcome("death", f"status {status}", took, 0)
    kind, text, peak = json.loads(data)
    return Outcome(kind, text, took, peak)


def run(work: Callable[[], object], more_bytes: int) -> tuple[str, str]:
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    with open("/proc/self/statm") as stream:
        used = int(stream.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more_bytes,) * 2)
    try:
        return "answer", str(work())
    except SeqloomError as error:
        return "error", str(error)
    except MemoryError:
        return "memory", traceback.format_exc()
    except BaseException:
        return "traceback", traceback.format_exc()
