"""A search for settings: trials, the better half of which goes on; stopped and gone on with; what mattered."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

import seqloom
from seqloom.data.source import open_source
from seqloom.errors import ConfigError, OutputError, SeqloomError
from seqloom.training import tuning
from seqloom.training.callbacks import TrainingState
from seqloom.training.data_statistics import measure
from seqloom.training.defaults import choose, with_choices
from seqloom.training.run import Result
from seqloom.training.run_config import load_run
from seqloom.training.search_space import OneOf, Range, default_space, parse_space
from seqloom.training.tuning import JOURNAL
from tests.training.reviews import write_reviews
from tests.typed import typed

SMALL = {"name": "lstm", "widths": [6], "embedding": 8}
VARY = ["train.learning_rate=0.00001..0.1", "model.dropout=0,0.3"]


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], Any]:
    """A search of four trials in two pieces."""
    folder = tmp_path_factory.mktemp("tuned")
    how: dict[str, Any] = {
        "task": "classify", "data": str(write_reviews(folder / "reviews.tsv", count=60)), "model": SMALL,
        "out": folder / "search", "steps": 6, "evaluate_every": 2, "batch_tokens": 200, "vary": VARY, "quiet": True,
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEQLOOM_CACHE", str(folder / "cache"))
        seqloom.tune(**how, trials=2)
        return folder, how, seqloom.tune(**how, trials=4, resume=True)


def test_a_search_goes_on_and_keeps_the_best_model(tuned):
    folder, _, found = tuned
    assert [trial.number for trial in found.trials] == [0, 1, 2, 3]
    assert found.best.score == max(trial.score for trial in found.trials)
    kept = found.model
    assert kept.config.train.learning_rate == pytest.approx(found.best.settings["train.learning_rate"])
    assert kept.evaluate().selection_score == pytest.approx(found.best.score, abs=1e-6)
    assert {file.name for file in (folder / "search").iterdir()} >= {"best", "settings.json", JOURNAL}
    assert not list((folder / "search").glob("trial-*"))


@pytest.fixture
def runs_of_rates(tmp_path, monkeypatch):
    """Runs whose score is their rate times the step."""

    def scored(config: Any, folder: Path, *, quiet: bool, callbacks: list[Any]) -> Result:
        for step in range(1, 9):
            score = config.train.learning_rate * step
            state = TrainingState(step, 8, 0.0, torch.nn.Identity(), folder, score=score)
            callbacks[0].on_validation(state)
            if state.reason:
                break
        return Result(folder, step, "", score, 0.0, [])

    class Saved:
        def save(self, folder: Path) -> None:
            folder.mkdir()

    write_reviews(tmp_path / "reviews.tsv", count=60)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tuning, "run", scored)
    monkeypatch.setattr(tuning, "load", lambda folder: Saved())


def test_worse_trials_are_stopped_early(runs_of_rates, tmp_path):
    """Those of small rates end at the first look."""
    vary = ["train.learning_rate=0.1,0.2,0.3,0.4,0.5,0.6"]
    found = tuning.search(CONFIG, tmp_path / "search", "1h", vary, trials=12, tell=lambda line: None)
    stopped = [trial for trial in found.trials if trial.ended == "stopped early"]
    assert stopped and all(trial.steps < 8 for trial in stopped)
    assert {trial.steps for trial in found.trials if trial.ended == "finished"} == {8}
    assert found.best.ended == "finished"


def test_a_search_begins_with_what_training_would_choose_and_looks_around_it(runs_of_rates, tmp_path):
    found = tuning.search(CONFIG, tmp_path / "search", "1h", trials=8, tell=lambda line: None)
    usual = with_choices(CONFIG, choose(measure(open_source("reviews.tsv", task="classify")), CONFIG))
    first = found.trials[0].settings
    assert first["train.learning_rate"] == usual.train.learning_rate == 0.01
    assert first["model.dropout"] == usual.model.dropout  # type: ignore[attr-defined]
    rates = [trial.settings["train.learning_rate"] for trial in found.trials]
    assert 0.0025 <= min(rates) < 0.01 < max(rates) <= 0.04
    assert found.mattered().startswith("what mattered: ")


def test_a_few_trials_do_not_say_what_mattered(runs_of_rates, tmp_path):
    found = tuning.search(CONFIG, tmp_path / "search", "1h", trials=7, tell=lambda line: None)
    assert found.importance == {} and found.mattered() == ""


def test_the_journal_is_json_and_nothing_that_runs(tuned):
    lines = (tuned[0] / "search" / JOURNAL).read_text(encoding="utf-8").splitlines()
    assert all(isinstance(json.loads(line), dict) for line in lines)


def test_the_table_and_the_picture_show_every_setting(tuned, tmp_path):
    _, _, found = tuned
    assert "learning_rate" in repr(found) and "dropout" in repr(found)
    assert found.plot(tmp_path / "mattered.svg").stat().st_size > 1000
    assert all(0 <= share <= 1 for share in found.importance.values())


def test_a_trial_that_was_cut_off_is_tried_again(tuned, tmp_path, monkeypatch):
    folder, how, _ = tuned
    monkeypatch.setenv("SEQLOOM_CACHE", str(folder / "cache"))
    shutil.copytree(folder / "search", tmp_path / "search")
    how = {**how, "out": tmp_path / "search", "resume": True}

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("seqloom.training.tuning.run", killed)
        with pytest.raises(KeyboardInterrupt):
            seqloom.tune(**how, trials=5)
    found = seqloom.tune(**how, trials=6)
    again = [trial.settings for trial in found.trials[-2:]]
    assert again[0] == again[1]


def test_other_settings_are_another_search(tuned):
    _, how, _ = tuned
    with pytest.raises(ConfigError, match="was started with other settings"):
        seqloom.tune(**{**how, "steps": 9}, trials=9, resume=True)
    with pytest.raises(OutputError, match="already exists"):
        seqloom.tune(**how)
    with pytest.raises(SeqloomError, match=r"'soon' is not a duration\n    -> write it like 20m"):
        seqloom.tune(**how, budget="soon")


def test_the_command_goes_on_with_the_folder_alone(tuned, tmp_path):
    shutil.copytree(tuned[0] / "search", tmp_path / "search")
    told = typed("tune", "--resume", "--out", "search", "--trials", "4", folder=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "the best model is in search/best" in told.stdout
    told = typed("tune", "--resume", "--out", "nothing", folder=tmp_path)
    assert (told.returncode, told.stderr) == (
        1, "nothing holds no search to resume\n    -> give the folder of one with --out\n"
    )  # fmt: skip


CONFIG = load_run(None, [], task="classify", data__train="reviews.tsv")


def test_what_is_varied():
    found = parse_space(["model.name=lstm,cnn", "train.learning_rate=0.001..0.1", "train.steps=10..20"], CONFIG)
    assert found == {
        "model.name": OneOf(("lstm", "cnn")), "train.learning_rate": Range(0.001, 0.1), "train.steps": Range(10, 20)
    }  # fmt: skip
    for name, each in found.items():
        assert parse_space([f"{name}={each}"], CONFIG)[name] == each
    assert "model.dropout" in default_space(CONFIG)


@pytest.mark.parametrize(
    "vary, what",
    [
        ("train.lerning_rate=1..2", "did you mean train.learning_rate"),
        ("model.dropout=0.3", "leaves nothing to try"),
        ("model.dropout=0.5..0.1", "its end is not above its beginning"),
        ("model.dropout", "is not of the form KEY=VALUE"),
    ],
)
def test_what_cannot_be_varied(vary, what):
    with pytest.raises(ConfigError, match=what):
        parse_space([vary], CONFIG)
