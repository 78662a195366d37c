"""Pictures over HTTP: sent as base64, bounded before they are decoded, never taken as the name of a file."""

import asyncio
import io
from base64 import b64encode
from pathlib import Path
from random import Random
from typing import Any

import pytest

from seqloom.explaining.trained import explain_model
from seqloom.serving.errors import APIError
from seqloom.serving.service import InferenceService
from seqloom.serving.settings import Bounds
from seqloom.training.loading import load
from tests.data.pictures.test_decoding import bomb
from tests.once import once
from tests.serving.conftest import Running
from tests.tasks.drawings import draw, train_captioner

ASKED = "a green square below left"


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    return once(tmp_path_factory, "drawings", train_captioner) / "run"


@pytest.fixture(scope="module")
def sent() -> str:
    stream = io.BytesIO()
    draw(ASKED, Random(2)).save(stream, "PNG")
    return b64encode(stream.getvalue()).decode()


def parsed(run: Path, given: Any, **bounds: int) -> list[Any]:
    service = InferenceService([str(run)], Bounds(**bounds))
    try:
        return asyncio.run(accepted(service, given))
    finally:
        service.close()


async def accepted(service: InferenceService, given: Any) -> list[Any]:
    return service.parse_inputs(await service.load_model(service.entry(None)), [given])


def test_a_picture_in_base64_is_described(run, sent):
    model = load(run)
    for given in (sent, {"image": sent}, f"data:image/png;base64,{sent}"):
        assert model(parsed(run, given)[0]).text == ASKED
    assert ASKED in explain_model(model, {"image": sent}).title


def test_the_studio_looks_at_a_model_while_it_describes_one(run, sent):
    """What was read is told as it was sent: the picture itself is nothing that JSON has."""
    running = Running([str(run)])
    try:
        for path in ("/api/inspect", "/api/attribute"):
            reply = running.ask(path, {"text": {"image": sent}})
            assert (reply.status, reply.json().get("input")) == (200, {"image": sent}), reply.body[:300]
    finally:
        assert running.stop()[0] == 0


def test_the_name_of_a_file_is_no_picture(run):
    there = next(run.parent.glob("drawn/*.png"))
    for name in (str(there), {"image": str(there)}, "/etc/passwd", "file:///etc/passwd", {"image": ["a"]}, 3, {}):
        with pytest.raises(APIError) as caught:
            parsed(run, name)
        assert caught.value.status == 422


@pytest.mark.parametrize(
    "content, status, bound",
    [
        (bomb(5_000, 4_000), 413, "picture_pixels"),
        (bomb(60_000, 60_000), 422, ""),
        (b"\x89PNG" + bytes(3_000), 413, "picture_bytes"),
        (b"no picture at all", 422, ""),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_decoded(run, content, status, bound):
    with pytest.raises(APIError) as caught:
        parsed(run, {"image": b64encode(content).decode()}, picture_bytes=2_000)
    assert (caught.value.status, caught.value.bound) == (status, bound)
