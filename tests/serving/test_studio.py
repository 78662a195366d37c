"""What the studio asks a server for: bounded, checked, and the same as the model says in Python."""

import shutil
from types import SimpleNamespace
from typing import Any

import pytest

import seqloom
from seqloom.serving.api import runs
from seqloom.serving.model_store import ModelStore
from seqloom.studio.runs import run_data


def test_without_a_text_an_example_of_the_training_data_is_read(served):
    found = served.ask("/api/inspect", {}).json()
    assert found["model"] == "digits" and found["task"] == "translate"
    assert found["input"] and found["rows"]["source"]["tokens"][-1] == "<eos>"
    assert found["text"] == found["answer"]["text"]
    (attention,) = found["attention"]
    rows, columns = attention["shape"]
    weights = attention["matrices"]["mean.mean"]["data"]
    assert sum(weights[:columns]) == pytest.approx(1, abs=0.01)
    assert rows == len(found["answer"]["tokens"])


@pytest.mark.parametrize("model", ["song", "mood", "words"])
def test_every_task_can_be_looked_at(served, model):
    found = served.ask("/api/inspect", {"model": model, "text": "la la", "length": 5}).json()
    assert found["model"] == model
    assert found["steps"] or found["importance"]


def test_a_step_is_written_otherwise_and_the_rest_follows(served):
    found = served.ask("/api/inspect", {"text": "3 1"}).json()
    first = found["steps"][0]["candidates"][1]
    changed = served.ask("/api/inspect", {"text": "3 1", "prefix": [first["id"]]}).json()
    assert changed["rows"]["target"]["tokens"][0] == first["token"]


@pytest.mark.parametrize(
    "body, status, words",
    [
        ({"model": "none"}, 404, "no model is called 'none'"),
        ({"text": "1", "off": ["cross.0.0"]}, 422, "no head cross.0.0; the model has"),
        ({"text": "1", "off": ["everything"]}, 422, "'everything' names no head"),
        ({"text": "1", "look": "none"}, 422, "names no head"),
        ({"text": "1", "prefix": [1]}, 200, ""),
        ({"text": "1", "prefix": [2]}, 422, "a token that is never written"),
        ({"text": " "}, 422, "the text contains no words"),
        ({"text": "1 " * 1500}, 413, "at most 2,000 (text_characters)"),
        ({"text": "1", "beam": 8}, 422, "at most 6 (beam)"),
        ({"text": "1", "beam": 9}, 422, "beam: input should be less than or equal to 8"),
        ({"text": "1", "tokens": 3}, 422, "tokens: no such field"),
        ({"text": 3}, 422, "text: "),
    ],
)
def test_a_question_that_cannot_be_answered_says_why(served, body, status, words):
    found = served.ask("/api/inspect", body)
    assert found.status == status
    assert words in (found.json().get("error", {}).get("message", "") or words)


def test_gates_over_time_come_with_the_influence_of_each_token(served):
    found = served.ask("/api/strips", {"model": "mood", "text": "a fine film"}).json()
    assert [one["symbol"] for one in found["strips"]] == ["i", "f", "g", "o", "c", "h"]
    assert found["tokens"] == ["a", "fine", "film"] and len(found["influence"]) == 3
    long = served.ask("/api/strips", {"model": "mood", "text": "film " * 40})
    assert (long.status, "too many to show" in long.json()["error"]["message"]) == (422, True)


def test_the_learning_curves_of_all_models_are_there(served):
    told = {run["model"]: run for run in served.ask("/api/runs").json()["runs"]}
    assert list(told) == ["digits", "song", "mood", "words"]
    curves = told["digits"]["curves"]
    assert curves["valid_exact"]["values"][-1] > 0.9 and curves["loss"]["steps"] == sorted(curves["loss"]["steps"])


