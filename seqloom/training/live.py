"""A run while it trains, for whoever looks on: a small file that says how far it is, and one that asks it to stop.

Neither is part of a model: both are hidden and gone when the run ends, and nothing that is computed depends on them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import Field

from seqloom.config import Config, check
from seqloom.errors import SeqloomError
from seqloom.storage.checked_json import parse_object
from seqloom.storage.mapped_file import read_file
from seqloom.training.callbacks import Callback, TrainingState

FILE, STOP = ".live.json", ".stop"
STOPPED = "stopped from the studio"
"""How the reason of a run begins that was asked to stop."""
LONGEST, MOST = 4_096, 10**15
"""Bytes of the file, and a number in it."""
SECONDS = 0.5
"""Between two looks at the files; a run of quick steps is not held up by them."""


class LiveRun(Config):
    """Where a run is: what the file says."""

    step: int = Field(ge=0, le=MOST)
    """Steps that are done."""
    steps: int = Field(ge=0, le=MOST)
    """Steps in all."""
    epoch: float = Field(ge=0, le=MOST)
    """How often the data was read."""
    steps_per_second: float = Field(ge=0, le=MOST)
    """Since this process began."""


class LiveStatus(Callback):
    """Writes down where the run is, and stops it when it is asked to: a checkpoint is saved, and it can go on."""

    def __init__(self, run: Path) -> None:
        self.run, self.next = run, 0.0
        self.began, self.first = time.monotonic(), -1

    def on_step(self, state: TrainingState) -> None:
        now = time.monotonic()
        if self.first < 0:
            self.began, self.first = now, state.step
        if now < self.next:
            return
        self.next = now + SECONDS
        passed = now - self.began
        rate = (state.step - self.first) / passed if passed else 0.0
        status = LiveRun(step=state.step, steps=state.steps, epoch=state.epoch, steps_per_second=round(rate, 4))
        with suppress(OSError):  # a full disk will be told of by whoever writes what matters
            aside = self.run / f"{FILE}.part"
            aside.write_text(status.model_dump_json(), encoding="utf-8")
            os.replace(aside, self.run / FILE)
        if (self.run / STOP).exists():
            state.stop(STOPPED)


@contextmanager
def live_status(run: Path, *, is_main: bool) -> Iterator[LiveStatus]:
    """The callback of a run; a wish from before it began does not count, and its files do not outlive it."""
    names = (FILE, f"{FILE}.part", STOP) if is_main else ()
    try:
        for name in names:
            (run / name).unlink(missing_ok=True)
        yield LiveStatus(run)
    finally:
        for name in names:
            with suppress(OSError):
                (run / name).unlink(missing_ok=True)


def ask_to_stop(run: Path) -> None:
    """Ask a run that trains to save and stop after the step that is under way.

    A link of this name is not followed: the folder may be somebody else's, and the file would appear elsewhere.
    """
    with suppress(FileExistsError):
        os.close(os.open(run / STOP, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))


def read_live(run: Path) -> LiveRun | None:
    """Where a run is that trains now; None if none does, or if what lies there is not what a run writes."""
    try:
        data = read_file(run / FILE, LONGEST)
        return None if data is None else check(LiveRun, parse_object(data, FILE), where=FILE)
    except SeqloomError:
        return None
