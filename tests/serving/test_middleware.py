"""What every request passes: hosts, origins, keys, bodies, and what every answer says of itself."""

import asyncio
import fcntl
import json
import logging
import signal
import socket
import time
from typing import Any

import pytest

from seqloom.cli.serve import serve
from seqloom.errors import SeqloomError
from seqloom.serving.app import make_app
from seqloom.serving.middleware import is_loopback
from seqloom.serving.service import InferenceService
from seqloom.serving.settings import Bounds
from tests.serving.conftest import Running

PATHS = ["/", "/health", "/api/predict", "/translate", "/v1/completions", "/metrics", "/nothing", "/openapi.json"]
METHODS = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"]
OPEN = {"/", "/health", "/languages", "/frontend/settings"}
"""What needs no key."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "",
        "localhost@evil.example",
        "[::2]",
        "evil.com@localhost",
        "127.0.0.1:abc",
        "localhost:80:80",
        "localhost/x",
        "[localhost]:1x",
    ],
)
def test_another_name_for_our_address_is_refused(served, method, host):
    """DNS rebinding: a page of another site that found out how to reach us."""
    for path in ("/api/predict", "/health"):
        assert served.ask(path, method=method, host=host).status in (400, 403)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://localhost:1", "?"])
def test_a_page_of_another_site_is_refused(served, method, origin):
    reply = served.ask("/api/predict", method=method, origin=origin)
    assert reply.status == 403
    assert "access-control-allow-origin" not in reply.headers


def test_this_machine_may_ask_under_all_its_names(served):
    for host in (f"localhost:{served.port}", f"127.0.0.1:{served.port}", f"[::1]:{served.port}", "LOCALHOST"):
        assert served.ask("/health", host=host).status == 200
        assert served.ask("/health", host=host, origin=f"http://{host}").status == 200
        assert served.ask("/health", method="HEAD", host=host).status == 200


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_tells_browsers_to_be_careful(served, path):
    headers = served.ask(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_what_is_not_there_is_json_too(served):
    assert served.ask("/nothing").json() == {"error": {"message": "Not Found"}}
    assert served.ask("/api/predict", method="DELETE").json() == {"error": {"message": "Method Not Allowed"}}
    for path in ("/../../etc/passwd", "/api/../../x", "/%2e%2e/%2e%2e/etc/passwd", "/docs", "/redoc"):
        assert served.ask(path).status == 404


def test_a_body_that_says_it_is_too_long_is_not_read(served):
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as client:
        client.sendall(b"POST /api/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 40001\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(10_000), b""))
    assert answer.startswith(b"HTTP/1.1 413")
    assert b'"bound": "body_bytes"' in answer


@pytest.mark.parametrize("path", ["/health", "/metrics"])
def test_bodies_that_are_not_asked_for_are_not_read(served, path):
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as client:
        client.sendall(f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 30000\r\n\r\n".encode())
        answer = b"".join(iter(lambda: client.recv(10_000), b""))
    assert answer.startswith(b"HTTP/1.1 405")
    assert b"connection: close" in answer.lower()


def test_a_body_that_turns_out_too_long_is_refused(served):
    reply = served.ask("/api/predict", body=iter([b"x" * 9_999] * 5))
    assert (reply.status, reply.json()["error"]["bound"]) == (413, "body_bytes")
    assert (
        served.ask("/api/predict", body=b" " * 39_980 + b'{"text":"1"}', content_type="application/json").status == 200
    )


def test_a_body_that_does_not_come_in_time_is_refused(served):
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as client:
        client.sendall(b"POST /api/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{")
        answer = b"".join(iter(lambda: client.recv(10_000), b""))
    assert answer.startswith(b"HTTP/1.1 408")
    assert b'"bound": "body_seconds"' in answer


@pytest.mark.parametrize(
    "body", [b"{", b"\xff\xfe", b'{"text": "' + b"\\ud800" + b'"}', b"[" * 30_000, b"null", b'"x"', b""]
)
@pytest.mark.parametrize("path", ["/api/predict", "/v1/completions", "/api/explain", "/translate"])
def test_broken_json_is_said(served, path, body):
    reply = served.ask(path, body=body, content_type="application/json")
    assert reply.status in (400, 422)
    assert "Traceback" not in reply.body.decode()


def test_the_bound_on_requests_at_once(models):
    running = Running([str(models / "digits")], "--set", "requests=3", "--set", "body_seconds=9")
    try:
        held = []
        for _ in range(3):
            client = socket.create_connection(("127.0.0.1", running.port), timeout=30)
            client.sendall(b"POST /api/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{")
            held.append(client)
        for _ in range(100):
            reply = running.ask("/api/models")
            if reply.status != 200:
                break
            time.sleep(0.05)
        assert (reply.status, reply.json()["error"]["bound"]) == (503, "requests")
        assert reply.headers["retry-after"] == "1"
        assert running.ask("/health").status == 200, "it answers all the same"
        asked = running.ask("/v1/completions", {"model": "digits", "prompt": "1"})
        assert (asked.status, asked.json()["error"]["bound"], asked.headers["retry-after"]) == (503, "requests", "1")
        counted = running.ask("/metrics").body.decode()
        assert 'seqloom_requests_total{path="/v1/completions",status="503"} 1.0' in counted
        for client in held:
            client.close()
        for _ in range(100):
            if running.ask("/api/models").status == 200:
                break
            time.sleep(0.05)
        else:
            pytest.fail("those who are gone still count")
    finally:
        assert running.stop()[0] == 0


def test_every_path_needs_the_key_but_a_few(models):
    running = Running([str(models / "digits")], key="open-sesame")
    try:
        assert running.ask("/openapi.json").status == 401
        described = running.ask("/openapi.json", authorization="Bearer open-sesame").json()["paths"]
        for path, methods in described.items():
            for method in methods:
                status = running.ask(path.replace("{name}", "digits"), {}, method.upper()).status
                assert status == 401 or path in OPEN, (method, path)
                for wrong in ("Bearer open-sesam", "", " ", "Bearer", "Bearer ", "Basic open-sesame"):
                    reply = running.ask(path, {}, method.upper(), authorization=wrong)
                    assert reply.status == 401 or path in OPEN, (method, path, wrong)
        assert len(described) > 10
        assert running.ask("/api/models", authorization="Bearer open-sesame").status == 200
        assert "www-authenticate" in running.ask("/api/models").headers
        assert b"digits" not in running.ask("/").body, "names of models are for those who have the key"
        with socket.create_connection(("127.0.0.1", running.port), timeout=30) as client:
            client.sendall(b"POST /api/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{")
            assert client.recv(12) == b"HTTP/1.1 401", "before anything is read"
    finally:
        code, errors = running.stop()
        assert code == 0 and "sesam" not in errors


def test_absent_empty_and_wrong_keys_are_the_same_wherever_they_are_sent(models):
    """With an empty header, texts were translated without a key."""
    running = Running([str(models / "digits")], key="open-sesame")
    form = "application/x-www-form-urlencoded"
    try:
        refused = running.ask("/api/models")
        for method in METHODS:
            for path in ("/translate", "/detect", "/translate/", "/nothing", "/api/predict"):
                for header in ({}, {"authorization": ""}, {"authorization": "Bearer "}, {"authorization": "Bearer x"}):
                    reply = running.ask(path, {"q": "1", "source": "en", "target": "de"}, method, **header)
                    assert reply.status == 401, (method, path, header)
        for key in ("", "x", None, 3, ["open-sesame"], {"open-sesame": 1}):
            reply = running.ask("/translate", {"q": "1", "target": "de", "api_key": key}, authorization="")
            assert (reply.status, reply.json()["error"]) == (401, refused.json()["error"]["message"])
        for body in ("", "{", "[]", "q=1&api_key=", "q=1&api_key=open-sesame&api_key=x"):
            assert running.ask("/translate", body=body, content_type=form).status == 401
        asked = {"q": "1", "source": "en", "target": "de"}
        right = [
            running.ask("/translate", asked, authorization="Bearer open-sesame"),
            running.ask("/translate", {**asked, "api_key": "open-sesame"}),
            running.ask("/translate", {**asked, "api_key": "open-sesame"}, authorization=""),
            running.ask("/translate?api_key=open-sesame", asked),
            running.ask("/translate", body="q=1&target=de&api_key=open-sesame", content_type=form),
        ]
        assert [reply.status for reply in right] == [200] * 5
        assert running.ask("/api/models?api_key=open-sesame").status == 401, "that is LibreTranslate's way only"
    finally:
        running.stop()


def test_beyond_this_machine_only_with_a_key(models):
    for host, loopback in {"127.0.0.1": True, "127.8.9.1": True, "::1": True, "localhost": True, "0.0.0.0": False,
                           "::": False, "example.org": False, "192.168.1.4": False}.items():  # fmt: skip
        assert is_loopback(host) is loopback
    with pytest.raises(SeqloomError, match="is reachable from other machines, and no key is set"):
        serve([str(models / "digits")], host="0.0.0.0", port=0)
    with pytest.raises(SeqloomError, match="visible ASCII"):
        serve([str(models / "digits")], key="a b")


def test_texts_are_not_in_the_log(models):
    running = Running([str(models / "digits")])
    running.ask("/api/predict", {"text": "a secret"})
    running.ask("/api/predict?q=secret", {"texts": "secret"})
    running.ask("/translate", body="q=secret&target=de", content_type="application/x-www-form-urlencoded")
    running.ask("/secret")
    code, log = running.stop()
    assert code == 0
    assert log.count("POST /api/predict") == 2 and "GET other 404" in log
    assert "secret" not in log


def test_a_log_that_nobody_reads_stops_nothing(models):
    """A pipe holds 64 KB: then the server stood still, and SIGTERM with it."""
    running = Running([str(models / "digits")])
    assert running.process.stderr is not None
    fcntl.fcntl(running.process.stderr, fcntl.F_SETPIPE_SZ, 4096)
    for _ in range(200):
        assert running.ask("/nothing" + "x" * 40).status == 404
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(timeout=60) == 0
    running.process.communicate(timeout=60)


async def call(app, path="/health", headers=()):
    """One request without a service."""
    sent: list[dict[str, Any]] = []
    scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"host", b"localhost"), *headers],
             "query_string": b"", "raw_path": path.encode(), "http_version": "1.1", "scheme": "http"}  # fmt: skip

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], json.loads(b"".join(message.get("body", b"") for message in sent[1:]))


@pytest.fixture
def service(models):
    return InferenceService([str(models / "digits")], Bounds())


def test_while_stopping_only_health_and_metrics_answer(service):
    app = make_app(service)
    service.draining = True
    assert asyncio.run(call(app, "/api/models"))[0] == 503
    assert asyncio.run(call(app, "/health")) == (503, {"status": "stopping"})


def test_while_the_queue_is_full_nothing_is_read(service, monkeypatch):
    app = make_app(service)
    monkeypatch.setattr(service.scheduler, "queue", [None] * 2 * service.bounds.queue)
    status, body = asyncio.run(call(app, "/api/predict"))
    assert (status, body["error"]["bound"]) == (429, "queue")
    assert asyncio.run(call(app, "/api/models"))[0] == 200


def test_health_says_if_nobody_works(service):
    app = make_app(service)
    assert asyncio.run(call(app, "/health")) == (503, {"status": "broken"})  # its thread has not started


def test_an_error_of_ours_shows_nothing_of_itself(service, monkeypatch, caplog):
    app = make_app(service)
    monkeypatch.setattr(service, "model_store", None)
    with caplog.at_level(logging.INFO):
        status, body = asyncio.run(call(app, "/api/models"))
    assert status == 500
    assert body == {"error": {"message": "internal error; see the server's log"}}
    assert "AttributeError at " in caplog.text and "Traceback" not in caplog.text
