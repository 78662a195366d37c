"""ONNX Runtime gives the answers that torch gives."""

import pytest
import torch

from seqloom.engines.network import EngineLogits
from seqloom.engines.onnx_logits_export import batch, export_logits
from seqloom.engines.settings import EngineMetadata
from seqloom.errors import SeqloomError
from seqloom.storage import new_folder, open_files
from seqloom.training.catalogue import untrained
from seqloom.training.loading import load

TEXTS = {
    "mood": ["a fine film", "poor", "", "a great film , a fine one and a poor one too"],
    "words": ["the dog", "a", "the big dog sees the cat"],
}


@pytest.mark.parametrize("name", TEXTS)
def test_answers_are_those_of_torch(models, tmp_path, name):
    model = load(models / name)
    engine = load(model.export(tmp_path / name, "onnx"))
    for ours, theirs in zip(model(TEXTS[name]), engine(TEXTS[name]), strict=True):
        assert str(theirs) == str(ours)
        assert near(theirs.json(), ours.json())


def near(one, other) -> bool:
    """Whether two objects are the same but for the last digits of their numbers."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(near(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(near, one, other))
    return one == pytest.approx(other, abs=1e-5) if isinstance(one, float) else one == other


def test_metrics_are_those_of_torch(models, tmp_path):
    model = load(models / "mood")
    engine = load(model.export(tmp_path / "mood", "onnx"))
    rows = [{"text": text, "label": "good"} for text in TEXTS["mood"] if text]
    assert engine.evaluate(rows).metrics == pytest.approx(model.evaluate(rows).metrics, abs=1e-5)


SMALL = ["model.embedding=6", "model.widths=[5]"]


@pytest.mark.parametrize("int8", [False, True])
@pytest.mark.parametrize(
    "task, name, changes",
    [
        ("classify", "cnn", SMALL),
        ("classify", "transformer", ["model.embedding=8", "model.widths=[8]", "model.heads=2", "model.hidden=9"]),
        ("classify", "rnn", [*SMALL, "model.bidirectional=true"]),
        ("tag", "lstm", SMALL),
    ],
)
def test_graphs_compute_what_modules_do_for_any_length(tmp_path, task, name, changes, int8):
    torch.manual_seed(3)
    _, _, network = untrained(name, task, changes, 30)
    with new_folder(tmp_path / "out") as part:
        export_logits(network, part, 40, int8=int8)
    facts = EngineMetadata(engine="onnx", task=task, files=["model.onnx"])
    engine = EngineLogits(open_files(tmp_path / "out"), facts, 1, outputs=2)
    for sizes in ((4, 13, 2), (1, 2, 1)):
        inputs = batch(network, sizes)
        with torch.no_grad():
            torch.testing.assert_close(engine(*inputs), network(*inputs), atol=0.1 if int8 else 1e-5, rtol=0)


def test_cells_that_loop_in_python_are_loops_of_the_graph(tmp_path):
    torch.manual_seed(3)
    _, _, network = untrained("linear-rnn", "classify", SMALL, 30)
    with new_folder(tmp_path / "out") as part:
        export_logits(network, part, 40, int8=False)
    engine = EngineLogits(
        open_files(tmp_path / "out"), EngineMetadata(engine="onnx", task="classify", files=["x"]), 1, 2
    )
    inputs = batch(network, (4, 23, 2))
    with torch.no_grad():
        torch.testing.assert_close(engine(*inputs), network(*inputs), atol=1e-5, rtol=0)


def test_texts_may_be_as_long_as_the_model_reads(tmp_path):
    _, _, network = untrained("transformer", "tag", ["model.embedding=8", "model.widths=[8]", "model.heads=2"], 30)
    with new_folder(tmp_path / "out") as part:
        export_logits(network, part, 256, int8=False)
    facts = EngineMetadata(engine="onnx", task="tag", files=["model.onnx"])
    engine = EngineLogits(open_files(tmp_path / "out"), facts, 1, outputs=2)
    inputs = batch(network, (2, 256, 2))
    with torch.no_grad():
        torch.testing.assert_close(engine(*inputs), network(*inputs), atol=1e-4, rtol=0)


def test_what_cannot_be_written_is_refused(models, tmp_path):
    with pytest.raises(SeqloomError, match="no engine is called 'onyx'\n    -> did you mean onnx"):
        load(models / "mood").export(tmp_path / "mood", "onyx")
    assert not list(tmp_path.iterdir())


def test_an_exported_model_gives_answers_alone(models, tmp_path):
    engine = load(load(models / "mood").export(tmp_path / "mood", "onnx"))
    for ask in (lambda: engine.export(tmp_path / "again", "onnx"), lambda: engine.save(tmp_path / "again"),
                lambda: engine.vectors(["a film"])):  # fmt: skip
        with pytest.raises(SeqloomError, match="exported already"):
            ask()
    assert not (tmp_path / "again").exists()
