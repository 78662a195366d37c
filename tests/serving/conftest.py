"""A real server in a process of its own, with a model for each task."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

MAIN = "from seqloom.cli import main; main()"


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Running:
    """A server that runs, and a client for it."""

    def __init__(self, folders: Sequence[str], *options: str, key: str = "") -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "SEQLOOM_KEY": key}
        self.process = subprocess.Popen(
            [sys.executable, "-c", MAIN, "serve", *folders, "--port", "0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        assert self.process.stdout is not None
        patience = threading.Timer(120, self.process.kill)
        patience.start()
        try:
            for line in self.process.stdout:
                if "Serving on" in line:
                    self.url = line.split()[2]
                    break
            else:
                _, errors = self.process.communicate(timeout=60)
                pytest.fail(errors, pytrace=False)
        finally:
            patience.cancel()
        self.port = int(self.url.rpartition(":")[2])

    def ask(
        self, path: str, data: Any = None, method: str = "", *, body: bytes | str | None = None, **headers: str
    ) -> Reply:
        """GET, or POST of JSON; headers with _ for -."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if data is not None:
            body = json.dumps(data)
            sent.setdefault("content-type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method or ("POST" if body is not None else "GET"), path, body, sent)
            answer = connection.getresponse()
            return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """End it; its exit code and what it wrote to standard error."""
        self.process.send_signal(number)
        try:
            _, errors = self.process.communicate(timeout=60)
        finally:
            self.process.kill()  # if it does not end by itself, which is an error
        return self.process.returncode, errors


@pytest.fixture(scope="session")
def served(models: Path) -> Iterator[Running]:
    """All four models, with bounds that are easily passed."""
    bounds = ["body_bytes=40000", "text_characters=2000", "texts=9", "beam=6", "work=20000", "body_seconds=1"]
    folders = [str(models / name) for name in ("digits", "song", "mood", "words")]
    running = Running(folders, *(part for bound in bounds for part in ("--set", bound)))
    yield running
    code, errors = running.stop()
    assert code == 0
    assert "Traceback" not in errors
