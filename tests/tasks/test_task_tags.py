"""Several tasks, one translator: the tag before a source says which."""

import tomllib

import pytest
from typer.testing import CliRunner

import seqloom
from seqloom.cli import app
from seqloom.errors import ConfigError
from seqloom.training.run_config import load_run

WORDS = ["one", "two", "three", "four", "five", "six", "seven"]
SETTINGS = """
task = "translate"
[data]
mix_temperature = 2.0
[[data.sets]]
tag = "<2upper>"
train = "upper.tsv"
valid = "upper-valid.tsv"
[[data.sets]]
tag = "<2back>"
train = "back.tsv"
valid = "back-valid.tsv"
[tokens]
kind = "character"
[model]
name = "rnn-attention"
embedding = 24
encoder_widths = [24]
decoder_widths = [24]
[translate]
measure = "exact"
[train]
choose = false
learning_rate = 0.02
steps = 150
evaluate_every = 150
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A model that writes words in capitals, or backwards, as it is asked to."""
    folder = tmp_path_factory.mktemp("tags")
    for name, turned in (("upper", [word.upper() for word in WORDS]), ("back", [word[::-1] for word in WORDS])):
        rows = [f"{word}\t{other}\n" for word, other in zip(WORDS, turned, strict=True)]
        (folder / f"{name}.tsv").write_text("".join(rows))
        (folder / f"{name}-valid.tsv").write_text("".join(rows[:3]))
    settings = tomllib.loads(SETTINGS)
    for one in settings["data"]["sets"]:
        one |= {part: str(folder / one[part]) for part in ("train", "valid") if part in one}
    seqloom.train(settings, out=folder / "run", quiet=True)
    return folder


@pytest.fixture(scope="module")
def model(place):
    return seqloom.load(place / "run")


def test_one_model_does_what_its_tag_says(model):
    assert model.task.tags == ["<2upper>", "<2back>"]
    assert [one.text for one in model(["two", "three"], task_tag="<2upper>")] == ["TWO", "THREE"]
    assert [one.text for one in model(["two", "three"], task_tag="<2back>")] == ["owt", "eerht"]
    assert model("<2back> two").text == "owt"
    assert model("  ", task_tag="<2back>").text == ""


def test_a_tag_that_is_missing_or_unknown_says_which_there_are(model):
    with pytest.raises(ConfigError, match=r"(?s)this model has several tasks.*<2upper>, <2back>"):
        model("two")
    with pytest.raises(ConfigError, match=r"(?s)'<2front>' is not a task of this model.*<2upper>, <2back>"):
        model("two", task_tag="<2front>")
    with pytest.raises(ConfigError, match="several tasks"):
        model.explain("two")
    with pytest.raises(ConfigError, match="several tasks"):
        model.attribute("two")
    assert "two" in model.explain("<2back> two").title


def test_every_task_has_its_score(model, place):
    found = model.evaluate()
    assert found.json()["by_task"].keys() == {"<2upper> exact", "<2back> exact"}
    assert found.json()["by_task"]["<2back> exact"] == 1.0
    assert "by task" in [table.title for table in found.tables]
    alone = model.evaluate(task_tag="<2back>")
    assert (alone.metrics["exact"], len(alone.counted.counts)) == (1.0, 3)
    given = model.evaluate(place / "back-valid.tsv", task_tag="<2back>")
    assert given.metrics["exact"] == 1.0
    assert given.metrics["loss"] == pytest.approx(alone.metrics["loss"], rel=1e-5)


def test_an_unknown_tag_is_told_before_anything_is_measured(model, monkeypatch):
    measured = "seqloom.tasks.translate.evaluation.corpus_loss"
    monkeypatch.setattr(measured, lambda *given: pytest.fail("the loss was computed first"))
    with pytest.raises(ConfigError, match=r"'<2front>' is not a task of this model"):
        model.evaluate(task_tag="<2front>")


def test_the_command_takes_a_tag(place):
    done = CliRunner().invoke(app, ["predict", str(place / "run"), "two", "--task-tag", "<2upper>"])
    assert done.stdout.strip() == "TWO", done.output


def test_sets_that_cannot_be_told_apart_are_refused(tmp_path):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("a\tb\n")
    both = [f'data.sets=[{{tag="<a>",train="{pairs}"}},{{tag="<a>",train="{pairs}"}}]']
    with pytest.raises(ConfigError, match="a tag is used twice"):
        load_run(None, both, task="translate")
    with pytest.raises(ConfigError, match=r"put them into \[\[data\.sets\]\]"):
        load_run(None, [f'data.sets=[{{tag="<a>",train="{pairs}"}}]', f"data.train={pairs}"], task="translate")
    with pytest.raises(ConfigError, match="tag"):
        load_run(None, [f'data.sets=[{{tag="a b",train="{pairs}"}}]'], task="translate")
