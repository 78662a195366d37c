"""Mutated models, data, runs and requests end in an answer or an error of the family; the long run is `make soak`."""

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqloom.errors import SeqloomError
from tests.forked import forked
from tests.fuzzing.models import make_exported, make_several
from tests.fuzzing.mutations import mutated_file, mutated_folder, mutated_run, use_file, use_model, use_run
from tests.fuzzing.requests import BODIES, HEADERS, METHODS, PATHS, check_bytes, check_json
from tests.once import once
from tests.serving.conftest import Running

SEEDS = st.integers(0, 10**9)


@pytest.fixture(scope="module")
def newer(models, tmp_path_factory):
    """Exported models, and one with two heads."""

    def make(place: Path) -> None:
        make_exported(place, models / "mood")
        make_several(place, models / "reviews.tsv")

    return once(tmp_path_factory, "newer", make)


@pytest.fixture(scope="module")
def running(models, newer):
    folders = [str(models / "digits"), str(models / "mood"), str(newer / "several")]
    running = Running(folders, "--set", "body_seconds=2", "--set", "work=2000")
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


@settings(max_examples=25)
@given(seed=SEEDS)
def test_a_mutated_engine_or_model_of_several_tasks_too(newer, seed):
    with tempfile.TemporaryDirectory() as place:
        name, folder = mutated_folder(newer, Path(place) / "model", seed)
        found = forked(lambda: use_model(name, folder))
    assert found.kind in ("answer", "error"), found.text


@settings(max_examples=25)
@given(seed=SEEDS)
def test_the_studio_says_something_of_a_mutated_run(models, seed):
    with tempfile.TemporaryDirectory() as place:
        folder = mutated_run(models, Path(place) / "run", seed)
        found = forked(lambda: use_run(folder))
    assert found.kind == "answer", found.text


@pytest.mark.filterwarnings("ignore::seqloom.errors.SeqloomWarning")
@settings(max_examples=80)
@given(seed=SEEDS)
def test_a_mutated_data_file_is_refused_or_read(seed):
    with tempfile.TemporaryDirectory() as place, suppress(SeqloomError):
        use_file(mutated_file(Path(place), seed), seed)


@settings(max_examples=60)
@given(path=st.sampled_from(PATHS), body=BODIES)
def test_any_json_is_answered_and_never_by_an_error_of_ours(running, path, body):
    check_json(running, path, body)


@settings(max_examples=20)
@given(method=st.sampled_from(METHODS), path=st.sampled_from(PATHS), headers=HEADERS, body=st.binary(max_size=60))
def test_any_request_is_answered_and_the_next_one_too(running, method, path, headers, body):
    check_bytes(running, method, path, headers, body)
