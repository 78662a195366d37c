"""From a file of text to a trained model: by function and by command."""

import importlib
import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from seqloom.cli.predict import incoming
from seqloom.errors import ConfigError, DataError, SeqloomError
from seqloom.models.registry import names
from seqloom.storage import read_tensors
from seqloom.training.loading import load
from seqloom.training.metrics import read_metrics
from seqloom.training.run import train
from tests.sizes import load_fitting
from tests.training.reviews import QUICK, settings, write_reviews
from tests.typed import typed


@pytest.mark.parametrize("name", names("classify"))
def test_every_architecture_learns_to_classify(reviews, tmp_path, name):
    steps = 400 if name in ("logistic", "mlp", "mixer") else 60  # these learn a word for every place it may stand
    result = train(settings(reviews, f"train.steps={steps}", model__name=name), tmp_path / "run", quiet=True)
    assert result.best is not None and result.best > 0.8
    model = load(tmp_path / "run")
    assert model("a lovely film").label == "pos"
    assert [answer.label for answer in model(["a dull film", "a great story"])] == ["neg", "pos"]


@pytest.mark.parametrize("pooling", ["last", "mean", "max", "attention"])
def test_every_pooling_learns(reviews, tmp_path, pooling):
    result = train(settings(reviews, f"model.pooling={pooling}", model__name="gru"), tmp_path / "run", quiet=True)
    assert result.best is not None and result.best > 0.8


def test_one_hot_words_and_both_directions_learn(reviews, tmp_path):
    changes = ["model.one_hot=true", "model.bidirectional=true"]
    result = train(settings(reviews, *changes, model__name="lstm"), tmp_path / "run", quiet=True)
    assert result.best is not None and result.best > 0.8


def test_evaluate_gives_the_figures_of_held_out_data(reviews, tmp_path):
    train(settings(reviews, "train.steps=120", model__name="cnn"), tmp_path / "run", quiet=True)
    held_out = write_reviews(tmp_path / "test.tsv", count=80, seed=9)
    found = load(tmp_path / "run").evaluate(str(held_out))
    assert sum(map(sum, found.details["confusion"])) == 80
    assert found.metrics["accuracy"] > 0.9


def test_the_best_weights_are_kept_and_not_the_last(reviews, tmp_path):
    result = train(settings(reviews, "train.steps=80"), tmp_path / "run", quiet=True)
    scores = {
        line["step"]: line["valid_accuracy"] for line in read_metrics(tmp_path / "run") if "valid_accuracy" in line
    }
    best = max(scores, key=lambda step: (scores[step], -step))
    kept = read_tensors(tmp_path / "run" / "model.safetensors")
    saved = read_tensors(tmp_path / "run" / "checkpoints" / f"step-{best:08d}" / "model.safetensors")
    assert result.best == scores[best]
    assert all(torch.equal(kept[name], saved[name]) for name in kept)


def test_what_was_left_out_of_the_data_is_told(reviews, tmp_path, capfd):
    with reviews.open("a") as file:
        file.write("pos\t\n")
    train(settings(reviews, "data.on_bad=skip"), tmp_path / "run")
    assert "left out 1: 1 ×" in capfd.readouterr().err
    found = load(tmp_path / "run").evaluate(str(reviews))
    assert found.left_out.total == sum(found.json()["left_out"].values()) == 1


