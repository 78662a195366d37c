"""Translate: from frames of sound or sensors to a text."""

import asyncio
import json

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
import torch

from seqloom.attribution import attribute
from seqloom.data.settings import DataConfig
from seqloom.data.survey.guess_task import guess_task
from seqloom.errors import ConfigError, DataError, SeqloomError
from seqloom.serving.errors import APIError
from seqloom.serving.service import InferenceService
from seqloom.serving.settings import Bounds
from seqloom.tasks.inspection import InspectOptions
from seqloom.tasks.translate.options import TranslateOptions
from seqloom.training import checkpoint
from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.run import train
from tests.once import once
from tests.tasks.signals import settings, signal, signals, train_transcriber, write_signals
from tests.typed import typed


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    return once(tmp_path_factory, "signals", train_transcriber)


@pytest.fixture(scope="module")
def model(trained) -> Model:
    return load(trained / "run")


@pytest.fixture
def frames():
    return signal(["high", "low", "middle"], np.random.default_rng(5))


def test_signals_never_heard_are_written_down(model, tmp_path):
    asked = signals(20, seed=9)
    assert [answer.text for answer in model([frames for frames, _ in asked])] == [text for _, text in asked]
    found = model.evaluate(str(write_signals(tmp_path / "test.jsonl", 30, seed=2)))
    assert found.metrics["exact"] > 0.9
    assert {*model.task.tokenizers} == {"target"} and model.task.facts["longest"] == 3


def test_an_array_an_object_json_and_a_file_are_one_source(model, frames, tmp_path):
    np.save(tmp_path / "one.npy", frames)
    listed = frames.tolist()
    given = [frames, {"frames": listed}, json.dumps({"frames": listed}), json.dumps(listed), str(tmp_path / "one.npy")]
    answers = model(given)
    assert {answer.text for answer in answers} == {"high low middle"}
    assert len({round(answer.score, 4) for answer in answers}) == 1
    assert [answers[0].source, answers[-1].source] == [f"array {frames.shape}", str(tmp_path / "one.npy")]


def test_a_corpus_is_answered_from_its_frames(model, tmp_path):
    records = model.task.open_data(settings(str(write_signals(tmp_path / "a.jsonl", 7, seed=4))))["train"]
    corpus = model.task.corpus(records, tmp_path / "corpora", {})
    found = model.task.answers_in(model.network, corpus, [0, 3], TranslateOptions(beam=2))
    columns = [record.columns["frames"] for record in records]
    expected = model([columns[0], columns[3]], beam=2)
    assert [one.token_scores for one in found] == [pytest.approx(one.token_scores, abs=1e-5) for one in expected]


def test_attention_is_to_frames_and_to_neighbours_together_where_there_are_many(model, frames):
    answer = model(frames)
    weights = answer.weights()
    assert weights.source == tuple(f"frame {number}" for number in range(1, len(frames) + 1))
    assert weights.target == ("high", "low", "middle")
    linked = [int(link.split("-")[0]) for link in sorted(answer.alignment().split(), key=lambda link: link[-1])]
    assert all(0 <= place < len(frames) for place in linked)
    long = model(np.tile(frames, (5, 1)))
    whole, pooled = long.weights(pieces=True), long.weights()
    assert len(pooled.source) == 40 and pooled.source[0].startswith("frame") and len(whole.source) == 5 * len(frames)
    assert pooled.source[-1].endswith(str(5 * len(frames)))
    np.testing.assert_allclose(pooled.mean().sum(1), 1, atol=1e-5)


def test_attribution_and_pages_name_frames(model, frames, tmp_path):
    found = attribute(model.task.probe(model.network, frames), "integrated")
    assert found.inputs[0] == "frame 1" and found.outputs[:3] == ("high", "low", "middle")
    walk = model.explain(frames)
    with torch.no_grad():
        rows = model.task.inputs.tensors([model.task.inputs.read([frames])[0].values], torch.device("cpu"))
        memory = model.network.source(*rows)
    torch.testing.assert_close(walk.parts[0][1].traces[0].results[0], memory.hidden[0], atol=1e-4, rtol=1e-4)
    assert "high low middle" in walk.title
    assert "SourceEncoder" in str(model.summary()) and model.explain().title


def test_a_look_inside_shows_frames(model, frames):
    *_, found = model.task.inspect(model.network, frames, InspectOptions(beam=2))
    assert found.answer.text == "high low middle"
    assert found.rows["source"][0] == "frame 1" and len(found.rows["source"]) == len(frames)


def test_what_reads_frames_is_exported_to_onnx_alone(model, frames, tmp_path):
    with pytest.raises(SeqloomError, match="models that read texts, and this one reads frames"):
        model.export(tmp_path / "no", "ctranslate2")
    engine = load(model.export(tmp_path / "fast", "onnx"))
    assert [str(one) for one in engine([frames, frames[:7]], beam=3)] == [
        str(one) for one in model([frames, frames[:7]], beam=3)
    ]


