"""Requests that nobody would send by mistake, and what is promised of every one of them."""

import http.client
from typing import Any

from hypothesis import strategies as st

from tests.serving.conftest import Running

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = [
    "text", "texts", "model", "q", "source", "target", "prompt", "n", "beam", "format", "stop", "messages", "length",
    "look", "off", "prefix", "method", "word", "side", "task_tag", "temperature", "api_key",
]  # fmt: skip
NAMES = [
    "digits",
    "mood",
    "several",
    "mood@3",
    "mood@03",
    "mood@\u0663",
    "digits@99999999999",
    "../mood",
    "mood@",
    "@3",
    "",
]
PATHS = [
    "/api/predict", "/api/vectors", "/api/inspect", "/api/strips", "/api/explain", "/api/words", "/api/attribute",
    "/api/data", "/api/runs", "/api/runs/stop", "/translate", "/detect", "/v1/completions", "/v1/chat/completions",
    "/v1/models", "/health", "/metrics", "/", "/x",
]  # fmt: skip
BODIES = st.tuples(
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=3),
    st.dictionaries(st.just("model"), st.sampled_from(NAMES), max_size=1),
    st.dictionaries(
        st.just("text"), st.sampled_from(["1 2", "a fine film", "mood a film", "pos a", "\ud800", ""]), max_size=1
    ),
).map(lambda parts: {**parts[0], **parts[1], **parts[2]})
METHODS = ["GET", "POST", "PUT", "HEAD", "OPTIONS", "X"]
HEADERS = st.dictionaries(
    st.sampled_from(["content-type", "authorization", "origin", "expect", "host", "transfer-encoding", "x"]),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30),
    max_size=3,
)


def check_json(running: Running, path: str, body: dict[str, Any]) -> None:
    """Any JSON is answered, and never by an error of ours; 503 says that it took too long on a busy machine."""
    reply = running.ask(path, body)
    assert reply.status in (200, 400, 403, 404, 405, 409, 413, 415, 422, 429, 503), (path, body, reply)


def check_bytes(running: Running, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
    """Any request is answered or closed, and the next one is answered."""
    try:
        status = running.ask(path, None, method, body=body, **headers).status
        assert status < 500 or status == 503, (method, path, headers, body)
    except (http.client.HTTPException, ConnectionError):
        pass
    assert running.ask("/health").status == 200
