"""What the studio says of runs: also of one that is written to, was killed, or has not begun."""

import json
import os

from seqloom.studio import runs
from seqloom.studio.runs import run_data
from seqloom.training.run_folder import LOCK


def test_a_finished_run_has_curves_speed_and_parameters(moods):
    found = run_data(moods.folder)
    assert (found["status"], found["task"], found["architecture"]) == ("finished", "classify", "lstm")
    assert (found["step"], found["steps"], found["checkpoints"]) == (3, 3, [3])
    assert found["curves"]["loss"]["steps"][-1] == 3 and found["tokens_per_second"] > 0
    assert found["parameters"] == sum(weight.numel() for weight in moods.network.parameters())


def test_a_folder_that_is_not_there_yet_is_waited_for(tmp_path):
    found = run_data(tmp_path / "none")
    assert (found["status"], found["curves"], found["step"], found["parameters"]) == ("waiting", {}, 0, None)


def test_a_run_that_trains_is_told_from_one_that_was_killed(tmp_path):
    (tmp_path / "metrics.jsonl").write_text('{"step": 5, "loss": 2.5, "tokens": 50}\n{"step": 10, "lo')
    (tmp_path / LOCK).write_text(f"{os.getpid()}\n")
    (tmp_path / ".live.json").write_text('{"step": 7, "steps": 20, "epoch": 0.5, "steps_per_second": 2.0}')
    found = run_data(tmp_path)
    assert (found["status"], found["step"], found["steps"]) == ("running", 7, 20)
    assert found["curves"] == {"loss": {"steps": [5], "values": [2.5]}}  # not the half line
    assert (found["tokens_per_second"], found["seconds_left"]) == (20.0, 6.5)
    (tmp_path / LOCK).write_text("4194399\n")  # no process has this number
    assert run_data(tmp_path)["status"] == "stopped"


def test_of_many_samples_the_first_and_the_last_are_among_those_shown(tmp_path):
    lines = [json.dumps({"step": step, "sample": f"said {step}"}) for step in range(1, 1001)]
    (tmp_path / "samples.jsonl").write_text("\n".join(["no json", *lines]) + "\n")
    steps = [one["step"] for one in run_data(tmp_path)["samples"]]
    assert (len(steps), steps[0], steps[-1]) == (runs.SAMPLES_SHOWN, 1, 1000)
    assert run_data(tmp_path, samples=False)["samples"] == []
