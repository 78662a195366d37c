"""Translators by command."""

import json
from dataclasses import replace

from seqloom.training.loading import load
from seqloom.training.model import Model
from seqloom.training.run import train
from tests.tasks.written_numbers import settings, write_pairs
from tests.training.reviews import settings as quick
from tests.training.reviews import write_reviews
from tests.typed import typed


def test_a_folder_that_is_no_model_says_so(tmp_path):
    (tmp_path / "empty").mkdir()
    done = typed("predict", "empty", "1 2", folder=tmp_path)
    assert done.returncode == 1
    assert "empty" in done.stderr


def test_the_command_prints_one_object_a_line(digits, tmp_path):
    done = typed("predict", str(digits), "--json", folder=tmp_path, input="1 2\n\n4 0 7\n")
    assert [json.loads(line)["text"] for line in done.stdout.splitlines()] == ["one two", "", "four zero seven"]


def test_how_data_is_read_can_be_changed_to_measure(digits, tmp_path):
    (tmp_path / "some.tsv").write_text("source\ttarget\n1 2\tone two\n3\t\n")
    asked = ("evaluate", str(digits), "some.tsv", "--json", "--set")
    done = typed(*asked, "data.on_bad=skip", folder=tmp_path)
    assert json.loads(done.stdout)["sentences"] == 1
    assert list(json.loads(done.stdout)["left_out"].values()) == [1]
    assert "data is a section" in typed(*asked, "data=x", folder=tmp_path).stderr
    assert "no such setting" in typed(*asked, "data.on_bat=skip", folder=tmp_path).stderr


def test_what_only_drawing_reads_needs_drawing(digits, tmp_path):
    done = typed("predict", str(digits), "1 2", "--top-k", "5", folder=tmp_path)
    assert (done.returncode, "add --temperature 1" in done.stderr) == (1, True)


def test_the_command_shows_all_answers_and_where_the_best_looked(digits, tmp_path):
    done = typed("predict", str(digits), "4 0 7", "--n-best", "3", "--attention", "seen.json", folder=tmp_path)
    assert len(done.stdout.splitlines()) == 3
    assert done.stderr == "written seen.json\n"
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert (seen["source"], seen["target"]) == (["4", "0", "7", "<eos>"], ["four", "zero", "seven"])
    typed("predict", str(digits), "4 0 7", "--attention", "seen.html", folder=tmp_path)
    page = (tmp_path / "seen.html").read_text(encoding="utf-8")
    assert "<bdi>4 0 7</bdi>" in page and "<bdi>four zero seven</bdi>" in page, "the texts, without <eos>"
    here = typed("predict", str(digits), "4 0 7", "--json", "--attention", "-", folder=tmp_path)
    assert json.loads(here.stdout)["text"] == "four zero seven"
    assert "zero" in here.stderr


def test_without_attention_the_command_still_answers_then_fails(digits, tmp_path):
    done = typed("predict", str(digits), "", "--attention", "seen.html", folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "\n")
    assert "no attention" in done.stderr
    assert not (tmp_path / "seen.html").exists()


def test_an_empty_answer_is_told_from_a_model_without_attention(digits, tmp_path, monkeypatch):
    answer = load(digits)("4 0 7", n_best=2, attention=True)
    (other,) = answer.alternatives
    empty = replace(answer, text="", tokens=[], attention=None, words=None, alternatives=[])
    command = ("predict", str(digits), "4 0 7", "--attention", "seen.json")
    monkeypatch.setattr(Model, "__call__", lambda *_, **__: [empty])
    done = typed(*command, folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "\n")
    assert "the answers are empty, so nothing attends" in done.stderr
    assert "-> train for longer, or take --n-best" in done.stderr
    monkeypatch.setattr(Model, "__call__", lambda *_, **__: [replace(empty, alternatives=[other])])
    assert typed(*command, "--n-best", "2", folder=tmp_path).returncode == 0
    assert json.loads((tmp_path / "seen.json").read_text())["target"] == other.text.split()


def test_the_command_says_when_a_text_was_cut(digits, tmp_path):
    done = typed("predict", str(digits), "4 " * 10_000, "--length", "2", folder=tmp_path)
    assert done.stdout.count("\n") == 1
    assert "only its beginning was read" in done.stderr
    assert typed("predict", str(digits), "4 0 7", "--length", "2", folder=tmp_path).stdout == "four zero\n"


def test_the_command_calls_the_answer_to_what_it_never_saw_a_guess(digits, tmp_path):
    done = typed("predict", str(digits), "4 0", "x ☃ 7", "--json", folder=tmp_path)
    known, strange = map(json.loads, done.stdout.splitlines())
    assert "unseen" not in known
    assert strange["unseen"] > 0.5
    assert done.stderr.splitlines() == ["'x ☃ 7': the model has never seen 67% of this, so the answer is a guess"]


def test_models_are_compared_only_if_measured_alike(digits, tmp_path):
    data = write_pairs(tmp_path / "pairs.tsv")
    train(settings(data, "tokens.lower=true"), tmp_path / "small", quiet=True)
    apart = typed("evaluate", str(digits), str(data), "--against", "small", folder=tmp_path)
    assert apart.returncode == 1
    assert "capitals count; exact, capitals do not" in apart.stderr
    asked = ("evaluate", str(digits), str(data), "--against", "small", "--set", "capitals=false", "--json")
    compared = json.loads(typed(*asked, folder=tmp_path).stdout)
    lengths = [[bucket["count"] for bucket in compared[side]["by_length"]] for side in ("first", "second")]
    assert lengths[0] == lengths[1]
    assert compared["compared"]["first"] > compared["compared"]["second"]
    assert (
        "is compared with itself"
        in typed("evaluate", str(digits), "x.tsv", "--against", str(digits), folder=tmp_path).stderr
    )
    assert "end it in .png" in typed("evaluate", str(digits), "x.tsv", "--plot", "x.pdf", folder=tmp_path).stderr
    without = typed("evaluate", str(digits), "--against", "small", folder=tmp_path)
    assert "were trained on different data" in without.stderr


def test_models_for_different_tasks_are_not_compared(digits, tmp_path):
    reviews = write_reviews(tmp_path / "reviews.tsv")
    train(quick(reviews, "train.steps=6"), tmp_path / "other", quiet=True)
    done = typed("evaluate", str(digits), "x.tsv", "--against", "other", folder=tmp_path)
    assert (done.returncode, done.stderr.count("different tasks: translate and classify")) == (1, 1)
