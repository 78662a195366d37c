"""The seconds of a run, however often it was stopped."""

import json

from torch import nn

from seqloom.comparing.clock import Clock, read_times, seconds_at, seconds_per_step
from seqloom.training.callbacks import TrainingState


def state(step, run):
    return TrainingState(step, 100, 0.0, nn.Identity(), run)


def test_a_run_that_goes_on_goes_on_counting_from_its_checkpoint(tmp_path):
    now = [5.0]
    file = tmp_path / "times" / "lstm.jsonl"
    first = Clock(file, lambda: now[0])
    for step in range(1, 31):
        first.on_step(state(step, tmp_path))
        now[0] += 2
    now[0] = 1000.0  # another process, hours later; it begins again from step 20
    second = Clock(file, lambda: now[0])
    for step in range(21, 41):
        second.on_step(state(step, tmp_path))
        now[0] += 2
    times = read_times(file)
    assert [line["step"] for line in times] == [1, 10, 20, 30, 40]
    assert times[2]["seconds"] == 38.0
    assert times[3]["seconds"] == 38.0 + 18.0
    assert seconds_per_step(times) == 2.0
    assert seconds_at(times, 15) == 28.0
    assert seconds_at(times, 99) is None


def test_a_line_that_was_cut_off_is_no_line(tmp_path):
    file = tmp_path / "times.jsonl"
    file.write_text(json.dumps({"step": 1, "seconds": 0.0}) + '\n{"step": 2, "sec')
    assert [line["step"] for line in read_times(file)] == [1]
    assert read_times(tmp_path / "none.jsonl") == []
    assert seconds_per_step([]) is None
