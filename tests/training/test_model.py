"""What a trained model does for a person in Python: answers, tables, pictures, a page, a copy of itself."""

from pathlib import Path

import pytest

import seqloom
from seqloom.errors import OutputError, SeqloomError, UnknownName
from seqloom.evaluating.bootstrap import ConfidenceInterval
from seqloom.evaluating.by_length import LengthBucket
from seqloom.tasks.task import Evaluation, ResultTable
from seqloom.training.model import Model
from tests.training.reviews import QUICK, write_reviews


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
    with pytest.raises(UnknownName, match="there are: confusion, calibration"):
        found.plot(tmp_path / "x.png", "zzz")
    with pytest.raises(OutputError, match=r"end it in \.png or \.svg"):
        found.plot(tmp_path / "x.txt")
    with pytest.raises(SeqloomError, match="nothing to draw"):
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
    with pytest.raises(OutputError, match="is there already"):
        model.save(tmp_path / "copy")


def test_a_model_explains_and_describes_itself(model, tmp_path):
    page = model.explain("a lovely film").save(tmp_path / "page.html")
    assert "lovely" in page.read_text(encoding="utf-8")
    assert "parameters: " in str(model.summary())
    assert repr(model).startswith("<seqloom model: task classify, architecture cnn, parameters ")
    html = model._repr_html_()
    assert "2: neg, pos" in html and "accuracy on validation data" in html and "<script" not in html
