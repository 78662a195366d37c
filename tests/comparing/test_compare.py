"""A comparison from data to report: trained, stopped, gone on with, looked at."""

import json
import re
import shutil

import pytest
from typer.testing import CliRunner

import seqloom
from seqloom.cli import app
from seqloom.comparing import report, runs
from seqloom.comparing.charts import by_setting
from seqloom.comparing.equal_size import NEAR
from seqloom.errors import SeqloomError
from seqloom.training.metrics import read_metrics
from seqloom.training.run import train
from tests.comparing.conftest import SMALL, rows_in


@pytest.fixture
def again(place, tmp_path, monkeypatch):
    """The same comparison once more, in a copy of its folder, with changes."""
    shutil.copytree(place / "out", tmp_path / "again")
    monkeypatch.setattr(report, "write_plots", lambda charts, folder: [])

    def again(**changes):
        given = {
            "config": {"compare": {"longest": 0}}, "task": "classify", "data": rows_in(place / "reviews.tsv"),
            "out": tmp_path / "again", "models": ["logistic", {"name": "lstm", "widths": [9]}], "equal": "steps",
            "steps": 20, "settings": SMALL, "quiet": True,
        }  # fmt: skip
        return seqloom.compare(**{**given, **changes})

    return again


def test_the_report_has_everything(place):
    results = json.loads((place / "out" / "results.json").read_text())
    labels = [one["model"] for one in results["models"]]
    assert labels == ["logistic", "lstm", "min_gru", "transformer"]
    first, lstm, own, transformer = results["models"]
    assert first["against_the_model_before"] is None
    assert 0 < lstm["against_the_model_before"]["randomisation_p"] <= 1
    assert all(one["low"] <= one["accuracy"] <= one["high"] for one in results["models"])
    assert [cost["length"] for cost in lstm["costs"]] == [32, 64]
    assert all(one["memory"] > 12 * one["parameters"] for one in results["models"])
    assert (first["forgetting"], first["attention"]) == (None, None)
    assert len(lstm["forgetting"]["trained"]) == len(lstm["forgetting"]["untrained"])
    assert transformer["attention"]["source"] == ["a", "warm", "and", "lovely", "film"]
    assert [line["name"] for line in own["adds"] if line["change"] == "new"] == ["min-gru"]
    assert [one["recurrent_layers"] for one in results["models"]] == [0, 1, 1, 0]
    table = (place / "out" / "table.tex").read_text()
    assert table.count(r"\\") == 5
    assert r"min\_gru" in table
    plots = {file.name for file in (place / "out" / "plots").iterdir()}
    assert {"quality.svg", "quality.png", "loss-by-time.svg", "time-by-length.png", "forgetting-trained.svg"} <= plots


def test_all_models_saw_the_same_batches(place):
    folders = [place / "out" / "runs" / name for name in ("logistic", "lstm", "min_gru", "transformer")]
    tokens = [[line["tokens"] for line in read_metrics(folder)] for folder in folders]
    assert all(one == tokens[0] for one in tokens)
    assert len({(folder / "text.tokenizer.json").read_bytes() for folder in folders}) == 1


def test_what_is_trained_is_not_trained_again_and_what_differs_is_refused(again, monkeypatch):
    monkeypatch.setattr(runs, "train", lambda *given, **more: pytest.fail("trained again"))
    found = again()
    assert [one.label for one in found.models] == ["logistic", "lstm"]
    assert list(found.frame().index) == ["logistic", "lstm"]
    assert found.frame().loc["lstm", "accuracy"] == found.models[1].quality.value
    assert "accuracy" in repr(found)
    assert found._repr_html_().count("<tr>") == 3
    with pytest.raises(SeqloomError, match=r"train.steps: 30, and the run was started with 20"):
        again(steps=30)


def test_a_comparison_that_was_killed_goes_on(again, tmp_path, monkeypatch):
    whole = again(out=tmp_path / "whole")

    def killed(config, folder, **given):
        if folder.name == "lstm":
            raise KeyboardInterrupt
        return train(config, folder, **given)

    monkeypatch.setattr(runs, "train", killed)
    with pytest.raises(KeyboardInterrupt):
        again(out=tmp_path / "killed")
    monkeypatch.setattr(runs, "train", train)
    found = again(out=tmp_path / "killed")
    assert [one.metrics for one in found.models] == [one.metrics for one in whole.models]


def test_equal_parameters_and_two_seeds(again, tmp_path):
    found = again(out=tmp_path / "equal", equal="parameters", seeds=2, parameters=3000)
    assert all(abs(one.parameters - 3000) <= NEAR * 3000 for one in found.models)
    assert all(len(one.by_seed) == len(one.folders) == 2 for one in found.models)
    value = found.models[0]
    assert value.quality.value == pytest.approx(sum(value.by_seed) / 2)


def test_fewer_examples_with_the_same_tokens_are_drawn_as_a_line(again, tmp_path):
    found = again(models=["logistic"], vary=["data.fraction=0.1,0.3,1"], out=tmp_path / "fractions", steps=8)
    models = [seqloom.load(folder) for one in found.models for folder in one.folders]
    assert len({model.task.tokenizers["text"] for model in models}) == 1
    assert [model.config.data.fraction for model in models] == [0.1, 0.3, 1.0]
    (line,) = by_setting(found.findings).series
    assert (line.name, list(line.x)) == ("accuracy", [0.1, 0.3, 1.0])
    assert list(line.y) == [one.quality.value for one in found.models]


def test_the_command_says_what_is_wrong_without_a_traceback(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for arguments, said in (
        ([], "nothing to compare"),
        (["--task", "classify", "--models", "lstm,lsmt"], "did you mean lstm"),
        (["--task", "clasify"], "classify"),
        (["--task", "classify", "--data", "none.tsv"], "none.tsv"),
        (["nothing.toml"], "there is no such file"),
    ):
        done = CliRunner().invoke(app, ["compare", *arguments])
        assert isinstance(done.exception, SeqloomError), done.output
        assert said in str(done.exception)
    assert not list(tmp_path.glob("comparison/runs/*"))
    listed = CliRunner().invoke(app, ["compare", "--ablations"]).output
    assert re.search(r"heads +What do more heads add", listed)
