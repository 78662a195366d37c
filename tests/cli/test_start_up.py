"""What a command imports: no more than it needs. Seen in the modules of a process of its own, not in its time."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from seqloom.tasks.registry import TASKS
from seqloom.training.run import train
from tests.training.reviews import settings, write_reviews

LISTED = """
import json, sys
from seqloom.cli import main
try:
    main()
except SystemExit as done:
    assert not done.code
finally:
    print(json.dumps(sorted(sys.modules)))
"""


def modules_of(*arguments: str, folder: Path) -> set[str]:
    """All that is imported when a command has run."""
    done = subprocess.run(
        [sys.executable, "-c", LISTED, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        check=True,
        timeout=200,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("name", ["cnn", "gru", "words"])
def test_predicting_imports_one_task_and_one_architecture(name, tmp_path):
    data = write_reviews(tmp_path / "reviews.tsv")
    train(settings(data, "train.steps=6", f"model.name={name}"), tmp_path / "run", quiet=True)
    found = modules_of("predict", "run", "a good film", folder=tmp_path)
    assert {"torch", "seqloom.tasks.classify.task"} <= found
    others = {f"seqloom.tasks.{task}" for task in TASKS if task != "classify"}
    faces = {f"seqloom.{face}" for face in ("explaining", "comparing", "serving", "studio")}
    heavy = {"matplotlib", "optuna", "pandas", "sacrebleu", "sklearn", "sympy", "torch._dynamo"}
    architectures = {"seqloom.models.encoders.mixer", "seqloom.models.seq2seq.decoders.transformer"}
    architectures |= {"seqloom.models.seq2seq", "seqloom.models.picture_encoder"} if name == "words" else set()
    unneeded = found & (others | faces | heavy | architectures)
    assert not unneeded
    assert ("seqloom.models.encoders.cnn" in found) == (name == "cnn")


def test_help_waits_for_neither_torch_nor_numpy(tmp_path):
    assert modules_of("--help", folder=tmp_path).isdisjoint({"torch", "numpy", "pydantic", "seqloom.config"})
