"""Processes that do the same work on whatever they are sent.

One new Python loads the work, then forks the rest of the crew: what it loaded is in memory once, and a clean process
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
        return cls(RuntimeError, (f"in a process of the crew:\n{''.join(traceback.format_exception(error))}",), {})

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


def in_crew(jobs: Iterator[tuple[K, Any]], work: bytes, size: int) -> Iterator[tuple[K, Any]]:
    """What so many processes make of the jobs, in any order; each has one at a time, and one more is read ahead.

    Takes no job if the crew cannot load the work, as when it stands in the user's script.
    """
    with crew(work, size) as hands:
        if not hands[0].recv():
            return
        busy: dict[Connection, K] = {}
        idle = list(hands)
        for key, job in jobs:
            if not idle:
                yield from finished(busy, idle)
            hand = idle.pop()
            hand.send(job)
            busy[hand] = key
        while busy:
            yield from finished(busy, idle)


def finished(busy: dict[Connection, K], idle: list[Connection]) -> Iterator[tuple[K, Any]]:
    """The next jobs that are done; whoever did them is idle again."""
    for hand in wait(list(busy)):
        assert isinstance(hand, Connection)
        done = hand.recv()
        if isinstance(done, Failure):
            raise done.error()
        idle.append(hand)
        yield busy.pop(hand), done


@contextmanager
def crew(work: bytes, size: int) -> Iterator[list[Connection]]:
    """A line to each of so many processes, all of which have ended when the block ends, however it does."""
    pairs = [socket.socketpair() for _ in range(size)]
    theirs = [their.fileno() for _, their in pairs]
    path = os.pathsep.join(place or os.getcwd() for place in sys.path)
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", "from seqloom.data.crew import lead; lead()", *map(str, theirs)],
        stdin=subprocess.DEVNULL,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": path, "TOKENIZERS_PARALLELISM": "false"},
        pass_fds=theirs,
        start_new_session=True,  # Ctrl-C is for this process alone, which then ends the others
    )
    hands = [Connection(our.detach()) for our, _ in pairs]
    for _, their in pairs:
        their.close()
    try:
        hands[0].send_bytes(work)
        yield hands
        for hand in hands:
            hand.close()
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
        for hand in hands:
            hand.close()


def lead() -> None:
    """The first process of a crew: loads the work, and calls the others to life."""
    hands = [Connection(int(number)) for number in sys.argv[1:]]
    try:
        work = hands[0].recv()
    except (AttributeError, ImportError):
        hands[0].send(False)
        return
    gc.disable()  # see `encoding.uncollected`; and what is not looked at stays shared
    forked = []
    for hand in hands[1:]:
        forked.append(os.fork())
        if forked[-1] == 0:
            try:
                for other in hands:
                    if other is not hand and not other.closed:
                        other.close()
                serve(hand, work)
            finally:
                os._exit(0)
        hand.close()
    hands[0].send(True)
    serve(hands[0], work)
    for process in forked:
        os.waitpid(process, 0)


def serve(hand: Connection, work: Callable[[Any], Any]) -> None:
    """Work until nobody is there to work for."""
    with suppress(EOFError, ConnectionError):
        while True:
            job = hand.recv()
            try:
                done = work(job)
            except Exception as error:
                done = Failure.of(error)
            hand.send(done)