def test_a_label_never_seen_is_named_with_its_line(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    other = tmp_path / "other.tsv"
    other.write_text("pos\tfine film\nmeh\tso so\n")
    with pytest.raises(DataError, match=r"other.tsv:2: the label 'meh' was never seen in training"):
        load(tmp_path / "run").evaluate(str(other))


def test_a_setting_that_would_do_nothing_is_refused(reviews, tmp_path):
    changes = ["tokens.kind=bpe", "tokens.size=400", "tokens.bpe_dropout=0.1"]
    with pytest.raises(ConfigError, match="texts are tokenised once"):
        train(settings(reviews, *changes), tmp_path / "run", quiet=True)


@pytest.mark.parametrize("kind", ["bpe", "unigram", "character"])
def test_every_kind_of_token_can_be_learned_from(reviews, tmp_path, kind):
    changes = [f"tokens.kind={kind}", "tokens.size=400", "train.steps=100", "model.length=80"]
    result = train(settings(reviews, *changes, model__name="cnn"), tmp_path / "run", quiet=True)
    assert result.best is not None and result.best > 0.7
    assert load(tmp_path / "run")("").scores


def test_a_single_label_cannot_be_learned(tmp_path, reviews):
    one = tmp_path / "one.tsv"
    one.write_text("pos\tfine film\n" * 30)
    with pytest.raises(DataError, match="every text has the label 'pos'"):
        train(settings(one), tmp_path / "run", quiet=True)


def test_hard_texts_get_an_answer(reviews, tmp_path):
    train(settings(reviews), tmp_path / "run", quiet=True)
    model = load(tmp_path / "run")
    for text in ["", "   ", "unheard words only", "\u0000\u2028", "film " * 10_000, "早上好", "🎬"]:
        answer = model(text)
        assert sum(answer.scores.values()) == pytest.approx(1, abs=1e-5)
        assert answer.text == text


def test_a_second_run_on_the_same_data_finds_it_prepared(reviews, tmp_path):
    for name in ("one", "two"):
        train(settings(reviews), tmp_path / name, quiet=True)
    corpora = list((tmp_path / "cache" / "seqloom" / "corpora").iterdir())
    assert len(corpora) == 2, "one for training, one for validation"


def test_columns_the_wrong_way_round_are_noticed(tmp_path, reviews):
    lines = [line.split("\t") for line in reviews.read_text().splitlines()]
    turned = tmp_path / "turned.tsv"
    turned.write_text("".join(f"{text} {number}\t{label}\n" for number, (label, text) in enumerate(lines)))
    with pytest.raises(DataError, match="column '1' is read as labels and looks like texts") as caught:
        train(settings(turned, "data.valid_share=0"), tmp_path / "run", quiet=True)
    assert "data.columns.text=1 data.columns.label=2" in str(caught.value)
    right = settings(turned, "data.columns.text=1", "data.columns.label=2", model__name="cnn")
    assert train(right, tmp_path / "right", quiet=True).best is not None


def test_more_parts_than_rows_are_no_trouble(reviews, tmp_path):
    result = train(settings(reviews, "train.accumulate=50", "train.steps=10"), tmp_path / "run", quiet=True)
    assert result.step == 10


# --- by command -----------------------------------------------------------------------------------


def command(*arguments: str, folder: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """In a process of its own, with one thread."""
    environment = {**os.environ, "SEQLOOM_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "1"}
    call = [sys.executable, "-m", "seqloom.cli", *arguments]
    return subprocess.run(call, capture_output=True, text=True, cwd=folder, env=environment, check=False, **options)


def flags(*changes: str) -> list[str]:
    return [part for change in (*QUICK, *changes) for part in ("--set", change)]


def test_train_predict_evaluate_as_a_person_types_them(reviews, tmp_path):
    trained = command(
        "train",
        "--task",
        "classify",
        "--data",
        "reviews.tsv",
        "--model",
        "cnn",
        "--out",
        "run",
        *flags(),
        folder=tmp_path,
    )
    assert trained.returncode == 0, trained.stderr
    assert "all 60 steps are done" in trained.stdout
    assert command("predict", "run", "a lovely film", folder=tmp_path).stdout == "pos\n"
    lines = typed("predict", "run", "--json", folder=tmp_path, input="a dull film\n\ngreat\n").stdout.splitlines()
    answers = [json.loads(line) for line in lines]
    assert [answer["text"] for answer in answers] == ["a dull film", "", "great"]
    assert (answers[0]["label"], answers[2]["label"]) == ("neg", "pos")
    figures = json.loads(typed("evaluate", "run", "reviews.tsv", "--json", folder=tmp_path).stdout)
    assert figures["accuracy"] > 0.9
    assert "accuracy" in typed("evaluate", "run", "reviews.tsv", folder=tmp_path).stdout


@pytest.fixture
def trained(reviews: Path, tmp_path: Path) -> Path:
    train(settings(reviews, model__name="cnn"), tmp_path / "run", quiet=True)
    return tmp_path


def test_standard_input_is_answered_line_by_line_as_it_comes(trained):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    call = [sys.executable, "-m", "seqloom.cli", "predict", "run"]
    pipe = subprocess.PIPE
    with subprocess.Popen(call, cwd=trained, env=environment, stdin=pipe, stdout=pipe, text=True, bufsize=1) as process:
        assert process.stdin and process.stdout
        for text, label in [("a dull film", "neg"), ("a lovely film", "pos")]:
            process.stdin.write(f"{text}\n")
            assert process.stdout.readline() == f"{label}\n", "there before the next line is written"
        process.stdin.write("great story")  # no end of line, only the end
        process.stdin.close()
        assert process.stdout.read() == "pos\n"


def test_vectors_and_the_nearest_by_command(trained):
    (trained / "among.txt").write_text("a dull story\n\nvery great cast\nthe tedious film\n", encoding="utf-8")
    shown = typed("predict", "run", "--vectors", folder=trained, input="a dull film\ngreat\n").stdout.splitlines()
    model = load(trained / "run")
    for line, text in zip(map(json.loads, shown), ["a dull film", "great"], strict=True):
        assert line["text"] == text
        assert line["vector"] == pytest.approx(model.vectors([text])[0].tolist(), abs=1e-5)
    asked = ["predict", "run", "a poor film", "a fine film", "--nearest", "among.txt", "--count", "1"]
    first, near, second, other = typed(*asked, folder=trained).stdout.splitlines()
    assert (first, second) == ("a poor film", "a fine film")
    assert near.endswith(("a dull story", "the tedious film"))
    assert other.endswith("  very great cast")
    found = [json.loads(line) for line in typed(*asked, "--json", folder=trained).stdout.splitlines()]
    assert found[1]["nearest"][0]["text"] == "very great cast"
    assert -1 <= found[1]["nearest"][0]["similarity"] <= 1.00001


@pytest.mark.parametrize("flags", [["--temperature", "0.5"], ["--top-k", "3"], ["--set", "lines=2"]])
def test_a_flag_that_the_task_does_not_have_is_named(trained, flags):
    done = typed("predict", "run", "a film", *flags, folder=trained)
    assert done.returncode == 1
    assert "a model for classify has no options" in done.stderr
    assert done.stdout == ""


def test_lines_before_one_that_cannot_be_read_are_answered(tmp_path, reviews):
    rows = [{"text": "a film", "label": "ab"[n % 2], "x": n % 2} for n in range(40)]
    (tmp_path / "sides.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    changes = ['classify.numbers=["x"]', "data.columns.text=text", "train.learning_rate=0.1"]
    train(settings(tmp_path / "sides.jsonl", *changes, model__name="cnn"), tmp_path / "run", quiet=True)
    given = '{"text": "a film", "x": 0}\n{"text": "a film", "x": 1}\n{"text": "a film"}\n{"text": "a film", "x": 1}\n'
    done = typed("predict", "run", folder=tmp_path, input=given)
    assert (done.returncode, done.stdout) == (1, "a\nb\n")
    assert "no column is called 'x'; there are: text" in done.stderr


class Pieces(io.BytesIO):
    """Gives what was written together together, as a pipe does."""

    def __init__(self, *pieces: bytes) -> None:
        super().__init__()
        self.pieces = list(pieces)

    def read1(self, size: int | None = -1) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


def test_lines_come_in_the_chunks_that_are_there():
    given = Pieces(b"one\r\ntwo\n", b"thr", b"e", b"e\n\nfo\xff", b"ur")
    assert list(incoming(given)) == [["one", "two"], ["three", ""], ["fo\ufffdur"]]
    assert list(incoming(io.BytesIO(b"\xef\xbb\xbfone\n"))) == [["one"]]
    many = Pieces(b"".join(b"%d\n" % number for number in range(600)))
    assert [len(chunk) for chunk in incoming(many)] == [256, 256, 88]


def test_all_mistakes_in_settings_are_reported_at_once(reviews, tmp_path):
    changes = ["--set", "train.lerning_rate=1", "--set", "train.steps=-3", "--set", "modle.name=lstm"]
    done = typed("train", "--task", "classify", "--data", "reviews.tsv", "--out", "run", *changes, folder=tmp_path)
    assert done.returncode == 1
    assert "3 settings cannot be used" in done.stderr
    assert "did you mean learning_rate?" in done.stderr
    assert "did you mean model?" in done.stderr
    assert "Optimizer steps in total." in done.stderr
    assert not (tmp_path / "run").exists()


def test_the_public_call_trains_and_returns_a_model(reviews, tmp_path):
    import seqloom

    model = seqloom.train(
        task="classify", data=str(reviews), model="cnn", out=tmp_path / "run", settings=QUICK, quiet=True
    )
    assert model("a lovely film").label == "pos"
    assert seqloom.load(tmp_path / "run")("a dull film").label == "neg"


@pytest.mark.parametrize("command_name", ["train", "predict", "evaluate"])
def test_the_examples_of_the_help_work(reviews, tmp_path, command_name, monkeypatch):
    """As they stand, but for the number of steps; a page ends with its run, for nobody sits at a terminal."""
    monkeypatch.setenv("BROWSER", "true")
    examples = importlib.import_module(f"seqloom.cli.{command_name}").EXAMPLES
    (tmp_path / "test.tsv").write_text(reviews.read_text())
    (tmp_path / "reviews.txt").write_text("a lovely film\na dull film\n")
    if command_name != "train":
        trained = typed(
            "train", "--task", "classify", "--data", "reviews.tsv", "--out", "runs/reviews", *flags(), folder=tmp_path
        )
        assert trained.returncode == 0, trained.stderr
        shutil.copytree(tmp_path / "runs" / "reviews", tmp_path / "runs" / "other")
    for example in examples:
        call, _, file = example.partition(" < ")
        words = shlex.split(call)[1:]
        words += flags() if command_name == "train" and "--set" not in words else []
        words += ["--set", "train.steps=20", "--set", "train.warmup_steps=5"] if "--set" in words else []
        done = typed(*words, folder=tmp_path, input=(tmp_path / file).read_text() if file else "")
        assert done.returncode == 0, f"{example}: {done.stderr}"
        assert done.stdout
        shown = typed(command_name, "--help", folder=tmp_path).stdout
        assert " ".join(example.split()) in " ".join(shown.split())


def test_a_run_killed_by_the_system_goes_on_bit_for_bit(reviews, tmp_path):
    arguments = [
        "train", "--task", "classify", "--data", "reviews.tsv", "--model", "lstm", "--out", "killed",
        *flags("train.steps=150"), "--resume",
    ]  # fmt: skip
    whole = ["whole" if part == "killed" else part for part in arguments]
    assert command(*whole, folder=tmp_path).returncode == 0
    environment = {**os.environ, "SEQLOOM_CACHE": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"}
    call = [sys.executable, "-m", "seqloom.cli", *arguments]
    process = subprocess.Popen(
        call, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "killed" / "checkpoints" / "step-00000030").exists() and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    assert command(*arguments, folder=tmp_path).returncode == 0
    assert read_metrics(tmp_path / "whole") == read_metrics(tmp_path / "killed")
    files = [tmp_path / name / "model.safetensors" for name in ("whole", "killed")]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("change", ["another line", "gone"])
def test_a_run_does_not_go_on_with_other_data(tmp_path, change):
    """It went on in silence, with a vocabulary and a split of what the data had been."""
    data = tmp_path / "reviews.tsv"
    data.write_text("good\ta fine film\nbad\ta poor film\n" * 9)
    small = ["train.warmup_steps=1", "train.checkpoint_every=2", "model.embedding=4", "model.widths=[4]"]
    given = {"data__train": str(data), "task": "classify", "model__name": "lstm"}
    train(load_fitting([*small, "train.steps=4"], **given), tmp_path / "run", quiet=True)
    shutil.rmtree(tmp_path / "run" / "checkpoints" / "step-00000004")
    if change == "gone":
        data.unlink()
    else:
        data.write_text(data.read_text() + "good\ta new film\n")
    with pytest.raises(DataError) as raised:
        train(load_fitting([*small, "train.steps=4"], **given), tmp_path / "run", resume=True, quiet=True)
    said = "there is no such file" if change == "gone" else "has changed since this run began"
    assert str(raised.value).startswith(f"{data}: {said}")


def test_every_flipped_bit_in_what_was_learned_before_is_noticed(tmp_path):
    data = tmp_path / "reviews.tsv"
    data.write_text("good\ta fine film\nbad\ta poor film\n" * 9)
    small = ["train.warmup_steps=1", "train.steps=2", "model.embedding=4", "model.widths=[4]"]
    config = load_fitting(small, task="classify", data__train=str(data), model__name="lstm")
    train(config, tmp_path / "run", quiet=True)
    for file in (tmp_path / "run" / "setup").iterdir():
        whole = file.read_bytes()
        for place in range(0, len(whole), max(1, len(whole) // 5)):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            with pytest.raises(SeqloomError):
                train(config, tmp_path / "run", resume=True, quiet=True)
        file.write_bytes(whole)
    train(config, tmp_path / "run", resume=True, quiet=True)
