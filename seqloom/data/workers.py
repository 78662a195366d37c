"""Worker processes that do the same work on whatever they are sent.

One new Python loads the work, then forks the other workers: what it loaded is in memory once, and a clean process
has no threads or locks of torch to lose. It is not `multiprocessing`, whose processes run the user's script again
unless it is guarded, and stay behind when this process is killed: these end when nobody is left at the other end.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple, TypeVar

from seqloom.errors import SeqloomError

K = TypeVar("K")
Job = TypeVar("Job")
Done = TypeVar("Done")

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""A process that forks should have no other thread."""


class Failure(NamedTuple):
    """An error on its way from one process to another: not every error can be made again from its text."""

    kind: type[Exception]
    args: tuple[Any, ...]
    state: dict[str, Any]

    @classmethod
    def of(cls, error: Exception) -> Failure:
        if isinstance(error, SeqloomError):
            return cls(type(error), error.args, error.__dict__)
        return cls(RuntimeError, (f"in a worker process:\n{''.join(traceback.format_exception(error))}",), {})

    def error(self) -> Exception:
        error = self.kind.__new__(self.kind, *self.args)
        error.__dict__.update(self.state)
        return error


def portable(work: Callable[[Job], Done]) -> bytes | None:
    """The work as it is sent to other processes; None where that cannot be."""
    if not hasattr(os, "fork") or not sys.executable:
        return None
    try:
        return bytes(ForkingPickler.dumps(work))
    except Exception:  # a function within a function, a lock, an open file: whatever it is, it is done here
        return None


def map_in_workers(jobs: Iterator[tuple[K, Any]], work: bytes, size: int) -> Iterator[tuple[K, Any]]:
    """What so many processes make of the jobs, in any order; each has one at a time, and one more is read ahead.

    Takes no job if the workers cannot load the work, as when it stands in the user's script.
    """
    with start_workers(work, size) as workers:
        if not workers[0].recv():
            return
        busy: dict[Connection, K] = {}
        idle = list(workers)
        for key, job in jobs:
            if not idle:
                yield from next_results(busy, idle)
            worker = idle.pop()
            worker.send(job)
            busy[worker] = key
        while busy:
            yield from next_results(busy, idle)


def next_results(busy: dict[Connection, K], idle: list[Connection]) -> Iterator[tuple[K, Any]]:
    """The next jobs that are done; whoever did them is idle again."""
    for worker in wait(list(busy)):
        assert isinstance(worker, Connection)
        done = worker.recv()
        if isinstance(done, Failure):
            raise done.error()
        idle.append(worker)
        yield busy.pop(worker), done


@contextmanager
def start_workers(work: bytes, size: int) -> Iterator[list[Connection]]:
    """A connection to each of so many processes, all of which have ended when the block ends, however it does."""
    pairs = [socket.socketpair() for _ in range(size)]
    theirs = [their.fileno() for _, their in pairs]
    path = os.pathsep.join(place or os.getcwd() for place in sys.path)
    process = subprocess.Popen(
        [
            sys.executable,
            "-P",
            "-c",
            "from seqloom.data.workers import first_worker; first_worker()",
            *map(str, theirs),
        ],
        stdin=subprocess.DEVNULL,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": path, "TOKENIZERS_PARALLELISM": "false"},
        pass_fds=theirs,
        start_new_session=True,  # Ctrl-C is for this process alone, which then ends the others
    )
    workers = [Connection(our.detach()) for our, _ in pairs]
    for _, their in pairs:
        their.close()
    try:
        workers[0].send_bytes(work)
        yield workers
        for worker in workers:
            worker.close()
        process.wait()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise SeqloomError(
            "a process that prepared the data has died",
            remedy="start again: what is done is kept; if memory ran out, free some",
        ) from None
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for worker in workers:
            worker.close()


def first_worker() -> None:
    """Runs in the first worker process: loads the work, and forks the others."""
    workers = [Connection(int(number)) for number in sys.argv[1:]]
    try:
        work = workers[0].recv()
    except (AttributeError, ImportError):
        workers[0].send(False)
        return
    gc.disable()  # see `encoding.without_garbage_collection`; and what is not looked at stays shared
    forked = []
    for worker in workers[1:]:
        forked.append(os.fork())
        if forked[-1] == 0:
            try:
                for other in workers:
                    if other is not worker and not other.closed:
                        other.close()
                work_until_closed(worker, work)
            finally:
                os._exit(0)
        worker.close()
    workers[0].send(True)
    work_until_closed(workers[0], work)
    for process in forked:
        os.waitpid(process, 0)


def work_until_closed(worker: Connection, work: Callable[[Any], Any]) -> None:
    """Work until nobody is there to work for."""
    with suppress(EOFError, ConnectionError):
        while True:
            job = worker.recv()
            try:
                done = work(job)
            except Exception as error:
                done = Failure.of(error)
            worker.send(done)
