"""`seqloom summary`: layers, shapes and parameters, as they are."""

import json
import re

import pytest
import torch

from seqloom.cli.summary import EXAMPLES, summary
from seqloom.errors import ConfigError, SeqloomError, UnknownName
from seqloom.models.registry import find, names
from seqloom.models.summary import shapes_in, summarise
from seqloom.training.catalogue import catalogue, untrained
from seqloom.training.run import train
from seqloom.training.run_config import RUNS, load_run
from tests.sizes import read_of
from tests.training.reviews import write_reviews

SMALL = ["model.embedding=12", "model.hidden=14", "model.heads=2"]


def as_json(capsys, name, **options):
    summary(name, as_json=True, **options)
    return json.loads(capsys.readouterr().out)


def test_an_lstm_counted_by_hand(capsys):
    found = as_json(capsys, "lstm", set_=["model.embedding=12", "model.widths=[7,5]"], vocabulary=50, depth=9)
    rows = {row["name"]: (row["kind"], row["shape"], row["parameters"]) for row in found["rows"]}
    assert (found["task"], found["architecture"]) == ("classify", "lstm")
    assert rows["embedding.table"] == ("Embedding", ["B", "T", 12], 600)
    first, second = 4 * 7 * (12 + 7 + 1), 4 * 5 * (7 + 5 + 1)
    assert rows["encoder"][1:] == (["B", "T", 5], first + second)
    assert [row[2] for row in rows.values() if row[0] == "LSTM"] == [first, second]
    assert rows["readout"] == ("Readout", ["B", 2], 5 * 2 + 2)
    assert found["parameters"] == found["trainable"] == 600 + first + second + 12
    assert found["bytes"] == 4 * found["parameters"]


@pytest.mark.parametrize("task, name", [(task, name) for task in RUNS for name in names(task)])
def test_every_architecture_has_rows_that_add_up(task, name):
    widths = ["encoder_widths=[12,12]", "decoder_widths=[12,12]"] if task == "translate" else ["widths=[12,12]"]
    try:
        _, config, model = untrained(
            name, task, read_of([*SMALL, *(f"model.{width}" for width in widths)], task=task, model__name=name), 30
        )
    except ConfigError:
        assert task == "generate" and not find(name).causal
        return
    found = summarise(model, config.length)
    assert sum(row.parameters for row in found.rows if row.depth == 1) == found.parameters
    assert found.parameters == sum(weight.numel() for weight in model.parameters())
    assert {"B", "T"} <= {size for row in found.rows if row.shape for size in row.shape} or name in ("logistic", "mlp")
    assert model.training, "it is left as it was"


def test_shapes_are_those_of_the_call():
    """A width that happens to be a size of the made-up batch is still a number."""
    _, config, model = untrained("lstm", "generate", ["model.embedding=5", "model.widths=[2]"], 7)
    shapes = shapes_in(model, config.length)
    assert shapes["embedding"] == ("B", "T", 5)
    assert shapes["encoder"] == ("B", "T", 2)
    assert shapes["readout"] == ("B", "T", 7)
    tokens = torch.zeros(4, 9, dtype=torch.int64)
    assert model(tokens, torch.full((4,), 9)).shape == (4, 9, 7)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_model_for_short_texts_is_no_trouble(length):
    _, config, model = untrained("transformer", "classify", [*SMALL, f"model.length={length}"], 30)
    assert summarise(model, config.length).rows


def test_a_matrix_that_plays_two_parts_is_counted_once():
    changes = ["model.embedding=12", "model.encoder_widths=[12]", "model.decoder_widths=[12]", "model.tied=all"]
    _, config, model = untrained("rnn-attention", "translate", changes, 30)
    found = summarise(model, config.length)
    by_name = {row.name: row.parameters for row in found.rows}
    assert (by_name["source.embedding"], by_name["embedding"], by_name["readout"]) == (360, 0, 30)


def test_one_hot_words_are_kept_as_they_are(capsys):
    found = as_json(capsys, "rnn", set_=["model.one_hot=true"], vocabulary=20)
    assert found["frozen"] == 400
    assert found["trainable"] == found["parameters"] - 400


