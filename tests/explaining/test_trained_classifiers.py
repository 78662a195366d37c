"""Classifiers of every kind opened: the last value is what the model itself says."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.testing import assert_close
from typer.testing import CliRunner

from seqloom.cli import app
from seqloom.cli.explain_view import most_probable
from seqloom.data.source import open_source
from seqloom.errors import SeqloomError
from seqloom.explaining.explain import explain, latex_of
from seqloom.explaining.influence import influence
from seqloom.explaining.page import page
from seqloom.explaining.trained import explain_model, explain_trained
from seqloom.explaining.values import value_of
from seqloom.explaining.walkthrough import Walkthrough
from seqloom.models.registry import names
from seqloom.tasks.classify.task import Classify
from seqloom.tasks.stages import MOST_FRAMES
from seqloom.training.model import Model
from seqloom.training.run import train
from tests.sizes import load_fitting

SMALL = [
    "model.embedding=8", "model.widths=[6,5]", "model.heads=2", "model.hidden=10", "model.length=7", "tokens.kind=word",
]  # fmt: skip
COLUMNS = ['classify.numbers=["age"]', 'classify.binary=["old"]', 'classify.categories=["city"]']
TEXTS = ["good", "fine day", "bad luck", "awful bad day", "so so", "good luck"]
SENTENCE = ["awful", "luck", "day", "so", "good", "fine", "bad"]
ANSWERS: dict[str, list[Any]] = {
    "label": ["pos", "pos", "neg", "neg", "none", "pos"],
    "pair": ["pos", "pos", "neg", "neg", "neg", "pos"],
    "labels": [["warm"], ["warm", "new"], [], ["old"], ["new"], ["warm", "old"]],
    "number": [7, 9.5, -300, 2, 11, 40],
}


def frames(length: int, seed: int = 1) -> Any:
    return (np.random.default_rng(seed).normal(size=(length, 3)) * [1, 50, 0.1] + [9, -2, 0]).astype(np.float32)


def trained(name: str, kind: str = "label", *changes: str, columns: bool = False, of_frames: bool = False) -> Any:
    """A model after three steps."""
    rows: list[dict[str, Any]] = []
    for place, (text, answer) in enumerate(zip(TEXTS, ANSWERS[kind], strict=True)):
        begin = {"frames": frames(place + 2, place)} if of_frames else {"text": text}
        row = {**begin, "age": 20 + place**2, "old": place % 2, "city": ("Ulm", "Bonn")[place % 2]}
        rows.append({**row, "labels" if kind == "labels" else "label": answer})
    asked = "label" if kind == "pair" else kind
    given = [*SMALL, f"classify.answer={asked}", *(COLUMNS if columns else []), *changes]
    config: Any = load_fitting(given, task="classify", model__name=name)
    records = open_source(rows, task="classify")
    task = Classify.learn(config, records, {})
    torch.manual_seed(3)
    network, device = task.make_model(), torch.device("cpu")
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.4) if weight.requires_grad else None
    chunk = task.encode(list(records))
    x, lengths = task.inputs.tensors(chunk[task.inputs.field], device)
    targets = task.answers.targets([np.asarray(answer) for answer in chunk["answer"]], device)
    beside = torch.from_numpy(np.stack(chunk["features"])) if columns else None
    descent = torch.optim.SGD([weight for weight in network.parameters() if weight.requires_grad], 0.05)
    for _ in range(3):
        descent.zero_grad()
        task.answers.loss(network(x, lengths, beside), targets).backward()
        descent.step()
    return Model(config, task, network.eval())


def asked(columns: bool, of_frames: bool, length: int = 3) -> Any:
    begin: Any = frames(length, 77) if of_frames else " ".join(SENTENCE[:length])
    return {"frames" if of_frames else "text": begin, "age": 31, "old": 1, "city": "Bonn"} if columns else begin


def said(answer: Any) -> dict[str, float]:
    return {"": answer.number} if hasattr(answer, "number") else answer.scores


def last_value(walk: Walkthrough) -> torch.Tensor:
    return torch.as_tensor(walk.last.traces[-1].results[0])


def assert_says_what_the_model_says(model: Any, given: Any) -> Walkthrough:
    walk, answer = explain_model(model, given), model(given)
    expected = said(answer)
    assert_close(last_value(walk), torch.tensor(list(expected.values())), atol=1e-5, rtol=1e-5)
    if "" not in expected:
        shown = walk.last.steps[-1].values["p"]
        assert shown.data == sorted(shown.data, reverse=True)
        assert dict(zip(shown.rows or [], shown.data, strict=True)) == pytest.approx(expected, rel=1e-3)
    assert walk.title.endswith(f" → {answer}")
    return walk


BOUNDED = [name for name in names("classify") if name != "linear-rnn"]  # whose states explode over long inputs


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("kind", ["label", "labels", "number"])
def test_the_last_value_is_what_the_model_says(name, kind):
    for columns, of_frames in product((False, True), (False, True)):
        model = trained(name, kind, columns=columns, of_frames=of_frames)
        walk = assert_says_what_the_model_says(model, asked(columns, of_frames))
        assert [name for name, _ in walk.parts] == ["classifier"]


@pytest.mark.parametrize("pooling", ["last", "mean", "max", "attention"])
@pytest.mark.parametrize("columns", [False, True])
def test_every_pooling(pooling, columns):
    for kind in ("label", "labels", "number"):
        model = trained("gru", kind, f"model.pooling={pooling}", "model.bidirectional=true", columns=columns)
        assert_says_what_the_model_says(model, asked(columns, of_frames=False))


@pytest.mark.parametrize("columns", [False, True])
def test_logistic_regression_has_one_logit_for_two_labels(columns):
    walk = assert_says_what_the_model_says(trained("logistic", "pair", columns=columns), asked(columns, False))
    values = walk.last.traces[0].values
    assert torch.as_tensor(values["z"]).shape == (1,)
    assert_close(torch.sigmoid(torch.as_tensor(values["z"])), last_value(walk)[1:])


@pytest.mark.parametrize("name", ["logistic", "mlp", "mixer", "transformer", "lstm"])
@pytest.mark.parametrize("length", [1, 6, 7])
def test_from_one_word_to_as_many_as_it_reads(name, length):
    walk = assert_says_what_the_model_says(trained(name), asked(False, False, length))
    words = SENTENCE[:length]
    assert walk.last.words == words
    assert list(walk.last.labels) == (words if name == "lstm" and length > 1 else [""] if length > 1 else words)
    assert walk.last.steps[0].values["X"].rows == words, "the words stand along the rows, at the longest too"
    assert len(page(walk)) < 3_000_000


@pytest.mark.parametrize("name", ["words", "mlp", "cnn"])
def test_words_are_looked_up_before_anything_else(name):
    model = trained(name)
    walk = explain_model(model, "fine bad day")
    tokens = model.task.tokenizers["text"].encode("fine bad day")
    assert_close(torch.as_tensor(walk.last.traces[0].values["X"]), model.network.embedding.table.E[tokens])
    assert set(walk.last.steps[0].values["X/E"].rows or []) == {"fine", "bad", "day"}
    hot = trained(name, "label", "model.one_hot=true")
    assert {view.path: view.name for view in explain_model(hot, "fine bad day").last.views}["X"] == "one-hot-embedding"
    assert_says_what_the_model_says(hot, "fine bad day")


def test_labels_stand_along_their_weights_and_columns_along_their_numbers():
    model = trained("mlp", columns=True)
    walk = explain_model(model, asked(True, False))
    values = walk.last.steps[0].values
    assert values["f"].columns == ["age", "old", "city=Bonn", "city=Ulm"]
    assert values["f"].data[1:] == [1, 1, 0]
    beside = next(value for id, value in values.items() if id.endswith("/W_hy"))
    order = [model.task.facts["labels"].index(label) for label in beside.columns or []]
    numbers = model.network.beside.W_hy.detach()[:, order].flatten().tolist()
    assert beside.data == pytest.approx(numbers, rel=1e-3)
    output = next(value for id, value in values.items() if id.endswith("/W_2"))
    assert set(output.columns or []) == {"pos", "neg", "none"}


# --- frames -----------------------------------------------------------------------------------------


def test_frames_are_counted_and_shown_as_the_model_reads_them():
    model = trained("lstm", of_frames=True)
    walk = explain_model(model, frames(5))
    assert list(walk.last.labels) == ["1", "2", "3", "4", "5"]
    assert walk.title.startswith("array (5, 3) → ")
    values = walk.last.traces[0].values
    given = torch.as_tensor(values["w"])
    standard = (frames(5) - model.task.inputs.mean) / model.task.inputs.deviation
    assert_close(given, torch.from_numpy(standard.astype(np.float32)))
    assert_close(torch.as_tensor(values["X"]), model.network.embedding.projection(given))
    assert walk.last.steps[2].label == "3"
    assert walk.last.steps[2].values["H"].rows == ["1", "2", "3", "4", "5"]
    words, by_frame = influence(model, model.network, frames(5))
    assert words == ["1", "2", "3", "4", "5"] and len(by_frame) == 5


def test_too_many_frames():
    model = trained("transformer", "label", "model.length=200", of_frames=True)
    walk = assert_says_what_the_model_says(model, frames(MOST_FRAMES))
    assert len(page(walk)) < 3_000_000
    with pytest.raises(SeqloomError, match="129 frames are too many to show") as told:
        explain_model(model, frames(129))
    assert "give at most 128" in str(told.value)


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with a model of frames, and one with files."""
    place = tmp_path_factory.mktemp("heard")
    for number, label in enumerate(["up", "down"] * 6):
        (place / "data" / label).mkdir(parents=True, exist_ok=True)
        np.save(place / "data" / label / f"{number}.npy", frames(4 + number % 3, number))
    np.save(place / "one.npy", frames(4))
    np.savetxt(place / "one.csv", frames(4), delimiter=",")
    config = load_fitting(
        [*SMALL, "train.steps=3", "train.warmup_steps=1", "train.evaluate_every=99"], task="classify",
        data__train=str(place / "data"), model__name="rnn",
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEQLOOM_CACHE", str(place / "cache"))
        train(config, place / "run", quiet=True)
    return place / "run", place


def test_a_file_of_frames_is_opened_for_who_is_at_the_command_line(heard):
    folder, files = heard
    from_array = explain_trained(folder, frames(4))
    for name in ("one.npy", "one.csv"):
        walk = explain(folder, str(files / name))
        assert isinstance(walk, Walkthrough)
        assert_close(last_value(walk), last_value(from_array), atol=1e-5, rtol=1e-5)
        assert walk.title.startswith(f"{files / name} → ")
    done = CliRunner().invoke(app, ["explain", str(folder), str(files / "one.npy")])
    assert done.exit_code == 0
    assert re.search(r"most probable\s+(up|down) \d+%", done.stdout)


def test_no_file_is_opened_for_a_stranger(heard):
    files, model = heard[1], trained("rnn", of_frames=True)
    for given in (str(files / "one.npy"), files / "one.npy", "no file at all"):
        for sent in (given, {"frames": given}, [given]):
            with pytest.raises(SeqloomError, match="are not frames"):
                explain_model(model, sent)
    assert_close(last_value(explain_model(model, model.task.accept(frames(4).tolist()))),
                 last_value(explain_model(model, frames(4))))  # fmt: skip


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("of_frames", [False, True])
def test_who_gives_nothing_sees_the_mean_of_training_data(columns, of_frames):
    walk = explain_model(trained("cnn", "number", columns=columns, of_frames=of_frames))
    assert len(walk.last.words) == 4
    if of_frames:
        assert torch.as_tensor(walk.last.traces[0].values["w"]).abs().max() < 1e-5
    if columns:
        assert torch.as_tensor(walk.last.traces[0].values["f"]).abs().max() < 1e-5


def test_latex_of_a_folder_needs_no_frames(heard):
    assert r"p &= \text{answer}(z)" in latex_of(str(heard[0]))


def test_a_small_probability_is_not_called_nothing():
    value = value_of(torch.tensor([0.9, 0.0975, 0.0025, 0.0]), ["up", "down", "left", "right"])
    assert most_probable(value) == "up 90%  down 10%  left 0.25%  right 0%"
