"""The folder of a run: what is in it, when it goes on, and what is no model."""

import pytest
from typer.testing import CliRunner

from seqloom.cli import app
from seqloom.errors import ConfigError, DamagedError, OutputError, SeqloomError
from seqloom.training.model import load
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.tasks.songs import write_song
from tests.training.reviews import settings


def test_a_model_folder_holds_data_only(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    files = {file.name for file in (tmp_path / "run").iterdir() if file.is_file()}
    assert files == {"config.json", "model.safetensors", "text.tokenizer.json", "metrics.jsonl", "manifest.json"}


def test_a_folder_that_is_there_is_never_overwritten(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    before = (tmp_path / "run" / "model.safetensors").read_bytes()
    with pytest.raises(OutputError, match=r"is there already\n    -> go on with --resume"):
        train(settings(reviews), tmp_path / "run", quiet=True)
    assert (tmp_path / "run" / "model.safetensors").read_bytes() == before


def test_a_finished_run_is_finished(reviews, tmp_path):
    first = train(settings(reviews), tmp_path / "run", quiet=True)
    again = train(settings(reviews), tmp_path / "run", resume=True, quiet=True)
    assert (again.step, again.finished) == (first.step, first.finished)


def test_resume_from_nothing_begins(reviews, tmp_path):
    assert train(settings(reviews), tmp_path / "run", resume=True, quiet=True).step == 60


def test_other_settings_do_not_go_on_with_an_old_run(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    with pytest.raises(ConfigError, match=r"model.widths: \[7\], and it was begun with \[") as told:
        train(settings(reviews, "model.widths=[7]"), tmp_path / "run", resume=True, quiet=True)
    assert len(told.value.mistakes) == 1


def test_a_finished_run_goes_on_if_more_steps_are_asked_for(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    more = settings(reviews, "train.steps=70", "train.learning_rate=0.002")
    result = train(more, tmp_path / "run", resume=True, quiet=True)
    assert (result.step, result.finished) == (70, "all 70 steps are done")
    kept = load(tmp_path / "run").config.train
    assert (kept.steps, kept.learning_rate) == (70, 0.002), "the folder says what it was trained with"
    train(settings(reviews, "train.learning_rate=0.5"), tmp_path / "run", resume=True, quiet=True)
    assert load(tmp_path / "run").config.train == kept, "not what was asked for when nothing was left to do"


def test_a_folder_that_cannot_be_made_is_named(reviews, tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(OutputError, match=f"{place} cannot be the folder of a run"):
            train(settings(reviews), place, quiet=True)


def test_an_unfinished_run_is_no_model_yet(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    (tmp_path / "run" / "model.safetensors").unlink()
    with pytest.raises(SeqloomError, match=r"is a run that is not finished\n    -> finish its training with --resume"):
        load(tmp_path / "run")


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "text.tokenizer.json", "manifest.json"])
def test_a_damaged_model_is_refused(reviews, tmp_path, name):
    train(settings(reviews), tmp_path / "run", quiet=True)
    file = tmp_path / "run" / name
    file.write_bytes(file.read_bytes()[:-7])
    with pytest.raises(DamagedError, match=name):
        load(tmp_path / "run")


def test_a_manifest_without_files_is_damaged(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    for files in ("[]", "{}", "1"):
        (tmp_path / "run" / "manifest.json").write_text(f'{{"format": 1, "files": {files}}}')
        with pytest.raises(DamagedError, match=r"manifest.json names no files"):
            load(tmp_path / "run")


def test_a_folder_that_is_no_model_is_named(tmp_path):
    with pytest.raises(DamagedError, match=r"has no manifest.json\n    -> give the folder of a trained model"):
        load(tmp_path)


def test_who_is_stopped_before_the_first_step_is_not_told_of_a_checkpoint(reviews, tmp_path, monkeypatch):
    def stopped(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("seqloom.training.run.train", stopped)
    asked = ["train", "--task", "classify", "--data", str(reviews), "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 130
    assert "Saved" not in done.output
    (tmp_path / "run" / "checkpoints" / "step-00000010").mkdir(parents=True)
    assert "Saved. Go on with the same command and --resume" in CliRunner().invoke(app, asked).output.replace("\n", " ")


def test_a_best_score_that_is_a_loss_is_called_so(tmp_path):
    song = write_song(tmp_path / "song.txt")
    small = ["model.embedding=8", "model.widths=[8]", "model.length=16", "train.steps=2", "train.warmup_steps=0"]
    result = train(load_run(None, small, task="generate", data__train=str(song)), tmp_path / "run", quiet=True)
    assert result.best is not None
    assert f"best loss {-result.best:.4f})" in result.summary()
    assert "best score" not in result.summary()
