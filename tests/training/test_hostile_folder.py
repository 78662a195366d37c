"""A model folder whose maker has changed what is in it and computed the manifest anew."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import seqloom
from seqloom.errors import SeqloomError
from seqloom.models.weights import check_shapes
from seqloom.storage import TensorInfo, read_tensors, write_manifest, write_tensors
from seqloom.tokens import tokenizer_file
from seqloom.training.trusted_runs import is_own, signature_of
from tests.forked import forked
from tests.typed import typed

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def forged(models: Path, tmp_path: Path) -> Callable[..., Path]:
    """A copy of a model with another config.json."""

    def forge(name: str, change: Change = lambda saved: None) -> Path:
        folder = tmp_path / name
        shutil.copytree(models / name, folder, ignore=shutil.ignore_patterns("checkpoints", "setup"))
        saved = json.loads((folder / "config.json").read_text())
        change(saved)
        (folder / "config.json").write_text(json.dumps(saved))
        write_manifest(folder)
        return folder

    return forge


def put(*path: str, value: object) -> Change:
    def change(saved: dict[str, Any]) -> None:
        inner: Any = saved
        for part in path[:-1]:
            inner = inner[part]
        inner[path[-1]] = value

    return change


DEEP: Any = 1
for _ in range(200):
    DEEP = [DEEP]

EMPTY: list[Any] = [None, [], 3, {}]
SECTIONS: list[Any] = [None, [], 3, "x", {"name": {"name": {}}}, [[[]]]]
LABELS: list[Any] = [None, {}, [], [1, 2], ["a", "a"], ["a", "b", "c", "d", "e"], "ab"]
WRONG: list[tuple[str, Change]] = [
    *((name, put("config", value=value)) for name in ("mood", "digits") for value in [*EMPTY, {"task": None}]),
    *(("mood", put("config", section, value=value)) for section in ("model", "data", "tokens", "classify", "train")
      for value in SECTIONS),
    *(("mood", put("facts", value=value)) for value in [*EMPTY, {"unknown": 1}, {"frames": {}}, DEEP]),
    *(("mood", put("facts", "labels", value=value)) for value in LABELS),
    *(("words", put("facts", "tags", value=value)) for value in LABELS),
    ("mood", put("architectures", value=None)),
    ("mood", put("architectures", value={"name": None})),
    ("mood", put("architectures", value={"nothing": {"reference": "a:b", "sha256": ""}})),
    ("mood", put("extra", value=1)),
    *((name, put("config", "model", "embedding", value=10**12)) for name in ("mood", "song", "words")),
    *(("mood", put("config", "model", "widths", value=[value])) for value in (10**9, 9, 0, -1, 1e300)),
    ("mood", put("config", "model", "widths", value=[8] * 3)),
    ("digits", put("config", "model", "length", value="long")),
    ("song", put("config", "generate", value=None)),
]  # fmt: skip


@pytest.mark.parametrize("name, change", WRONG, ids=[str(n) for n in range(len(WRONG))])
def test_what_cannot_be_a_model_is_an_error_of_the_family(name, change, forged):
    with pytest.raises(SeqloomError):
        seqloom.load(forged(name, change))


@pytest.fixture(scope="module")
def own_run(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Transformer of this user's, whose positions are learned."""
    sizes = {"name": "transformer", "embedding": 32, "heads": 2, "hidden": 8, "widths": [32], "length": 16}
    folder = tmp_path_factory.mktemp("own") / "run"
    seqloom.train(
        data=str(models / "reviews.tsv"), task="classify", out=folder, model=sizes, steps=2, quiet=True,
        settings=["train.warmup_steps=1"],
    )  # fmt: skip
    return folder


