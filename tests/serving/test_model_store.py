"""Models by name: loaded once, on first use, and dropped when there is no room."""

import gc
import shutil
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from seqloom.errors import SeqloomError
from seqloom.serving.errors import APIError
from seqloom.serving.model_store import ModelStore
from seqloom.training.checkpoint import folder_of, kept_steps
from seqloom.training.loading import load


@pytest.fixture
def loads(monkeypatch):
    """What was loaded, in order."""
    names = []

    def counted(folder, *, step):
        names.append(folder.name)
        return load(folder, step=step)

    monkeypatch.setattr("seqloom.serving.model_store.load", counted)
    return names


def test_a_model_is_loaded_on_first_use_and_once(models, loads):
    model_store = ModelStore([str(models / "digits"), str(models / "mood")], 10**9)
    assert loads == []
    with ThreadPoolExecutor(8) as many:
        found = list(many.map(model_store.open, ["digits"] * 16))
    assert loads == ["digits"]
    assert len(set(map(id, found))) == 1
    assert found[0]("1 2 3").text == "one two three"


def test_the_one_used_longest_ago_is_dropped(models, loads):
    names = ["digits", "mood", "words"]
    model_store = ModelStore([str(models / name) for name in names], 10**9)
    sizes = {name: model_store.entries[name].size for name in names}
    model_store.model_bytes = sizes["digits"] + max(sizes["mood"], sizes["words"])
    model_store.open("digits")
    dropped = weakref.ref(model_store.open("mood").network)
    model_store.get("digits")
    model_store.open("words")
    assert list(model_store.loaded) == ["digits", "words"]
    gc.collect()
    assert dropped() is None, "its memory is free"
    assert model_store.bytes_in_memory() <= model_store.model_bytes
    model_store.open("mood")
    assert loads == ["digits", "mood", "words", "mood"]


def test_names_are_those_of_folders_or_given(models):
    assert list(ModelStore([str(models / "digits"), f"other={models / 'digits'}"], 10**9).entries) == [
        "digits",
        "other",
    ]


def test_what_cannot_be_served_is_said_before_anything_starts(models, tmp_path):
    digits = str(models / "digits")
    for folders, message in (
        ([digits, digits], "two models are called digits"),
        ([str(tmp_path / "nowhere")], "nowhere"),
        ([str(tmp_path)], str(tmp_path)),
    ):
        with pytest.raises(SeqloomError, match=message):
            ModelStore(folders, 10**9)
    with pytest.raises(SeqloomError, match="bytes of weights, and model_bytes is 1,000"):
        ModelStore([digits], 1000)
    broken = tmp_path / "broken"
    shutil.copytree(models / "digits", broken)
    weights = broken / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    with pytest.raises(SeqloomError, match=r"model\.safetensors"):
        ModelStore([str(broken)], 10**9)


def test_a_run_that_is_not_finished_says_so_and_the_studio_opens_its_checkpoints(models, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(models / "mood", run)
    for name in ("manifest.json", "model.safetensors"):
        (run / name).unlink()
    with pytest.raises(SeqloomError, match="run is a run that is not finished") as refused:
        ModelStore([str(run)], 10**9)
    assert f"seqloom train --resume {run}" in str(refused.value)
    assert f"seqloom studio {run} shows its checkpoints" in str(refused.value)
    store = ModelStore([str(run)], 10**9, "begun")  # as `seqloom studio` opens it
    name = f"run@{kept_steps(run)[-1]}"
    assert store.find(name) and store.open(name)("a fine film").label in ("bad", "good")


def test_a_checkpoint_has_one_name_and_is_counted_in_memory(models):
    """Each name is a model in memory: a client who writes a step in many ways would have it many times."""
    (step,) = kept_steps(models / "mood")[-1:]
    store = ModelStore([str(models / "mood")], 10**9)
    found = store.find(f"mood@{step}")
    assert found is not None and found.step == step
    digits = "".join(chr(0x660 + int(digit)) for digit in str(step))  # as they are written in Arabic
    for other in (
        f"0{step}",
        f"{step:08d}",
        f"+{step}",
        f" {step}",
        f"{step} ",
        digits,
        "",
        "9" * 40,
        "../x",
        f"{step}@{step}",
    ):
        assert store.find(f"mood@{other}") is None, other
    assert list(store.checkpoints) == [f"mood@{step}"]
    store.open(f"mood@{step}")
    files = [folder_of(models / "mood", step) / f"{kind}.safetensors" for kind in ("model", "average")]
    assert store.bytes_in_memory() == sum(file.stat().st_size for file in files if file.exists())


def test_checkpoints_that_are_gone_are_forgotten(models, tmp_path):
    shutil.copytree(models / "mood", tmp_path / "mood")
    (step,) = kept_steps(tmp_path / "mood")[-1:]
    shutil.copytree(folder_of(tmp_path / "mood", step), folder_of(tmp_path / "mood", step + 1))
    store = ModelStore([str(tmp_path / "mood")], 10**9)
    assert store.find(f"mood@{step}") and store.find(f"mood@{step + 1}")
    shutil.rmtree(folder_of(tmp_path / "mood", step))
    assert store.find(f"mood@{step + 1}")
    assert list(store.checkpoints) == [f"mood@{step + 1}"]


def test_a_folder_that_was_swapped_for_another_model_is_not_taken_for_the_first(models, tmp_path):
    shutil.copytree(models / "mood", tmp_path / "model")
    store = ModelStore([str(tmp_path / "model")], 10**9)
    shutil.rmtree(tmp_path / "model")
    shutil.copytree(models / "words", tmp_path / "model")
    with pytest.raises(APIError, match="has changed since this server started") as refused:
        store.open("model")
    assert refused.value.status == 503