def test_a_run_that_was_stopped_ends_with_the_same_bits(trained, tmp_path):
    data, changes = str(trained / "signals.jsonl"), ["train.checkpoint_every=3", "translate.stack_frames=3"]
    train(settings(data, *changes, steps=6), tmp_path / "whole", quiet=True)
    train(settings(data, *changes, steps=3), tmp_path / "parts", quiet=True)
    train(settings(data, *changes, steps=6), tmp_path / "parts", resume=True, quiet=True)
    whole, parts = (checkpoint.newest(tmp_path / name)[0] for name in ("whole", "parts"))
    assert whole is not None and parts is not None and whole.step == parts.step == 6
    assert all(torch.equal(whole.weights[name], parts.weights[name]) for name in whole.weights)
    answer = load(tmp_path / "whole")(np.ones((7, 2), np.float32))
    assert answer.attention is None or answer.attention.source == ("frames 1-3", "frames 4-6", "frames 7-9")


def test_parallel_files_and_parquet_are_read_too(tmp_path):
    same = [frames[:5] for frames, _ in signals(60) if len(frames) >= 5]
    texts = ["low"] * len(same)
    np.save(tmp_path / "a.npy", np.stack(same))
    (tmp_path / "a.txt").write_text("low\n" * len(same))
    files = {"frames": str(tmp_path / "a.npy"), "target": str(tmp_path / "a.txt")}
    assert train(settings(files), tmp_path / "npy", quiet=True).step == 3
    table = pa.table({"frames": [one.tolist() for one in same], "target": texts})
    pq.write_table(table, tmp_path / "a.parquet")
    assert train(settings(str(tmp_path / "a.parquet")), tmp_path / "parquet", quiet=True).step == 3
    assert load(tmp_path / "npy").task.facts == load(tmp_path / "parquet").task.facts
    (tmp_path / "a.txt").write_text("low\n")
    with pytest.raises(DataError, match=rf"unequal files: .*a.npy has {len(same)} sequences, .*a.txt has 1 lines"):
        train(settings(files), tmp_path / "unequal", quiet=True)


def test_the_task_is_known_by_its_columns(trained):
    assert guess_task(DataConfig(train=str(trained / "signals.jsonl")))[0] == "translate"


def test_what_does_not_go_with_frames_says_why(model, trained, frames, tmp_path):
    data = str(trained / "signals.jsonl")
    with pytest.raises(ConfigError, match=r"model.tied: frames have no embeddings(.|\n)*choose \"target\""):
        train(settings(data, "model.tied=all"), tmp_path / "tied", quiet=True)
    with pytest.raises(ConfigError, match=r"model.copying: frames contain no tokens to copy"):
        train(settings(data, "model.copying=true"), tmp_path / "copying", quiet=True)
    with pytest.raises(ConfigError, match="task_tag: this model was trained for one task alone"):
        model(frames, task_tag="<2words>")
    sets = f'data.sets=[{{tag="<2words>",train="{data}"}}]'
    with pytest.raises(DataError, match="frames have no text that a tag could stand before"):
        train(settings("", sets), tmp_path / "tagged", quiet=True)
    with pytest.raises(ConfigError, match="copy_unknown: frames contain no tokens"):
        model(frames, copy_unknown=True)
    with pytest.raises(DataError, match="frames of 3 numbers, and those of training have 2"):
        model(np.zeros((4, 3), np.float32))
    with pytest.raises(DataError, match="not JSON"):
        model("[[1, 2")
    assert not any((tmp_path / name).exists() for name in ("tied", "tagged"))


def test_commands_read_files_of_frames(trained, frames, tmp_path):
    np.save(tmp_path / "one.npy", frames)
    done = typed("predict", str(trained / "run"), "one.npy", "--json", "--attention", "seen.html", folder=tmp_path)
    assert json.loads(done.stdout)["text"] == "high low middle", done.stderr
    assert "frame 1" in (tmp_path / "seen.html").read_text()
    missing = typed("predict", str(trained / "run"), "none.npy", folder=tmp_path)
    assert missing.returncode != 0 and "there is no such file" in missing.stderr


def test_a_server_takes_frames_and_never_a_file(trained, frames, tmp_path):
    np.save(tmp_path / "one.npy", frames)
    service = InferenceService([str(trained / "run")], Bounds())

    async def accepted(given):
        return service.parse_inputs(await service.load_model(service.entry(None)), [given])

    try:
        entry = service.entry(None)
        assert not entry.translates and not entry.generates_text, "texts are for other APIs"
        (request,) = asyncio.run(accepted({"frames": frames.tolist()}))
        assert load(trained / "run")(request.input if hasattr(request, "input") else request).text == "high low middle"
        refused: list[object] = [str(tmp_path / "one.npy"), {"frames": str(tmp_path / "one.npy")}, 3, {"frames": []}]
        for given in refused:
            with pytest.raises(APIError) as caught:
                asyncio.run(accepted(given))
            assert caught.value.status == 422
    finally:
        service.close()
