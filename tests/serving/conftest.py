"""A real server in a process of its own, with a model for each task; made once."""

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from seqloom.training.run import train
from tests.once import once
from tests.sizes import load_fitting
from tests.tasks.songs import write_song
from tests.tasks.tagged import write_tagged

QUICK = ["train.steps=3", "train.warmup_steps=1", "train.batch_tokens=300", "model.embedding=8", "model.widths=[8]"]
MAIN = "from seqloom.cli import main; main()"


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory, digits: Path) -> Path:
    """Folders: digits (translate, well trained), song (generate), mood (classify), words (tag)."""

    def make(place: Path) -> None:
        shutil.copytree(digits, place / "digits")
        reviews = [f"{mood}\ta {word} film" for mood, word in (("good", "fine"), ("bad", "poor"), ("good", "great"))]
        (place / "reviews.tsv").write_text("\n".join(reviews * 9), encoding="utf-8")
        for name, task, data, model in (
            ("song", "generate", write_song(place / "song.txt"), "gru"),
            ("mood", "classify", place / "reviews.tsv", "lstm"),
            ("words", "tag", write_tagged(place / "tagged.conll"), "gru"),
        ):
            config = load_fitting(QUICK, task=task, data__train=str(data), model__name=model)
            train(config, place / name, quiet=True)

    return once(tmp_path_factory, "models", make)


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
        for line in self.process.stdout:
            if "Serving on" in line:
                self.url = line.split()[2]
                break
        else:
            _, errors = self.process.communicate()
            pytest.fail(errors, pytrace=False)
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
        _, errors = self.process.communicate(timeout=60)
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
