"""Runs in folders of somebody else's: whatever lies there, the studio says something and goes on."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import seqloom
from seqloom.errors import SeqloomError
from seqloom.serving.api.runs import RunInfo
from seqloom.storage import write_manifest
from seqloom.studio.runs import MOST_CURVES, is_training, run_data
from seqloom.training import checkpoint, live
from seqloom.training.metrics import MetricsLog, read_metrics
from seqloom.training.run_folder import LOCK
from tests.forked import forked

LIVE = {"step": 7, "steps": 20, "epoch": 0.5, "steps_per_second": 2.0}
NO_NUMBERS: list[Any] = [None, "x", -1, 1e300, 10**400, [], {}]
LINE = {"step": 5, "loss": 2.5, "tokens": 50}


def said(folder: Path) -> dict[str, Any]:
    """What is answered of a run, as a client is sent it; in a process that may neither wait nor fill the memory."""
    work = lambda: RunInfo(model="x", ready=False, **run_data(folder)).model_dump_json().encode().decode()  # noqa: E731
    found = forked(work, seconds=10, more_bytes=1 << 28)
    assert found.kind == "answer", found
    return json.loads(found.text) if len(found.text) < 2_000 else {}


def pipe(file: Path) -> None:
    os.mkfifo(file)


def endless(file: Path) -> None:
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize("replace", [pipe, endless, Path.mkdir])
@pytest.mark.parametrize("name", [live.FILE, LOCK, live.STOP, "metrics.jsonl", "samples.jsonl", "model.safetensors"])
def test_what_is_no_regular_file_is_not_waited_for(name, replace, tmp_path):
    replace(tmp_path / name)
    assert said(tmp_path)["step"] == 0


@pytest.mark.parametrize(
    "text",
    ["", "[1]", "{}", "[" * 100_000, "\xff", json.dumps({**LIVE, "more": " " * 5_000}), json.dumps({"step": 7}),
     *(json.dumps({**LIVE, name: value}) for name in LIVE for value in NO_NUMBERS)],
)  # fmt: skip
def test_a_live_file_that_no_run_writes_is_passed_over(text, tmp_path):
    (tmp_path / live.FILE).write_text(text, encoding="latin-1")
    assert live.read_live(tmp_path) is None
    assert said(tmp_path)["status"] == "waiting"


@pytest.mark.parametrize("process", ["0", "-1", "-9999", "x", "1" * 5_000, "9" * 30, ""])
def test_what_is_no_process_does_not_train(process, tmp_path):
    (tmp_path / LOCK).write_text(process)
    assert not is_training(tmp_path)


ODD: list[Any] = [None, True, "x", [], {}, -1, 10**400, float("inf"), float("nan"), 1e300, "\ud800"]


@pytest.mark.parametrize("name", ["step", "tokens", "epoch", "loss", "best", "\ud800"])
def test_a_line_of_metrics_may_hold_anything(name, tmp_path):
    lines = [json.dumps({**LINE, name: value}) for value in ODD]
    (tmp_path / "metrics.jsonl").write_text("\n".join(["[" * 50_000, *lines, json.dumps(LINE), '{"step": 5, "lo']))
    found = said(tmp_path)
    assert (found["step"], found["curves"]["loss"]["steps"][-1]) == (5, 5)
    assert read_metrics(tmp_path)[-1] == LINE
    assert said(tmp_path)["samples"] == []


def test_a_sample_may_hold_anything(tmp_path):
    lines = [json.dumps({"step": 3, "sample": value}) for value in [*ODD, "good"]]
    (tmp_path / "samples.jsonl").write_text("\n".join(lines) + "\n")
    assert {one["text"] for one in said(tmp_path)["samples"]} == {"x", "good"}


def test_a_million_names_are_not_as_many_curves(tmp_path):
    (tmp_path / "metrics.jsonl").write_text(json.dumps({"step": 1, **{f"m{n}": n for n in range(9_999)}}) + "\n")
    assert len(run_data(tmp_path)["curves"]) == MOST_CURVES


@pytest.mark.parametrize("name", ["step-\u00b2", "step-" + "9" * 200, "step-", "step-x", "step-\u0661" * 8])
def test_what_is_no_number_is_no_step(name, tmp_path):
    (tmp_path / "checkpoints" / name).mkdir(parents=True)
    assert checkpoint.kept_steps(tmp_path) == said(tmp_path)["checkpoints"] == []


@pytest.mark.parametrize(
    "progress",
    [
        None,
        [],
        {"settings": []},
        {"settings": {"steps": "x"}, "step": "x"},
        {"seconds": {}},
        {"seconds": -1, "tokens": "x", "step": 10**400},
    ],
)
def test_a_checkpoint_may_say_anything_of_its_progress(progress, tmp_path):
    folder = tmp_path / "checkpoints" / "step-00000007"
    folder.mkdir(parents=True)
    (folder / "state.json").write_text(json.dumps({"step": 7, "progress": progress}))
    assert said(tmp_path)["step"] == 0


def test_a_wish_to_stop_is_not_written_through_a_link(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / live.STOP).symlink_to(tmp_path / "elsewhere")
    live.ask_to_stop(tmp_path / "run")
    assert not (tmp_path / "elsewhere").exists()
    (tmp_path / "run" / live.STOP).unlink()
    live.ask_to_stop(tmp_path / "run")
    live.ask_to_stop(tmp_path / "run")
    assert (tmp_path / "run" / live.STOP).read_bytes() == b""


def test_metrics_that_are_a_link_are_not_packed(moods, tmp_path):
    """Whoever packs a model of a stranger's must not send a file of their own with it."""
    (tmp_path / "private").write_text('{"step": 1, "valid_secret": 5}\n')
    shutil.copytree(moods.folder, tmp_path / "run")
    (tmp_path / "run" / "metrics.jsonl").unlink()
    (tmp_path / "run" / "metrics.jsonl").symlink_to(tmp_path / "private")
    write_manifest(tmp_path / "run")
    packed = seqloom.load(tmp_path / "run").pack(tmp_path / "model.seqloom")
    assert b"secret" not in packed.read_bytes()


def test_samples_are_not_written_through_a_link(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "samples.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SeqloomError, match="is not a regular file"):
        MetricsLog(tmp_path / "run", 1).sample(1, "said")
    assert not (tmp_path / "elsewhere").exists()


def test_a_damaged_line_does_not_keep_a_run_from_going_on(tmp_path):
    (tmp_path / "metrics.jsonl").write_bytes(b'{"step": 1}\n\0\0\0\n[]\n{"loss": 1}\n{"step": 2}\n{"step": 3}\n')
    MetricsLog(tmp_path, 2).close()
    assert (tmp_path / "metrics.jsonl").read_text() == '{"step": 1}\n{"step": 2}\n'
