"""A task from outside of the package: trained, resumed, used, measured and served, with no edit of any file of ours."""

import json
import os
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest
from seqloom_example.pairs import PairTask
from typer.testing import CliRunner

import seqloom
from seqloom.cli import app
from seqloom.errors import SeqloomError, UnknownName
from seqloom.tasks import registry
from seqloom.tasks.registry import TASKS, find_task, task_names, task_reference
from seqloom.training.loading import load
from seqloom.training.run_config import RunConfig, load_run, run_config
from tests.serving.conftest import Running

REFERENCE = "seqloom_example.pairs:PairTask"
SETTINGS = ["train.steps=60", "train.learning_rate=0.05", "train.evaluate_every=30", "train.device=cpu"]


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The label says whether both texts are about animals."""
    file = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    animals, tools = ("dog", "cat", "cow", "hen"), ("saw", "axe", "nail", "file")
    lines = [f"{'same' if a in animals and b in animals else 'other'}\tthe {a} here\tsome {b}"
             for a in animals + tools for b in animals + tools]  # fmt: skip
    file.write_text("\n".join(lines * 4) + "\n", encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def folder(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run") / "pairs"
    seqloom.train(data=str(pairs), task=PairTask, settings=SETTINGS, out=out, quiet=True)
    return out


def run(*arguments: str, fails: bool = False, given: str = "") -> str:
    result = CliRunner().invoke(app, list(arguments), input=given)
    assert (result.exit_code != 0) == fails, result.output
    return result.output


def test_a_class_trains_and_its_folder_remembers_where_it_is(folder):
    model = load(folder)
    assert model.config.task == REFERENCE and isinstance(model.task, PairTask)
    answers = model([("the dog here", "some hen"), ("the dog here", "some saw")])
    assert [answer.label for answer in answers] == ["same", "other"]
    assert model.evaluate(part="valid").metrics["accuracy"] == 1


def test_commands_take_it_by_reference(pairs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = str(tmp_path / "run")
    command = ["train", "--task", REFERENCE, "--data", str(pairs), "--out", out, "--set", "pairs.width=6"]
    run(*command, *(part for one in SETTINGS for part in ("--set", one)))
    said = run(*command, "--resume", *(part for one in [*SETTINGS, "train.steps=70"] for part in ("--set", one)))
    assert "all 70 steps are done" in said
    assert run("predict", out, "the dog here|some hen").strip() == "same"
    assert json.loads(run("data", str(pairs), "--task", REFERENCE, "--json"))["task"] == "pairs"
    assert json.loads(run("evaluate", out, str(pairs), "--json"))["accuracy"] == 1


def test_it_is_served(folder, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    server = Running([str(folder)])
    try:
        assert server.ask("/api/models").json()[0]["task"] == REFERENCE
        said = server.ask(
            "/api/predict", {"texts": [["the dog here", "some hen"], ["the saw here", "some hen"]]}
        ).json()
        assert [answer["label"] for answer in said["answers"]] == ["same", "other"]
        assert server.ask("/api/predict", {"text": "one text"}).status == 422
    finally:
        server.stop()


def test_its_settings_are_checked_like_ours(pairs):
    with pytest.raises(SeqloomError, match=r"pairs\.widht: no such setting\n      -> did you mean width\?"):
        load_run(None, ["pairs.widht=3"], task=REFERENCE, data__train=str(pairs))


def test_its_data_needs_its_columns(tmp_path):
    (tmp_path / "few.tsv").write_text("same\tone\n" * 9)
    with pytest.raises(SeqloomError, match="2 columns where pairs needs 3: label and first and second"):
        seqloom.train(data=str(tmp_path / "few.tsv"), task=REFERENCE, out=tmp_path / "run", quiet=True)


def test_a_folder_whose_task_is_gone_says_so(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "seqloom_example.pairs", None)
    with pytest.raises(
        SeqloomError, match=rf"is a model for the task {REFERENCE}: cannot import seqloom_example\.pairs"
    ):
        load(folder)


def test_installed_packages_bring_tasks_by_name(pairs, monkeypatch):
    monkeypatch.setattr(registry, "entry_points", lambda group: [EntryPoint("pairs", REFERENCE, group)])
    assert task_names() == [*TASKS, "pairs"]
    assert find_task("pairs") is PairTask
    assert load_run(None, [], task="pairs", data__train=str(pairs)).task == REFERENCE


def test_what_is_no_task_says_so():
    with pytest.raises(UnknownName, match=r"no task is called 'clasify'\n    -> did you mean classify\?"):
        find_task("clasify")
    with pytest.raises(SeqloomError, match=r"seqloom_example\.pairs:PairModel is not a task"):
        find_task("seqloom_example.pairs:PairModel")
    with pytest.raises(SeqloomError, match=r"seqloom_example\.pairs has no Pears"):
        find_task("seqloom_example.pairs:Pears")


def test_our_own_tasks_keep_their_names():
    assert {"classify", "generate", "tag", "translate"} <= TASKS.keys()
    for name, task in TASKS.items():
        assert task_reference(task) == name == load_run(None, [], task=f"{task.__module__}:{task.__name__}").task
        assert issubclass(run_config(task), RunConfig) and task.columns.task == name
        assert task.__doc__ and task.__doc__.strip().endswith(".")


def test_a_task_without_settings_of_its_own_has_those_of_every_task():
    plain = ModuleType("plain_task")
    plain.Plain = type("Plain", (PairTask,), {"Settings": seqloom.Task.Settings, "__module__": "plain_task"})  # type: ignore[attr-defined]
    assert run_config(plain.Plain) is run_config(plain.Plain)
    assert {"task", "data", "tokens", "train", "start", "teacher"} == set(run_config(plain.Plain).model_fields)
