"""What a trained model does for a person in Python: answers, tables, pictures, a page, a copy of itself."""

import json
from pathlib import Path

import numpy as np
import pytest

import seqloom
from seqloom.errors import OutputError, SeqloomError, UnknownName
from seqloom.evaluating.bootstrap import ConfidenceInterval
from seqloom.evaluating.by_length import LengthBucket
from seqloom.evaluating.classification import ConfusionMatrix
from seqloom.tasks.classify.answers.single_label import confusion_table
from seqloom.tasks.task import Evaluation, ResultTable
from seqloom.training.model import Model
from seqloom.training.model_html import is_falling
from tests.training.reviews import QUICK, write_reviews
from tests.typed import typed


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("model")
    data = str(write_reviews(folder / "reviews.tsv"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEQLOOM_CACHE", str(folder / "cache"))
        return seqloom.train(task="classify", data=data, model="cnn", out=folder / "run", settings=QUICK, quiet=True)


def is_picture(path: Path) -> bool:
    return path.stat().st_size > 2000 and path.read_bytes()[:4] in (b"\x89PNG", b"<?xm")


def test_an_evaluation_shows_tables_and_not_its_insides(model):
    found = model.evaluate()
    assert repr(found).startswith("loss ") and "true \\ predicted" in repr(found)
    assert len(repr(found)) < 600
    assert "<table>" in found._repr_html_() and "accuracy" in found._repr_html_()


def test_of_many_labels_the_beginning_is_shown():
    rows = [[f"label {number}", "3", "0.5"] for number in range(500)]
    found = Evaluation({"accuracy": 0.5}, 0.5, [ResultTable("", ["label", "examples", "F1"], rows)])
    assert "... 480 more" in repr(found) and len(repr(found)) < 2000


def test_an_evaluation_is_drawn(model, tmp_path):
    found = model.evaluate()
    assert is_picture(found.plot(tmp_path / "confusion.png"))
    assert is_picture(found.plot(tmp_path / "calibration.svg", "calibration"))
    assert len(found.confidence) == sum(map(sum, found.details["confusion"]))
    with pytest.raises(UnknownName, match="there are: calibration, confusion"):
        found.plot(tmp_path / "x.png", "zzz")
    with pytest.raises(OutputError, match=r"end it in \.png or \.svg"):
        found.plot(tmp_path / "x.txt")
    with pytest.raises(SeqloomError, match="nothing to plot"):
        Evaluation({"rmse": 1.0}, -1.0).plot(tmp_path / "x.png")
    by_length = [LengthBucket(1, None, 3, ConfidenceInterval(0.5, 0.4, 0.6))]
    assert is_picture(Evaluation({}, 0.0, by_length=by_length, measure="BLEU").plot(tmp_path / "length.png"))


def test_learning_curves_are_drawn(model, tmp_path):
    assert is_picture(model.plot_history(tmp_path / "curves.png"))
    with pytest.raises(SeqloomError, match=r"there is no metrics\.jsonl"):
        Model(model.config, model.task, model.network).plot_history(tmp_path / "none.png")


def test_a_saved_model_is_the_same_model(model, tmp_path):
    copy = seqloom.load(model.save(tmp_path / "copy"))
    assert copy.predict("a lovely film").scores == model("a lovely film").scores
    assert is_picture(copy.plot_history(tmp_path / "curves.png"))
    with pytest.raises(OutputError, match="already exists"):
        model.save(tmp_path / "copy")


def test_a_model_explains_and_describes_itself(model, tmp_path):
    page = model.explain("a lovely film").save(tmp_path / "page.html")
    assert "lovely" in page.read_text(encoding="utf-8")
    assert "parameters: " in str(model.summary())
    assert repr(model).startswith("<seqloom model: task classify, architecture cnn, parameters ")
    html = model._repr_html_()
    assert "2: neg, pos" in html and "validation data" in html and "<script" not in html
    assert html.count("<circle") == 1, "the step of its curve whose weights were kept"


def test_the_metrics_of_a_model_are_those_of_the_weights_that_were_kept(model, tmp_path):
    copy = seqloom.load(model.save(tmp_path / "copy"))
    before = copy._repr_html_()
    with (tmp_path / "copy" / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"step": 9999, "valid_loss": 77.7, "valid_accuracy": 0.1234}) + "\n")
    assert "0.1234" not in copy._repr_html_()
    scores, _, curve = copy._repr_html_().partition("<svg")
    assert scores == before.partition("<svg")[0] and "of 9,999" in curve


@pytest.mark.parametrize("metric", ["loss", "perplexity", "bits_per_character", "mae", "rmse", "token_error_rate"])
def test_a_notebook_says_which_metrics_are_better_when_lower(metric):
    assert is_falling(metric) and not is_falling("accuracy")


def test_training_in_python_ends_with_a_summary(tmp_path, capfd):
    rows = [("pos", "a lovely film"), ("neg", "a dull film")] * 20
    settings = [*QUICK, "train.baseline=true", "train.steps=3", "train.warmup_steps=0"]
    model = seqloom.train(task="classify", data=rows, model="cnn", out=tmp_path / "run", settings=settings)
    said = capfd.readouterr().err
    assert "steps are done (3 steps in 0:0" in said
    assert "baselines (accuracy): the most frequent label 0.5000" in said
    assert "the most frequent label" in model._repr_html_(), "beside its own metrics"
    packed = seqloom.load(model.pack(tmp_path / "model.seqloom"))
    assert packed._repr_html_() == model._repr_html_()


def test_the_weakest_of_many_labels_come_first_and_numbers_stand_under_each_other():
    labels = [f"label_{number}" for number in range(13)]
    confusion = np.diag([12] * 13)
    confusion[7, 3] = 9  # 7 is found less often, and 3 is not always 3
    found = confusion_table(ConfusionMatrix(labels, confusion))
    assert {found.rows[0][0], found.rows[1][0]} == {"label_3", "label_7"}
    shown = repr(Evaluation({"accuracy": 0.5}, 0.5, [found])).splitlines()
    places = {tuple(line.index(cell, 9) for cell in row[1:]) for line, row in zip(shown[3:], found.rows, strict=True)}
    assert len(places) == 1


def test_a_confusion_matrix_of_long_labels_fits_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    labels = ["Refund_not_showing_up", "card_arrival", "exchange_rate", "lost_or_stolen_card"]
    found = confusion_table(ConfusionMatrix(labels, np.diag([15] * 4)))
    shown = repr(Evaluation({}, 0.0, [found])).splitlines()
    assert max(map(len, shown)) <= 80
    assert [line.split()[0] for line in shown if "15" in line] == labels, "each on a line of its own"


def test_short_headings_leave_their_room_to_long_ones(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    header = ["trial", "score", "steps", "", "learning_rate", "batch_tokens", "label_smoothing", "dropout"]
    table = ResultTable("", header, [["2", "0.7250", "150", "stopped early", "0.0115", "1264", "0.1", "0.0628"]])
    heads = repr(Evaluation({}, 0.0, [table])).splitlines()[1]
    assert len(heads) <= 80
    assert heads.split() == ["trial", "score", "steps", "learning…", "batch_to…", "label_sm…", "dropout"]


def test_the_command_draws_what_it_measured(model, tmp_path):
    done = typed("evaluate", str(model.folder), "--plot", "confusion.png", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("written confusion.png\n")
    assert is_picture(tmp_path / "confusion.png")
    model.save(tmp_path / "other")
    two = ("evaluate", str(model.folder), str(model.config.data.train), "--against", "other", "--plot", "x.png")
    assert "leave out --against" in typed(*two, folder=tmp_path).stderr
