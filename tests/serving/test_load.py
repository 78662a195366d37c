"""Under load, with clients that leave, and at the end: nothing that was accepted is lost."""

import http.client
import json
import os
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.conftest import QUICK
from tests.serving.conftest import Running
from tests.serving.overload import SECONDS, run
from tests.tasks.songs import write_song


def song(place: Path) -> Path:
    """A model that writes."""
    os.environ.setdefault("SEQLOOM_CACHE", str(place / "cache"))
    data = str(write_song(place / "song.txt"))
    train(load_run(None, QUICK, task="generate", data__train=data, model__name="gru"), place / "song", quiet=True)
    return place / "song"


def test_ten_times_what_it_can_do(models):
    """A short one; `make soak` goes on for ten minutes."""
    before, seen, after = run(models / "song", 0.7, 4.0, queue=40)
    assert before > 0
    assert seen.unexpected == []
    assert seen.statuses[200] > 0 and seen.statuses[429] > 0
    assert max(seen.answered) < SECONDS + 1
    assert max(seen.waiting) <= 40
    assert max(seen.memory) < seen.memory[0] * 1.5 + 50 * 2**20
    assert after > before / 4


def slow(running: Running, length: int = 10_000) -> http.client.HTTPConnection:
    """A request that takes seconds, under way."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
    body = json.dumps({"model": "song", "text": "row", "length": length})
    connection.request("POST", "/api/predict", body, {"content-type": "application/json"})
    return connection


def working(running: Running) -> float:
    text = running.ask("/metrics").body.decode()
    return sum(float(line.split()[1]) for line in text.splitlines() if line.startswith("seqloom_working_texts"))


def wait_for(condition, what: str) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail(f"not in time: {what}")


def test_a_client_that_leaves_takes_its_work_along(models):
    running = Running([str(models / "song")], "--set", "work=10000000")
    try:
        leaving = [slow(running, 5_000_000) for _ in range(3)]
        wait_for(lambda: working(running) == 3, "three texts are worked on")
        leaving[0].close()
        wait_for(lambda: working(running) == 2, "one left")
        for one in leaving[1:]:
            one.close()
        wait_for(lambda: working(running) == 0, "all left")
    finally:
        assert running.stop()[0] == 0


def test_no_answer_in_time_is_told_and_its_work_ends(models):
    running = Running([str(models / "song")], "--set", "work=10000000", "--set", "seconds=0.5")
    try:
        late = slow(running, 5_000_000)
        reply = late.getresponse()
        assert reply.status == 503
        assert json.loads(reply.read())["error"]["bound"] == "seconds"
        assert reply.getheader("retry-after") == "5"
        late.close()
        wait_for(lambda: working(running) == 0, "its work ended")
    finally:
        assert running.stop()[0] == 0


def test_a_stream_that_nobody_reads_ends(models):
    running = Running([str(models / "song")], "--set", "work=10000000")
    try:
        body = json.dumps({"model": "song", "prompt": "row", "max_tokens": 4096, "stream": True})
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
        connection.request("POST", "/v1/completions", body, {"content-type": "application/json"})
        assert connection.getresponse().read(10)
        connection.close()
        wait_for(lambda: working(running) == 0, "its work ended")
    finally:
        assert running.stop()[0] == 0


def test_sigterm_finishes_what_was_accepted_and_refuses_the_rest(models):
    running = Running([str(models / "song")], "--set", "grace_seconds=60")
    half = socket.create_connection(("127.0.0.1", running.port), timeout=60)
    half.sendall(b"POST /api/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{")
    under_way = slow(running)
    found: list[int] = []
    reader = threading.Thread(target=lambda: found.append(len(json.loads(under_way.getresponse().read())["answers"])))
    reader.start()
    wait_for(lambda: working(running) == 1, "it is worked on")
    running.process.send_signal(signal.SIGTERM)

    def refused() -> bool:
        try:
            return running.ask("/api/models").status == 503
        except OSError:
            return True

    wait_for(refused, "new requests are refused")
    reader.join(timeout=60)
    under_way.close()
    assert found == [1]
    _, errors = running.process.communicate(timeout=60)
    assert running.process.returncode == 0
    assert "Traceback" not in errors
    half.close()