def test_the_list_has_every_architecture_with_its_sentence(capsys):
    entries = list(catalogue(vocabulary=40))
    assert {entry.task for entry in entries} == {task for task in RUNS if names(task)}
    assert {entry.name for entry in entries} == {name for task in RUNS for name in names(task)}
    (lstm,) = (entry for entry in entries if (entry.task, entry.name) == ("classify", "lstm"))
    assert lstm.parameters == 40 * 128 + 4 * 128 * (128 + 128 + 1) + 128 * 2 + 2
    summary(vocabulary=40)
    text = capsys.readouterr().out
    assert all(re.search(rf"^  {entry.name} +{entry.parameters:,}  ", text, re.MULTILINE) for entry in entries)
    assert max(map(len, text.splitlines())) <= 80


def test_a_trained_folder_is_summed_up(tmp_path, capsys):
    data = str(write_reviews(tmp_path / "reviews.tsv", count=30))
    short = ["model.embedding=9", "model.widths=[7]", "train.steps=1", "train.warmup_steps=0"]
    train(load_run(None, short, task="classify", data__train=data, model__name="gru"), tmp_path / "run", quiet=True)
    found = as_json(capsys, str(tmp_path / "run"))
    assert (found["architecture"], found["rows"][0]["shape"]) == ("gru", ["B", "T", 9])
    summary(str(tmp_path / "run"))
    assert "gru, to classify" in capsys.readouterr().out
    with pytest.raises(SeqloomError, match="is a trained model, whose settings are fixed"):
        summary(str(tmp_path / "run"), set_=["model.widths=[3]"])


def test_an_untrained_logistic_regression_counts_what_training_builds(tmp_path, capsys):
    data = str(write_reviews(tmp_path / "reviews.tsv", count=30))
    small = ["model.embedding=4", "model.length=8"]
    config = load_run(None, [*small, "train.steps=1", "train.warmup_steps=0"], task="classify", data__train=data,
                      model__name="logistic")  # fmt: skip
    train(config, tmp_path / "run", quiet=True)
    trained, fresh = as_json(capsys, str(tmp_path / "run")), as_json(capsys, "logistic", set_=small)
    assert trained["rows"][-1]["parameters"] == fresh["rows"][-1]["parameters"] == 4 * 8 + 1


def test_a_frozen_run_is_summed_up_as_frozen(tmp_path, capsys):
    data = str(write_reviews(tmp_path / "reviews.tsv", count=30))
    short = ["model.embedding=9", "model.widths=[7]", "train.steps=1", "train.warmup_steps=0"]
    train(load_run(None, short, task="classify", data__train=data), tmp_path / "first", quiet=True)
    frozen = [*short, f"start.model={tmp_path / 'first'}", "start.frozen=true"]
    train(load_run(None, frozen, task="classify", data__train=data), tmp_path / "run", quiet=True)
    found = as_json(capsys, str(tmp_path / "run"))
    assert (found["trainable"], found["frozen"] > 0) == (7 * 2 + 2, True)
    assert found["trainable"] + found["frozen"] == found["parameters"]


def test_the_list_of_models_has_those_without_an_encoder(capsys):
    summary(None, task="classify")
    shown = capsys.readouterr().out
    assert "logistic" in shown
    assert "mlp" in shown
    with pytest.raises(ConfigError, match=r"there are: .*logistic, mlp"):
        load_run(None, (), task="classify", model__name="nothing-of-that-name")


@pytest.mark.parametrize(
    "name, task, near",
    [("lsmt", None, "lstm"), ("transfomer", "translate", "transformer"), ("rnn-atention", None, "rnn-attention")],
)
def test_a_bad_name_gets_the_nearest(name, task, near):
    with pytest.raises(UnknownName, match=f"no architecture is called '{name}'\n.*{near}"):
        summary(name, task=task)


def test_a_bad_task_gets_the_nearest():
    for name in ("lstm", None):
        with pytest.raises(UnknownName, match=r"no task is called 'clasify'\n.*classify"):
            summary(name, task="clasify")


def test_the_examples_are_of_this_command():
    assert all(example.startswith("seqloom summary") for example in EXAMPLES)
