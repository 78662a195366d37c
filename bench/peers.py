"""Peers: each in an environment of its own, made once from PyPI, and run as a process that waits for its turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

HOME = Path(os.environ.get("SEQLOOM_BENCH", Path.home() / ".cache" / "seqloom-bench"))
"""Where environments are kept from one run to the next."""
RUNNERS = Path(__file__).parent / "runners"
CONSTRAINTS = ("torch==2.13.0",)
"""The version that seqloom is measured with; on PyPI, another one may bring gigabytes for GPUs."""


@dataclass(frozen=True)
class Peer:
    """A program to be measured: what it needs of PyPI, and the script that runs it."""

    name: str
    runner: str
    """A file of `runners/`: it reads its job, then one request a line, and writes one answer a line (`serve.py`)."""
    packages: Sequence[str] = ()
    """None for what runs in this environment: seqloom itself."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Added to the job."""

    def python(self) -> Path:
        """The interpreter of its environment, which is made if it is not there."""
        if not self.packages:
            return Path(sys.executable)
        folder = HOME / "-".join(sorted(self.packages)).replace("=", "")
        python, made = folder / "bin" / "python", folder / "made"
        if not made.exists():
            print(f"setting up {self.name} in {folder} ...", file=sys.stderr)
            venv.create(folder, clear=True, with_pip=True)
            install = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
            subprocess.run([*install, *CONSTRAINTS, *self.packages], check=True)
            made.touch()
        return python


class Running:
    """A peer at work: it has read its job, and measures what it is asked for, one request at a time."""

    def __init__(self, peer: Peer, job: Mapping[str, Any]) -> None:
        self.peer = peer
        environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "PYTHONPATH": str(Path(__file__).parents[1])}
        environment |= {"OMP_NUM_THREADS": str(job["threads"])}
        command = [peer.python(), RUNNERS / peer.runner]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.versions: dict[str, str] = self.ask({**job, **peer.settings})

    def ask(self, request: Mapping[str, Any]) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(request), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.peer.name} ended with code {self.process.wait()}: see above")
        return json.loads(line)

    def peak(self) -> int:
        """The most memory that the process has had, in bytes: libraries, model and all."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.stdin.close()  # type: ignore[union-attr]
        self.process.wait()
