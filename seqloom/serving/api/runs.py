"""What the studio asks of runs: how training went or goes, and that a run save and stop."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from pydantic import BaseModel, Field

from seqloom.errors import SeqloomError
from seqloom.serving.api.common import RequestBody, ServiceDep, error_responses
from seqloom.serving.errors import APIError
from seqloom.serving.service import InferenceService
from seqloom.studio.runs import is_training, run_data
from seqloom.training.live import ask_to_stop

router = APIRouter(prefix="/api/runs", tags=["studio"])


class MetricCurve(BaseModel):
    """A metric over the steps of a run; of a long run, few enough points to be drawn."""

    steps: list[int]
    values: list[float]


class Sample(BaseModel):
    """What a model said at an evaluation."""

    step: int
    text: str


class RunInfo(BaseModel):
    """A run: its learning curves, and where it is."""

    model: str
    """Its name on this server; a checkpoint of it is asked for as NAME@STEP."""
    ready: bool
    """Whether a trained model is there to be asked under this name."""
    task: str
    architecture: str
    status: str
    """running; finished; stopped, it can go on; or waiting, nothing was trained yet."""
    stopping: bool
    """Whether it was asked to stop and has not yet."""
    step: int
    steps: int
    epoch: float
    tokens: int
    tokens_per_second: float | None
    seconds_left: float | None
    parameters: int | None
    best_step: int | None
    checkpoints: list[int]
    """Steps whose weights are kept."""
    curves: dict[str, MetricCurve]
    samples: list[Sample]
    """Not where a key is set: they are of the validation data."""


class RunsResponse(BaseModel):
    """The runs of this server."""

    runs: list[RunInfo]
    may_stop: bool
    """Whether this server stops runs: only on this machine, where there is no key."""


class StopRequest(RequestBody):
    """A run that shall stop."""

    model: str = Field(max_length=200)
    """The run by name."""


class StopResponse(BaseModel):
    """A run that was asked to stop."""

    model: str
    stopping: bool


@router.get("", responses=error_responses())
async def runs(service: ServiceDep) -> RunsResponse:
    """The runs behind all models: learning curves, samples, and how far those are that still train."""
    found = await asyncio.to_thread(lambda: [info(service, name) for name in list(service.model_store.folders)])
    return RunsResponse(runs=found, may_stop=not service.key)


def info(service: InferenceService, name: str) -> RunInfo:
    store = service.model_store
    data = run_data(store.folders[name], samples=not service.key)
    try:  # after its status: a page asks no more once a run has ended, and then its model is there
        ready = name in store.entries or store.find(name) is not None
    except SeqloomError:  # what lies there is no sound model; the other runs are
        ready = False
    return RunInfo(model=name, ready=ready, **data)


@router.post("/stop", responses=error_responses(403, 404, 409))
async def stop(body: StopRequest, service: ServiceDep) -> StopResponse:
    """Ask a run to save a checkpoint and stop after the step that is under way; `seqloom train --resume` goes on."""
    if service.key:
        raise APIError(403, "runs cannot be stopped through a server with a key; stop them on the machine with Ctrl-C")
    folder = service.model_store.folders.get(body.model)
    if folder is None:
        raise APIError(404, f"no run is called {body.model!r:.80}")
    if not is_training(folder):
        raise APIError(409, f"{body.model} is not training")
    await asyncio.to_thread(ask_to_stop, folder)
    return StopResponse(model=body.model, stopping=True)
