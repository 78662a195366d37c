"""The OpenAPI description, held against the server by a tool that asks all that it allows and much that it does not."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving.conftest import Running

ACCEPTED = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 401, 403, 404, 409, 413, 422, 429, 503]
"""
"""409: a run that has ended already. 413 and 422: bounds and contradictions (n_best over beam) beyond a description."""


@pytest.fixture
def running(models):
    """Without the model that writes as long as it is told to."""
    found = Running([str(models / name) for name in ("digits", "mood", "words")])
    yield found
    assert found.stop()[0] == 0


def test_schemathesis_finds_nothing(running, tmp_path):
    config = tmp_path / "schemathesis.toml"
    config.write_text(ACCEPTED)
    found = subprocess.run(
        [Path(sys.executable).with_name("schemathesis"), "--config-file", config, "run", f"{running.url}/openapi.json",
         "--request-timeout", "60", "--max-examples", "10", "--seed", "7", "--suppress-health-check", "all"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-5000:]
    assert re.search(r"(\d+) selected / \1 total", found.stdout)


def test_it_names_the_models_and_what_they_take(served):
    schemas = served.ask("/openapi.json").json()["components"]["schemas"]
    assert schemas["PredictRequest"]["properties"]["model"]["enum"] == ["digits", "song", "mood", "words", None]
    assert schemas["CompletionRequest"]["properties"]["model"]["enum"] == ["digits", "song"]
    assert "beam" in schemas["PredictRequest"]["properties"]
    assert schemas["PredictRequest"]["additionalProperties"] is False
