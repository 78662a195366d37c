"""An exported folder whose maker has changed what is in it and computed the manifest anew."""

import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import seqloom
from seqloom.engines.exported import open_alone
from seqloom.errors import SeqloomError
from seqloom.storage import write_manifest
from seqloom.training.loading import load, load_to_explain
from tests.forked import forked


@pytest.fixture
def forged(exported: Path, tmp_path: Path) -> Callable[..., Path]:
    """A copy of an exported model with another JSON file in it."""

    def forge(change: Callable[[Any], Any], file: str = "engine.json", of: Path = exported) -> Path:
        folder = tmp_path / "forged"
        shutil.copytree(of, folder)
        data = json.loads((folder / file).read_text())
        (folder / file).write_text(json.dumps(change(data)))
        write_manifest(folder)
        return folder

    return forge


def ask(opened: Callable[[Path], Any], folder: Path) -> str:
    return str(opened(folder)("1 2"))


@pytest.fixture(scope="session")
def moods(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return load(models / "mood").export(tmp_path_factory.mktemp("engines") / "mood", "onnx")


@pytest.mark.parametrize(
    "change",
    [
        {"engine": "onnx"},
        {"task": "classify"},
        {"files": ["model.bin"]},
        {"files": ["ctranslate2.json", "model.bin"]},
        {"files": ["ctranslate2.json", "model.bin", "shared_vocabulary.json", "config.json"]},
        {"files": ["ctranslate2.json", "model.bin", "../../etc/passwd"]},
        {"files": ["ctranslate2.json", "model.bin", "not-in-the-manifest"]},
        {"files": []},
        {"length": 10**12},
        {"limit": 10**12},
        {"length": None},
    ],
    ids=str,
)
def test_an_engine_that_does_not_fit_its_folder(change, forged):
    folder = forged(lambda facts: {**facts, **change})
    (folder / "not-in-the-manifest").write_text("[]")
    ways: list[Callable[[Path], Any]] = [load] if "task" in change else [load, open_alone]  # which is for translators
    for opened in ways:
        found = forked(partial(ask, opened, folder))
        assert found.kind == "error", found


@pytest.mark.parametrize(
    "file, change",
    [
        ("shared_vocabulary.json", lambda tokens: [*tokens[:-1], "other"]),
        ("shared_vocabulary.json", lambda tokens: {}),
        ("ctranslate2.json", lambda settings: {**settings, "unk_token": []}),
        ("ctranslate2.json", lambda settings: [settings]),
    ],
)
def test_files_of_ctranslate2_that_do_not_fit(file, change, forged):
    folder = forged(change, file)
    for opened in (load, open_alone):
        found = forked(partial(ask, opened, folder))
        assert found.kind == "error", found
        assert "cannot be used" in found.text and "\n" not in found.text.partition("\n    ->")[0]


@pytest.mark.parametrize("place", [0, 6, 40, 3_000])
def test_weights_of_ctranslate2_that_are_none(place, exported, tmp_path):
    folder = tmp_path / "forged"
    shutil.copytree(exported, folder)
    data = bytearray((folder / "model.bin").read_bytes())
    (folder / "model.bin").write_bytes(data[:place] + b"\xff" * 8 + data[place + 30 :])
    write_manifest(folder)
    found = forked(lambda: open_alone(folder)("1 2"))
    assert found.kind == "error", found


# --- graphs -------------------------------------------------------------------------------------------


def graph_of(node: Any, inputs: list[str], initializers: list[Any], shape: list[Any] | None) -> bytes:
    """A graph of one node in the place of a classifier's."""
    given = [helper.make_tensor_value_info(name, TensorProto.INT64, None) for name in inputs]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)
    graph = helper.make_graph([node], "hostile", given, [logits], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    return bytes(model.SerializeToString())


def elsewhere(location: str) -> TensorProto:
    """Weights that stand in another file."""
    tensor = TensorProto(name="W", data_type=TensorProto.FLOAT, dims=[1, 2], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", "0"), ("length", "8")):
        tensor.external_data.add(key=key, value=value)
    return tensor


def with_graph(of: Path, folder: Path, graph: bytes) -> Path:
    shutil.copytree(of, folder)
    (folder / "model.onnx").write_bytes(graph)
    write_manifest(folder)
    return folder


@pytest.mark.parametrize("location", ["private.bin", "../private.bin", "/etc/passwd", "pipe"])
def test_a_graph_reads_no_other_file(location, moods, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.array([[0.5, 9.0]], np.float32).tofile("private.bin")
    os.mkfifo("pipe")
    node = helper.make_node("Identity", ["W"], ["logits"])
    folder = with_graph(moods, tmp_path / "forged", graph_of(node, ["input_0"], [elsewhere(location)], [1, 2]))
    found = forked(lambda: load(folder)("a fine film"))
    assert found.kind == "error" and "its graph names other files" in found.text, found


@pytest.mark.parametrize(
    "inputs, values",
    [
        (["input_0"], [[1.0, 2.0, 3.0]]),
        (["input_0"], [[1.0]]),
        (["input_0"], [1.0, 2.0]),
        (["input_0"], [[float("nan"), 2.0]]),
        (["unknown"], [[1.0, 2.0]]),
    ],
    ids=str,
)
def test_a_graph_that_gives_other_logits_is_refused(inputs, values, moods, tmp_path):
    constant = onnx.numpy_helper.from_array(np.array(values, np.float32), "W")
    node = helper.make_node("Identity", ["W"], ["logits"])
    folder = with_graph(moods, tmp_path / "forged", graph_of(node, inputs, [constant], None))
    found = forked(lambda: load(folder)("a fine film"))
    assert found.kind == "error" and "its graph" in found.text, found


def test_a_graph_is_no_engine_of_another_task(moods, models, tmp_path):
    folder = tmp_path / "forged"
    shutil.copytree(models / "song", folder, ignore=shutil.ignore_patterns("checkpoints", "setup"))
    for name in ("engine.json", "model.onnx"):
        shutil.copy(moods / name, folder / name)
    write_manifest(folder)
    with pytest.raises(SeqloomError, match="its engine is onnx for classify, and its settings are for generate"):
        load(folder)


# --- the folder that it was made from ---------------------------------------------------------------------


def test_the_folder_that_a_stranger_names_is_not_opened(forged, models):
    """An explanation of it could be sent on, with numbers of a model that nobody meant to show."""
    folder = forged(lambda facts: {**facts, "made_from": str(models / "mood")})
    with pytest.raises(SeqloomError, match="by somebody else, and the folder that it names is not opened"):
        load_to_explain(folder)
    with pytest.raises(SeqloomError, match="not opened"):
        seqloom.explain(str(folder), "1 2")


def test_ones_own_is(exported):
    assert load_to_explain(exported)("1 2").text
