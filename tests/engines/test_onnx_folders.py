"""Folders that were exported to ONNX: the answers of torch without torch, measured and served as any model."""

import json
import subprocess
import sys
from random import Random

import pytest

from seqloom.engines.exported import open_alone
from seqloom.errors import SeqloomError
from seqloom.training.loading import load
from tests.once import once
from tests.serving.conftest import Running
from tests.tasks.drawings import draw, train_captioner

NUMBERS = ["1 2 3", "", "4", "7 7 7 7 7"]


@pytest.fixture(scope="module")
def captioner(tmp_path_factory):
    return once(tmp_path_factory, "drawings", train_captioner) / "run"


@pytest.fixture(scope="module")
def folders(models, captioner, tmp_path_factory):
    """Exported folders by name."""
    place = tmp_path_factory.mktemp("onnx")
    trained = {"digits": models / "digits", "song": models / "song", "captions": captioner}
    return {name: load(folder).export(place / name, "onnx") for name, folder in trained.items()}


def without_torch(*arguments):
    """What a command prints, and whether torch was imported by it."""
    script = "import sys; from seqloom.cli import main\ntry: main()\nfinally: print('torch' in sys.modules)"
    command = [sys.executable, "-c", script, *map(str, arguments)]
    *lines, imported = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert imported == "False"
    return lines


@pytest.mark.parametrize("options", [{"beam": 1}, {"beam": 4, "n_best": 2}, {"temperature": 0.9, "seed": 3}], ids=str)
def test_a_translator_without_torch(folders, models, options):
    model, engine = load(models / "digits"), open_alone(folders["digits"])
    for ours, theirs in zip(model(NUMBERS, attention=False, **options), engine(NUMBERS, **options), strict=True):
        assert (theirs.text, [str(one) for one in theirs.alternatives]) == (
            ours.text,
            [str(one) for one in ours.alternatives],
        )
        assert theirs.token_scores == pytest.approx(ours.token_scores, abs=2e-4)


def test_predict_needs_no_torch(folders, models, captioner, tmp_path):
    (line,) = without_torch("predict", folders["digits"], "1 2 3", "--json", "--engine", "onnx")
    assert json.loads(line)["text"] == str(load(models / "digits")("1 2 3"))
    lines = without_torch("predict", folders["song"], "row", "--length", "30", "--seed", "5")
    assert "\n".join(lines) == str(load(models / "song")("row", length=30, seed=5))
    draw("a blue square below right", Random(3)).save(tmp_path / "one.png")
    assert without_torch("predict", folders["captions"], tmp_path / "one.png") == ["a blue square below right"]


def test_a_language_model_streams_chunks_as_torch_does(folders, models):
    chunks = [["row", "row"], ["", "the boat\nrow"]]
    options = {"length": 12, "temperature": 1.0, "lines": 2}
    ours = list(load(models / "song").stream(chunks, **options))
    assert [str(one) for one in open_alone(folders["song"]).stream(chunks, **options)] == [str(one) for one in ours]


def test_measured_as_any_model(folders, models, captioner):
    song, engine = load(models / "song"), load(folders["song"])
    rows = [{"text": "row row row your boat"}, {"text": "gently"}]
    assert engine.evaluate(rows).metrics == pytest.approx(song.evaluate(rows).metrics, abs=1e-4)
    table = str(captioner.parent / "table.tsv")
    found, expected = load(folders["captions"]).evaluate(table).metrics, load(captioner).evaluate(table).metrics
    assert found == {name: pytest.approx(expected[name]) for name in found} and "exact" in found
    with pytest.raises(SeqloomError, match="exported already"):
        engine.vectors(["row"])


def test_served_as_any_model(folders, models):
    server = Running([str(folders["digits"]), str(folders["song"])], "--quiet")
    try:
        asked = {"model": "digits", "texts": NUMBERS, "beam": 3}
        answers = server.ask("/api/predict", asked).json()["answers"]
        assert [one["text"] for one in answers] == [str(one) for one in load(models / "digits")(NUMBERS, beam=3)]
        asked = {"model": "song", "text": "row", "length": 9, "temperature": 0}
        (answer,) = server.ask("/api/predict", asked).json()["answers"]
        assert answer["text"] == str(load(models / "song")("row", length=9, temperature=0))
        refused = server.ask("/api/predict", {"model": "digits", "text": "1", "likeliest": 2})
        assert refused.status == 422 and "onnx" in refused.body.decode()
    finally:
        server.stop()