def test_settings_that_ask_for_more_than_the_weights_have_take_no_memory(own_run, tmp_path):
    """Positions for a length of a hundred million would take twelve gigabytes."""
    folder = tmp_path / "run"
    shutil.copytree(own_run, folder)
    saved = json.loads((folder / "config.json").read_text())
    saved["config"]["model"]["length"] = 10**8
    (folder / "config.json").write_text(json.dumps(saved))
    write_manifest(folder)
    found = forked(lambda: seqloom.load(folder), more_bytes=2**28)
    assert found.kind == "error"
    assert "weights do not fit the model" in found.text


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused(value, forged):
    folder = forged("mood")
    weights = read_tensors(folder / "model.safetensors")
    next(iter(weights.values())).view(-1)[3] = value
    write_tensors(folder / "model.safetensors", weights)
    write_manifest(folder)
    with pytest.raises(SeqloomError, match=r"the weights [\w.]+ are not all numbers"):
        seqloom.load(folder)


def test_what_the_manifest_does_not_name_is_not_read(forged):
    for name in ("config.json", "model.safetensors", "text.tokenizer.json"):
        folder = forged("mood")
        manifest = json.loads((folder / "manifest.json").read_text())
        del manifest["files"][name]
        (folder / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(SeqloomError, match=r"missing|no trained model|no tokenizer"):
            seqloom.load(folder)
        shutil.rmtree(folder)


def test_an_extra_tokenizer_is_not_read(forged):
    folder = forged("mood")
    os.mkfifo(folder / "more.tokenizer.json")
    assert list(seqloom.load(folder).task.tokenizers) == ["text"]


def test_a_tokenizer_of_another_size_does_not_fit_the_weights(forged, models):
    folder = forged("mood")
    data = json.loads((folder / "text.tokenizer.json").read_text())
    data["tokens"].append(["another", 1])
    data["fingerprint"] = tokenizer_file.fingerprint(data)
    (folder / "text.tokenizer.json").write_text(tokenizer_file.text_of(data))
    write_manifest(folder)
    with pytest.raises(SeqloomError, match=r"damaged|do not fit"):
        seqloom.load(folder)


# --- the data that settings name ----------------------------------------------------------------------


def test_files_that_a_strangers_settings_name_are_not_opened(models, tmp_path):
    folder, pipe = tmp_path / "mood", tmp_path / "private.tsv"
    shutil.copytree(models / "mood", folder)
    os.mkfifo(pipe)  # to open it would wait for ever
    saved = json.loads((folder / "config.json").read_text())
    saved["config"]["data"]["train"] = str(pipe)
    (folder / "config.json").write_text(json.dumps(saved))
    write_manifest(folder)
    done = typed("evaluate", str(folder), folder=tmp_path)
    assert done.returncode == 1
    assert "was not trained by you on this machine" in done.stderr
    assert "--trust" in done.stderr
    assert seqloom.load(folder)("a fine film").label
    again = seqloom.load(folder).save(tmp_path / "again")
    with pytest.raises(SeqloomError, match="not trained by you"):
        seqloom.load(again).evaluate()


def test_another_users_mark_does_not_count(models, own_run, tmp_path, monkeypatch):
    assert seqloom.load(own_run).evaluate().metrics, "ours does"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    model = seqloom.load(own_run)
    with pytest.raises(SeqloomError, match="not trained by you"):
        model.evaluate()
    assert model.evaluate(trust=True).metrics
    assert model.evaluate(models / "reviews.tsv").metrics
    assert (tmp_path / "seqloom" / "key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "settings, own",
    [
        ({"data": {"train": "embedded:dates", "valid": "", "test": ""}}, True),
        ({"data": {"train": "embedded:dates"}, "teacher": {"model": ""}}, True),
        ({"data": {"train": "embedded:dates", "valid": "/etc/passwd"}}, False),
        ({"data": {"train": "", "sets": [{"tag": "a", "train": "embedded:dates"}]}}, True),
        ({"data": {"train": "", "sets": [{"tag": "a", "train": "/etc/passwd"}]}}, False),
        ({"data": {"train": "embedded:dates", "sets": [{"tag": "a", "test": ["/etc/passwd"]}]}}, False),
        ({"data": {"train": "", "sets": {"a": "/etc/passwd"}}}, False),
        ({"data": {"train": "embedded:dates"}, "teacher": {"model": "/home/you/model"}}, False),
        ({"data": "/etc/passwd"}, False),
        ({"data": ["/etc/passwd"]}, False),
    ],
)
def test_embedded_data_is_nobodys_file_and_any_other_is_somebodys(settings, own, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert is_own(settings, "") is own
    assert is_own(settings, signature_of(settings)), "this user's mark counts"
    other = {**settings, "teacher": {"model": "another"}}
    assert not is_own(other, signature_of(settings)), "for these files and no others"


@pytest.fixture(scope="module")
def two_tasks(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of this user's with two sets of data."""
    folder, train = tmp_path_factory.mktemp("two") / "tasks", str(models / "reviews.tsv")
    sets = [{"tag": tag, "task": "classify", "train": train} for tag in ("one", "two")]
    seqloom.train(
        {"task": "multitask", "data": {"sets": sets}, "model": {"name": "lstm", "embedding": 8, "widths": [8]},
         "train": {"steps": 1, "warmup_steps": 0}},
        out=folder, quiet=True,
    )  # fmt: skip
    return folder


def test_files_of_several_sets_are_not_opened_for_a_stranger(two_tasks, tmp_path):
    folder, pipe = tmp_path / "tasks", tmp_path / "private.tsv"
    os.mkfifo(pipe)  # to open it would wait for ever
    shutil.copytree(two_tasks, folder)
    assert seqloom.load(folder).own
    for place in (folder, folder / "setup"):
        saved = json.loads((place / "config.json").read_text())
        saved["config"]["data"]["sets"][1]["train"] = str(pipe)
        (place / "config.json").write_text(json.dumps(saved))
        write_manifest(place)
    found = forked(lambda: seqloom.load(folder).evaluate(), seconds=10)
    assert (found.kind, "was not trained by you on this machine" in found.text) == ("error", True), found
    done = typed("train", "--resume", str(folder), folder=tmp_path)
    assert done.returncode == 1 and "--trust" in done.stderr


def test_facts_that_make_no_model(two_tasks, tmp_path):
    folder = tmp_path / "tasks"
    shutil.copytree(two_tasks, folder)
    saved = json.loads((folder / "config.json").read_text())
    saved["facts"]["tasks"]["one"]["labels"] = 3
    (folder / "config.json").write_text(json.dumps(saved))
    write_manifest(folder)
    with pytest.raises(SeqloomError, match="holds parts that do not make a model: TypeError"):
        seqloom.load(folder)


def test_a_folder_with_tasks_without_end_is_refused_before_they_are_made(two_tasks, tmp_path):
    """Each is checked as the model that it would be alone: a folder of 5 MB took minutes."""
    folder = tmp_path / "tasks"
    shutil.copytree(two_tasks, folder)
    saved = json.loads((folder / "config.json").read_text())
    (one, _), facts = saved["config"]["data"]["sets"], saved["facts"]["tasks"]["one"]
    saved["config"]["data"]["sets"] = [{**one, "tag": f"task-{number}"} for number in range(30_000)]
    saved["facts"]["tasks"] = {f"task-{number}": facts for number in range(30_000)}
    (folder / "config.json").write_text(json.dumps(saved))
    write_manifest(folder)
    with pytest.raises(SeqloomError, match=r"data\.sets: .* should have at most 1000 items"):
        seqloom.load(folder)


def test_a_pipe_to_measure_on_is_not_waited_for(models, tmp_path):
    os.mkfifo(tmp_path / "data.tsv")
    found = forked(lambda: seqloom.load(models / "mood").evaluate(tmp_path / "data.tsv"), seconds=15)
    assert found.kind == "error" and "a pipe or a device" in found.text, found


def test_weights_are_compared_without_a_number_of_theirs_being_read():
    def make() -> torch.nn.Module:
        return torch.nn.Linear(10**6, 10**6)

    with pytest.raises(SeqloomError, match="weights do not fit"):
        check_shapes(make, {"weight": TensorInfo("F32", (3, 4), 0, 48), "bias": TensorInfo("F32", (3,), 48, 60)})
