"""Mutated models, data and requests end in an answer or in an error of the family; the long run is `make soak`."""

import http.client
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqloom.errors import SeqloomError
from tests.forked import forked
from tests.fuzzing.mutations import mutated_file, mutated_folder, use_file, use_model
from tests.serving.conftest import Running

SEEDS = st.integers(0, 10**9)


@pytest.fixture(scope="module")
def running(models):
    running = Running([str(models / "digits"), str(models / "mood")], "--set", "body_seconds=2", "--set", "work=2000")
    yield running
    code, errors = running.stop()
    assert code == 0
    assert "Traceback" not in errors


@settings(max_examples=25)
@given(seed=SEEDS)
def test_a_mutated_model_folder_is_refused_or_answers(models, seed):
    with tempfile.TemporaryDirectory() as place:
        name, folder = mutated_folder(models, Path(place) / "model", seed)
        found = forked(lambda: use_model(name, folder))
    assert found.kind in ("answer", "error"), found.text


@pytest.mark.filterwarnings("ignore::seqloom.errors.SeqloomWarning")
@settings(max_examples=80)
@given(seed=SEEDS)
def test_a_mutated_data_file_is_refused_or_read(seed):
    with tempfile.TemporaryDirectory() as place, suppress(SeqloomError):
        use_file(mutated_file(Path(place), seed), seed)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["text", "texts", "model", "q", "source", "target", "prompt", "n", "beam", "format", "stop"])
PATHS = st.sampled_from(["/api/predict", "/api/vectors", "/translate", "/detect", "/v1/completions", "/health", "/x"])


@settings(max_examples=30)
@given(path=PATHS, body=st.dictionaries(FIELDS, VALUES, max_size=4))
def test_any_json_is_answered_and_never_by_an_error_of_ours(running, path, body):
    reply = running.ask(path, body)
    assert reply.status in (200, 400, 404, 405, 413, 422, 429), (path, body, reply)


@settings(max_examples=20)
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "HEAD", "OPTIONS", "X"]),
    path=PATHS,
    headers=st.dictionaries(
        st.sampled_from(["content-type", "authorization", "origin", "expect", "x"]),
        st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30),
        max_size=3,
    ),
    body=st.binary(max_size=60),
)
def test_any_request_is_answered_and_the_next_one_too(running, method, path, headers, body):
    try:
        status = running.ask(path, None, method, body=body, **headers).status
        assert status < 500 or status == 503, (method, path, headers, body)
    except (http.client.HTTPException, ConnectionError):
        pass
    assert running.ask("/health").status == 200
