"""The folder of a run: taken for one process, given back if nothing was trained, found again to go on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from seqloom.errors import OutputError, SeqloomError
from seqloom.lock import locked
from seqloom.storage import open_files
from seqloom.training import budget, checkpoint, live, metrics
from seqloom.training.distributed import ProcessGroup
from seqloom.training.saved_task import CONFIG, SETUP, WEIGHTS, not_own, read_saved

LOCK = ".lock"
"""Held by the one process that trains in a folder."""
UNTRAINED = {
    LOCK, SETUP, f".{SETUP}.part", ".trial", checkpoint.FOLDER, budget.FILE, metrics.FILE, metrics.SAMPLES,
    live.FILE, live.STOP,
}  # fmt: skip
"""What may be in a folder in which nothing was trained yet."""


@contextmanager
def claimed(out: Path, group: ProcessGroup, *, resume: bool) -> Iterator[None]:
    """Hold the folder of a run; if it fails before anything is kept of it, the folder is as it was before.

    What is left of a run that was killed before its first checkpoint is no hindrance: it begins anew.
    """
    try:
        there = out.exists()
        fresh = not (resume and there and any(out.iterdir()))
        if fresh:
            check_untrained(out)
        above = [parent for parent in out.parents if not parent.exists()]
        if group.is_main:
            out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"{out} cannot be the folder of a run: {error.strerror}"
        raise OutputError(what, remedy="choose another folder (out)") from error
    if not group.is_main:
        group.barrier()
        yield
        return
    with locked(out / LOCK, "trains in this folder"):
        if fresh:
            check_untrained(out)  # again: whoever held the lock may have trained
            clear(out)
        group.barrier()
        try:
            yield
        except Exception:
            if fresh and not is_begun(out):
                clear(out)
                for folder in above if there else [out, *above]:
                    with suppress(OSError):  # another run is in it by now
                        (folder / LOCK).unlink(missing_ok=True)
                        folder.rmdir()
            raise


def resume_remedy(run: Path) -> str:
    """How to go on with a run, from a terminal and in Python."""
    return f"go on with seqloom train --resume {run}, in Python with resume=True"


def check_untrained(out: Path) -> None:
    """Raise `OutputError` if there is anything in a folder that a run could overwrite."""
    if out.exists() and (is_begun(out) or {entry.name for entry in out.iterdir()} - UNTRAINED):
        remedy = f"{resume_remedy(out)}, or choose another folder (out); nothing was changed"
        raise OutputError(f"{out} already exists", remedy=remedy)


def is_begun(out: Path) -> bool:
    """Whether a run has a checkpoint, or metrics of its first steps."""
    file = out / metrics.FILE
    return any(checkpoint.folders(out)) or (file.exists() and file.stat().st_size > 0)


def clear(out: Path) -> None:
    """Remove what is left of a run that trained nothing."""
    for name in UNTRAINED - {LOCK}:
        if (out / name).is_dir():
            shutil.rmtree(out / name, ignore_errors=True)
        else:
            (out / name).unlink(missing_ok=True)


def settings_of(run: Path, *, trust: bool = True) -> dict[str, Any]:
    """The settings that a run was begun with, and those of its last steps: what it goes on with if nothing is said.

    trust   take them from a run that somebody else began: they name files
    """
    if not (run / SETUP / CONFIG).exists():
        remedy = "give the folder that was named with --out, or say what to train: --task and --data"
        raise SeqloomError(f"{run} holds no run to resume", remedy=remedy)
    saved = read_saved(open_files(run / SETUP))
    if not (saved.own or trust):
        raise not_own(run, "train in a folder of your own")
    settings: dict[str, Any] = dict(saved.config)
    last, _ = checkpoint.newest(run)
    train = settings.get("train")
    if last is not None and not (isinstance(train, dict) and train.get("budget")):  # a budget is planned once
        settings["train"] = last.progress["settings"]
    return settings


def is_unfinished(place: Path) -> bool:
    """Whether this is a run that was stopped, or still trains."""
    return (place / SETUP).is_dir() and not (place / WEIGHTS).exists()
