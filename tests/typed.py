"""A command as a person types it, without a process of its own: importing torch is what takes long."""

import io
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from seqloom.cli import main


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def typed(*arguments: str, folder: Path, input: str = "") -> Done:
    """`seqloom ARGUMENTS` in a folder, with a cache there too."""
    out, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SEQLOOM_CACHE", str(folder / "cache"))
        patch.setattr(sys, "argv", ["seqloom", *arguments])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(input.encode()), encoding="utf-8"))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", errors)
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return Done(code, *(text(stream) for stream in (out, errors)))


def text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()