def test_a_checkpoint_is_asked_as_name_at_step(served, models):
    told = {run["model"]: run for run in served.ask("/api/runs").json()["runs"]}
    step = told["digits"]["checkpoints"][0]
    asked = {"model": f"digits@{step}", "text": "3 1"}
    at_step = seqloom.load(models / "digits", step=step)
    assert served.ask("/api/inspect", asked).json()["text"] == at_step("3 1", beam=4).text
    assert served.ask("/api/attribute", asked).json()["outputs"] == list(at_step.attribute("3 1").outputs)
    assert [one["name"] for one in served.ask("/api/models").json()] == [
        "digits",
        "song",
        "mood",
        "words",
    ]  # not listed
    for name in (f"digits@{step + 1}", "digits@", "digits@x", "none@3", f"mood@{step}@3"):
        found = served.ask("/api/inspect", {"model": name, "text": "3 1"})
        assert (found.status, "no model is called" in found.json()["error"]["message"]) == (404, True)


def test_only_a_run_that_trains_is_stopped(served):
    for name, status in (("digits", 409), ("none", 404), (3, 422)):
        assert served.ask("/api/runs/stop", {"model": name}).status == status


def test_words_lie_on_a_plane_and_a_word_has_neighbours(served):
    found = served.ask("/api/words", {"model": "mood", "word": "film"}).json()
    assert len(found["places"]) == 2 * len(found["tokens"]) and max(map(abs, found["places"])) == 1
    assert found["near"][0] == ["film", 1.0]
    cosines = [cosine for _, cosine in found["near"]]
    assert cosines == sorted(cosines, reverse=True)
    for body, words in (({"word": "qwertz"}, "'qwertz' is not in the vocabulary"), ({"side": "x"}, "choose one of")):
        reply = served.ask("/api/words", {"model": "mood", **body})
        assert (reply.status, words in reply.json()["error"]["message"]) == (422, True)


def test_an_opened_model_comes_as_a_body_and_its_data(served):
    found = served.ask("/api/explain", {"text": "4", "format": "view"}).json()
    assert found["data"]["page"] == "walkthrough"
    assert 'role="tablist"' in found["body"] and "<script" not in found["body"]


@pytest.mark.parametrize(
    "model, text", [("digits", "3 1"), ("song", "la la"), ("mood", "a fine film"), ("words", "la la")]
)
def test_an_attribution_is_what_the_model_says_in_python(served, models, model, text):
    found = served.ask("/api/attribute", {"model": model, "text": text, "method": "gradient"}).json()
    here = seqloom.load(models / model).attribute(text, "gradient").json()
    assert {name: found[name] for name in ("inputs", "outputs")} == {name: here[name] for name in ("inputs", "outputs")}
    assert found["weights"] == [pytest.approx(row, abs=1e-4) for row in here["weights"]]


@pytest.mark.parametrize(
    "body, status, words",
    [
        ({"text": "1", "method": "shap"}, 422, "method: "),
        ({"text": "1 " * 1500}, 413, "at most 2,000 (text_characters)"),
        ({"model": "mood", "text": ""}, 422, "nothing to attribute"),
        ({"text": " "}, 422, "the text contains no words"),
    ],
)
def test_what_cannot_be_attributed_says_why(served, body, status, words):
    found = served.ask("/api/attribute", body)
    assert (found.status, words in found.json()["error"]["message"]) == (status, True)


def test_data_that_is_gone_is_said(served):
    found = served.ask("/api/data", {"model": "mood"})
    assert (found.status, "there is no such file" in found.json()["error"]["message"]) == (422, True)


def test_a_run_that_ends_while_it_is_told_is_ready(models, tmp_path, monkeypatch):
    """A page asks no more once a run has ended: what says so says that its model can be asked."""
    run = tmp_path / "run"
    service: Any = SimpleNamespace(model_store=ModelStore([str(run)], 10**9, "awaited"), key="")

    def ends(folder, *, samples):
        shutil.copytree(models / "mood", folder)
        return run_data(folder, samples=samples)

    monkeypatch.setattr(runs, "run_data", ends)
    told = runs.info(service, "run")
    assert (told.status, told.ready) == ("finished", True)
