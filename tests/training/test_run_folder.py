"""The folder of a run: what is in it, when it goes on, and what is no model."""

import shutil
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from seqloom.cli import app
from seqloom.errors import ConfigError, DamagedError, DataError, OutputError, SeqloomError, SeqloomWarning
from seqloom.training.loading import load
from seqloom.training.metrics import read_metrics
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.tasks.songs import write_song
from tests.training.reviews import QUICK, settings
from tests.typed import typed


def test_a_model_folder_holds_data_only(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    files = {file.name for file in (tmp_path / "run").iterdir() if file.is_file()}
    assert files == {"config.json", "model.safetensors", "text.tokenizer.json", "metrics.jsonl", "manifest.json"}


def test_a_folder_that_is_there_is_never_overwritten(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    before = (tmp_path / "run" / "model.safetensors").read_bytes()
    with pytest.raises(OutputError, match=r"already exists\n    -> go on with seqloom train --resume .*run, .* or"):
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
    with pytest.raises(ConfigError, match=r"model.widths: \[7\], and the run was started with \[") as told:
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
    for name in ("model.safetensors", "manifest.json"):
        (tmp_path / "run" / name).unlink()
    with pytest.warns(
        SeqloomWarning, match=r"run is not finished: this is its best checkpoint, of step \d+; go on with"
    ):
        model = load(tmp_path / "run")
    assert model("a lovely film").label == "pos"
    assert "accuracy" in model._repr_html_()
    assert load(model.pack(tmp_path / "best.seqloom"))("a lovely film").label == "pos"
    call = [sys.executable, "-m", "seqloom.cli", "predict", "run", "a lovely film"]
    shown = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=200)
    assert shown.stdout == "pos\n"
    assert shown.stderr.startswith("run is not finished: this is its best checkpoint")
    assert len(shown.stderr.splitlines()) == 1
    shutil.rmtree(tmp_path / "run" / "checkpoints")
    with pytest.raises(
        SeqloomError, match=r"is a run without a checkpoint yet\n    -> go on with seqloom train --resume"
    ):
        load(tmp_path / "run")


def flags() -> list[str]:
    return [part for change in QUICK for part in ("--set", change)]


def test_a_start_that_fails_leaves_no_folder_and_can_be_typed_again(reviews, tmp_path):
    good = reviews.read_text()
    reviews.write_text(good + "pos\n")
    asked = ["train", "--task", "classify", "--data", "reviews.tsv", "--model", "cnn", "--out", "runs/a", *flags()]
    done = typed(*asked, folder=tmp_path)
    assert done.returncode == 1
    assert "reviews.tsv:241: wrong number of columns" in done.stderr
    assert not (tmp_path / "runs").exists()
    reviews.write_text(good)
    assert typed(*asked, folder=tmp_path).returncode == 0
    assert typed(*asked[:6], "cmm", "--out", "runs/b", folder=tmp_path).returncode == 1
    assert not (tmp_path / "runs" / "b").exists()


def test_a_failing_start_leaves_what_was_there(reviews, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    for name in ("empty", "other", "new/deep"):
        with pytest.raises((DataError, OutputError)):
            train(settings(tmp_path / "none.tsv"), tmp_path / name, quiet=True)
    assert list((tmp_path / "empty").iterdir()) == []
    assert (tmp_path / "other" / "notes.txt").read_text() == "mine"
    assert not (tmp_path / "new").exists()


def test_what_a_killed_process_left_before_the_first_step_is_no_hindrance(reviews, tmp_path, monkeypatch):
    def stop(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("seqloom.training.run.Run.trainable", stop)
        with pytest.raises(KeyboardInterrupt):
            train(settings(reviews), tmp_path / "run", quiet=True)
    assert (tmp_path / "run" / "setup").exists()
    assert train(settings(reviews, "model.widths=[9]"), tmp_path / "run", quiet=True).step == 60


def test_resume_needs_only_the_folder(reviews, tmp_path):
    typed("train", "--task", "classify", "--data", "reviews.tsv", "--model", "cnn", *flags(), folder=tmp_path)
    for words in (["--resume", "run"], ["--resume", "--out", "run"], ["run", "--resume"]):
        done = typed("train", *words, "--steps", "70", folder=tmp_path)
        assert done.returncode == 0, done.stderr
    assert "all 70 steps are done" in done.stdout
    assert load(tmp_path / "run").config.train.steps == 70
    assert "all 70 steps are done" in typed("train", "--resume", "run", folder=tmp_path).stdout, "as it was last"
    wrong = typed("train", "--resume", "run", "--model", "lstm", folder=tmp_path)
    assert "model.name: 'lstm', and the run was started with 'cnn'" in wrong.stderr
    assert typed("train", "--resume", "nothing", folder=tmp_path).stderr == (
        "nothing holds no run to resume\n"
        "    -> give the folder that was named with --out, or say what to train: --task and --data\n"
    )


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
    assert "Saved. Go on with seqloom train --resume" in CliRunner().invoke(app, asked).output.replace("\n", " ")


def test_a_best_score_that_is_a_loss_is_called_so(tmp_path):
    song = write_song(tmp_path / "song.txt")
    small = ["model.embedding=8", "model.widths=[8]", "model.length=16", "train.steps=2", "train.warmup_steps=0"]
    result = train(load_run(None, small, task="generate", data__train=str(song)), tmp_path / "run", quiet=True)
    assert result.best is not None
    assert f"best loss {-result.best:.4f})" in result.summary()
    assert "best score" not in result.summary()


def test_an_error_says_how_to_go_on_in_python_too(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    with pytest.raises(OutputError, match="in Python with resume=True"):
        train(settings(reviews), tmp_path / "run", quiet=True)


def test_epochs_rate_and_batch_have_short_names(reviews, tmp_path):
    asked = ["train", "--task", "classify", "--data", "reviews.tsv", "--model", "cnn"]
    short = ["--epochs", "3", "--lr", "0.02", "--batch", "300"]
    done = typed(*asked, *short, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    steps = load(tmp_path / "run").config.train.steps
    assert f"3 epochs are {steps} steps" in done.stderr
    kept = load(tmp_path / "run").config.train
    assert (kept.epochs, kept.learning_rate, kept.batch_tokens) == (3, 0.02, 300)
    last = list(read_metrics(tmp_path / "run"))[-1]
    assert last["epoch"] == pytest.approx(3, abs=0.1)
    assert f"all {steps} steps are done" in typed("train", "--resume", "run", folder=tmp_path).stdout
    both = typed(*asked, "--epochs", "3", "--steps", "10", folder=tmp_path)
    assert both.stderr == "--steps and --epochs cannot be combined\n    -> give one of them\n"
