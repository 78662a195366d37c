"""train.precision = "auto": chosen once, written into the run, kept when it goes on."""

import json

import pytest
import torch

from seqloom.training import run as runs
from seqloom.training.precision import fast_bfloat16
from seqloom.training.run import train
from tests.training.reviews import settings


@pytest.mark.parametrize("faster, chosen", [(True, "bfloat16"), (False, "float32")])
def test_auto_is_what_the_device_is_faster_in(reviews, tmp_path, monkeypatch, faster, chosen):
    monkeypatch.setattr(runs, "fast_bfloat16", lambda device: faster)
    train(
        settings(reviews, "train.steps=2", "train.warmup_steps=0", "train.precision=auto"), tmp_path / "run", quiet=True
    )
    assert json.loads((tmp_path / "run" / "config.json").read_text())["config"]["train"]["precision"] == chosen


def test_a_run_goes_on_with_what_it_was_begun_with(reviews, tmp_path, monkeypatch):
    def trained(name, *parts):
        for steps, faster, processor in parts:
            monkeypatch.setattr(runs, "fast_bfloat16", lambda device, faster=faster: faster)
            monkeypatch.setattr(runs, "processor", lambda processor=processor: processor)
            changes = (f"train.steps={steps}", "train.precision=auto", "train.warmup_steps=0")
            result = train(settings(reviews, *changes), tmp_path / name, resume=True, quiet=True)
        return result, (tmp_path / name / "checkpoints/step-00000004/model.safetensors").read_bytes()

    _, whole = trained("whole", (4, True, "one"))
    result, parts = trained("parts", (2, True, "one"), (4, False, "another"))
    assert parts == whole
    assert any("begun on one, going on with another" in note for note in result.notes)


def test_a_device_without_units_for_it_is_not_faster():
    assert not fast_bfloat16(torch.device("meta"))
