"""A tagger with a conditional random field in ONNX: logits from the graph, paths through the transitions beside it."""

import json

import pytest
import torch

from seqloom.engines.settings import CRF
from seqloom.errors import DamagedError
from seqloom.storage import read_tensors, write_manifest, write_tensors
from seqloom.training.loading import load
from seqloom.training.run import train
from tests.tasks.test_tag_crf import settings

SENTENCES = ["in Ada Bo now", "", "with Cy", "by Dee then in Bo now then by Ada", "then then"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("crf")
    train(settings(place, "train.steps=25", "train.learning_rate=0.02"), place / "run", quiet=True)
    load(place / "run").export(place / "fast", "onnx")
    return place


def test_the_tags_are_those_of_torch(place):
    model, engine = load(place / "run"), load(place / "fast")
    for ours, theirs in zip(model(SENTENCES), engine(SENTENCES), strict=True):
        assert theirs.tags == ours.tags
        assert theirs.scores == pytest.approx(ours.scores, abs=1e-5)
    data = str(place / "names.conll")
    assert engine.evaluate(data).metrics["f1"] == model.evaluate(data).metrics["f1"]


def test_transitions_decide(place):
    """Those of the folder, not those that a new model has: without them the tags are others."""
    scores = read_tensors(place / "fast" / CRF)["scores"]
    engine = load(place / "fast")
    assert torch.equal(engine.network.get_parameter("crf.scores"), scores) and scores.abs().max() > 0


@pytest.mark.parametrize("change", ["missing", "another size", "not a number", "more than one"])
def test_transitions_that_do_not_fit_are_refused(place, tmp_path, change):
    model = load(place / "run")
    folder = model.export(tmp_path / "forged", "onnx")
    scores = read_tensors(folder / CRF)["scores"]
    if change == "missing":
        facts = json.loads((folder / "engine.json").read_text())
        (folder / "engine.json").write_text(json.dumps({**facts, "files": ["model.onnx"]}))
    elif change == "another size":
        write_tensors(folder / CRF, {"scores": scores[1:, 1:].contiguous()})
    elif change == "not a number":
        write_tensors(folder / CRF, {"scores": scores * float("nan")})
    else:
        write_tensors(folder / CRF, {"scores": scores, "other": scores.clone()})
    write_manifest(folder)
    with pytest.raises(DamagedError, match="no transitions between"):
        load(folder)
