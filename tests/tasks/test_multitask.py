"""One encoder with a head that classifies and a head that tags."""

import json
import shutil
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

import seqloom
from seqloom.cli import app
from seqloom.errors import ConfigError, DataError
from seqloom.models.weights import weights_of
from seqloom.training.metrics import read_metrics
from seqloom.training.run_config import load_run
from tests.tasks.tagged import write_tagged
from tests.training.reviews import write_reviews


def settings(folder, *, steps=90, **changes: Any) -> dict[str, Any]:
    sets = [
        {"tag": "mood", "task": "classify", "train": str(folder / "reviews.tsv")},
        {"tag": "pos", "task": "tag", "train": str(folder / "words.conll")},
    ]
    train = {"choose": False, "steps": steps, "batch_tokens": 400, "learning_rate": 0.01, "evaluate_every": 45,
             "checkpoint_every": 30, "warmup_steps": min(5, steps // 2)}  # fmt: skip
    model = {"name": "lstm", "embedding": 12, "widths": [9], "bidirectional": True, "length": 32}
    return {"task": "multitask", "data": {"sets": sets}, "model": model, "train": train, **changes}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("multitask")
    write_reviews(folder / "reviews.tsv")
    write_tagged(folder / "words.conll")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEQLOOM_CACHE", str(folder / "cache"))
        seqloom.train(settings(folder), out=folder / "run", quiet=True)
    return folder


@pytest.fixture
def model(place):
    return seqloom.load(place / "run")


def test_each_head_answers_what_its_tag_says(model):
    moods = model(["a lovely film", "a very dull story"], task_tag="mood")
    assert [one.label for one in moods] == ["pos", "neg"]
    assert model("pos the can", task_tag="").tags[0] == "DET"
    mixed = model(["mood a lovely film", "pos the can", "mood a dull film"])
    assert len(mixed[1].tags) == 2
    for answer, text in ((mixed[0], "a lovely film"), (mixed[2], "a dull film")):
        assert str(answer) == str(model(text, task_tag="mood"))


def test_one_task_can_be_measured_alone(model):
    both, alone = model.evaluate(), model.evaluate(task_tag="mood")
    assert alone.metrics["accuracy"] == both.metrics["mood_accuracy"]
    assert alone.details["confusion"]
    with pytest.raises(ConfigError, match="'mod' is not a task of this model"):
        model.evaluate(task_tag="mod")


def test_both_heads_stand_on_the_same_weights(model):
    mood, pos = model.network.head("mood"), model.network.head("pos")
    assert mood.encoder is pos.encoder
    assert mood.embedding is pos.embedding
    names = list(weights_of(model.network))
    assert sum(name.startswith("encoder.") for name in names) == len(weights_of(mood.encoder))
    assert {name.split(".")[0] for name in names} == {"embedding", "encoder", "heads"}
    assert len(names) == len(set(names))


def test_the_gradient_of_a_step_is_that_of_the_mean_of_both_losses(model, place):
    task, network = model.task, model.network
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEQLOOM_CACHE", str(place / "cache"))
        trainable = trainable_of(task, model, place)
    batch = next(iter(trainable.stream))
    network.eval()
    loss = trainable.loss(network, batch)
    alone = [trainable.tasks[tag].loss(network.head(tag), one) for tag, one in batch.items()]
    mean = sum(one.total / one.count for one in alone) / 2
    torch.testing.assert_close(loss.total / loss.count, mean)
    (both,) = torch.autograd.grad(loss.total / loss.count, [network.embedding.table.E])
    parts = [torch.autograd.grad(one.total / one.count, [network.embedding.table.E])[0] / 2 for one in alone]
    torch.testing.assert_close(both, parts[0] + parts[1])
    halves = trainable.split(batch, 2)
    assert sum(map(trainable.size, halves)) == trainable.size(batch)
    assert trainable.token_count(trainable.repeated(batch)) == 2 * trainable.token_count(batch)


def trainable_of(task, model, place):
    from seqloom.tasks.trainable import Plan

    parts = task.open_data(model.config)
    corpora = {name: task.corpus(records, place / "cache", {"part": name}) for name, records in parts.items()}
    return task.trainable(corpora["train"], corpora["valid"], Plan(200, 1, 0.0, torch.device("cpu")))


def test_metrics_and_baselines_are_told_by_tag(model, place):
    found = model.evaluate()
    assert {"mood_accuracy", "pos_accuracy"} <= found.metrics.keys()
    assert found.metrics["mood_accuracy"] > 0.9
    assert found.metrics["pos_accuracy"] > 0.6
    assert {score.name.split(":")[0] for score in model.measured_baselines()} == {"mood", "pos"}
    with pytest.raises(DataError, match="does not say for which it is"):
        model.evaluate(str(place / "reviews.tsv"))


def test_a_run_that_goes_on_ends_with_the_same_bits(place, tmp_path, monkeypatch):
    monkeypatch.setenv("SEQLOOM_CACHE", str(place / "cache"))
    shutil.copytree(place / "run", tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "checkpoints" / "step-00000090")
    done = CliRunner().invoke(app, ["train", "--resume", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    assert read_metrics(tmp_path / "run") == read_metrics(place / "run")


def test_it_is_explained_attributed_and_has_vectors(model):
    assert "can" in model.explain("pos the can").title
    assert model.explain("mood a lovely film").title != model.explain("pos a lovely film").title
    assert model.attribute("mood a lovely film").outputs
    assert model.vectors(["mood a film", "pos a film", "a film"]).shape == (3, 18)
    assert model.summary().parameters > 0


def test_what_it_cannot_do_is_said(model, place):
    with pytest.raises(ConfigError, match=r"(?s)this model has several tasks.*mood, pos"):
        model("a lovely film")
    with pytest.raises(ConfigError, match="'tone' is not a task"):
        model("a film", task_tag="tone")
    one = settings(place)
    one["data"]["sets"] = one["data"]["sets"][:1]
    with pytest.raises(ConfigError, match="needs at least two tasks"):
        seqloom.train(one, out=place / "one")
    letters = settings(place)
    letters["data"]["sets"][1]["settings"] = {"characters": 8}
    with pytest.raises(ConfigError, match="would read characters beside the text"):
        seqloom.train(letters, out=place / "letters", quiet=True)
    wrong = settings(place)
    wrong["data"]["sets"][1]["settings"] = {"hed": "crf"}
    with pytest.raises(ConfigError, match=r"data.sets: pos"):
        seqloom.train(wrong, out=place / "wrong", quiet=True)
    with pytest.raises(ConfigError, match="logistic cannot tag"):
        seqloom.train(settings(place, model={"name": "logistic"}), out=place / "logistic", quiet=True)


def test_an_encoder_that_was_trained_alone_begins_it(place, tmp_path, monkeypatch):
    monkeypatch.setenv("SEQLOOM_CACHE", str(place / "cache"))
    both = settings(place, steps=2, start={"model": str(place / "run"), "keep": "encoder"})
    model = seqloom.train(both, out=tmp_path / "again", quiet=True)
    assert model.task.tokenizers["text"] == seqloom.load(place / "run").task.tokenizers["text"]
    alone = ["train.steps=2", "train.warmup_steps=0", "model.embedding=12", "model.widths=[9]", "train.choose=false",
             "model.bidirectional=true", f"start.model={place / 'run'}"]  # fmt: skip
    config = load_run(None, alone, task="classify", data__train=str(place / "reviews.tsv"), model__name="lstm")
    seqloom.training.run.train(config, tmp_path / "alone", quiet=True)
    taken = seqloom.storage.read_tensors(tmp_path / "alone" / "setup" / "start.safetensors")
    assert {name.split(".")[0] for name in taken} == {"embedding", "encoder"}


def test_the_command_line_and_a_crf_head(place, tmp_path, monkeypatch):
    monkeypatch.setenv("SEQLOOM_CACHE", str(place / "cache"))
    with_crf = settings(place, steps=3)
    with_crf["data"]["sets"][1]["settings"] = {"head": "crf"}
    seqloom.train(with_crf, out=tmp_path / "crf", quiet=True)
    done = CliRunner().invoke(app, ["predict", str(tmp_path / "crf"), "the can", "--task-tag", "pos", "--json"])
    assert done.exit_code == 0, done.output
    assert len(json.loads(done.stdout)["tags"]) == 2
