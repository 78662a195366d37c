"""TensorBoard shows what metrics.jsonl says, however often the run was stopped."""

import shutil
import sys
from collections import defaultdict

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from seqloom.errors import SeqloomError
from seqloom.training import checkpoint, tensorboard
from seqloom.training.metrics import read_metrics
from tests.training import toy


def curves(run):
    """Step and value of every point that TensorBoard shows, by curve: read with its own reader."""
    found = EventAccumulator(str(run / tensorboard.FOLDER), size_guidance={"scalars": 0}).Reload()
    return {tag: [(point.step, point.value) for point in found.Scalars(tag)] for tag in found.Tags()["scalars"]}


def wanted(run):
    found = defaultdict(list)
    for line in read_metrics(run):
        for name, value in line.items():
            if name not in ("step", "best"):  # a mark, not a curve
                found[tensorboard.curve_of(name)].append((line["step"], pytest.approx(value, rel=1e-6)))
    return dict(found)


def test_every_figure_has_its_curve_without_repeats_after_a_resume(tmp_path):
    trainer = toy.make(tmp_path, tensorboard=True)
    trainer.train(quiet=True)
    assert curves(tmp_path) == wanted(tmp_path)
    assert set(curves(tmp_path)) == {f"train/{name}" for name in ("loss", "epoch", "rate", "tokens")} | {
        "valid/accuracy"
    }
    for folder in list(checkpoint.folders(tmp_path))[1:]:
        shutil.rmtree(folder)
    (left,) = checkpoint.folders(tmp_path)
    assert left.name < "step-00000040"
    *_, first = sorted((tmp_path / tensorboard.FOLDER).iterdir())
    first.rename(first.with_name("events.out.tfevents.1000000000.host.1.0"))  # as if it had been begun long ago
    toy.go(tmp_path, tensorboard=True, learning_rate=0.5)
    assert read_metrics(tmp_path)[-1]["step"] == 40
    assert curves(tmp_path) == wanted(tmp_path)


def test_without_the_package_the_extra_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("tensorboard", "torch.utils.tensorboard"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(SeqloomError, match=r'needs tensorboard\n    -> pip install "seqloom\[tensorboard\]"'):
        tensorboard.check_tensorboard()
