"""A model folder is data: what its settings name may be installed, but code that lies in the folder is never run."""

import importlib
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import seqloom
from seqloom.errors import SeqloomError
from seqloom.models import registry
from seqloom.storage import write_manifest
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.forked import forked
from tests.once import once
from tests.training.reviews import QUICK, write_reviews

REFUSED = r"lies in the model folder \(.*\), and nothing in a model folder is run"


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        data = str(write_reviews(folder / "data.tsv"))
        config = load_run(None, [*QUICK, "train.steps=2", "train.warmup_steps=1"], task="classify", data__train=data)
        train(config, folder / "run", quiet=True)

    return once(tmp_path_factory, "harmless", make) / "run"


class Malicious:
    """A trained folder whose settings name code that came with it; the code leaves a mark when it is run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.mark = folder, folder.parent / "was-run"

    def write(self, file: str) -> None:
        place = self.folder / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(
            f"import pathlib\npathlib.Path({str(self.mark)!r}).touch()\nfrom seqloom.layers import lstm as cell\n"
        )

    def name(self, *, task: str = "classify", model: str = "lstm", **more: Any) -> None:
        saved = json.loads((self.folder / "config.json").read_text())
        saved["config"]["task"], saved["config"]["model"]["name"] = task, model
        (self.folder / "config.json").write_text(json.dumps({**saved, **more}))
        write_manifest(self.folder)

    def is_refused(self, match: str = REFUSED) -> None:
        with pytest.raises(SeqloomError, match=match):
            seqloom.load(self.folder)
        assert not self.mark.exists()


@pytest.fixture
def malicious(tmp_path, trained, monkeypatch):
    made = Malicious(tmp_path / "run")
    shutil.copytree(trained, made.folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    yield made
    for name in [name for name in sys.modules if name.split(".")[0] in ("evil", "run")]:
        del sys.modules[name]


@pytest.mark.parametrize("place", ["current", "path", "link"])
@pytest.mark.parametrize("reference, file", [("evil:cell", "evil.py"), ("evil.deep:cell", "evil/deep.py")])
def test_code_in_a_model_folder_is_not_run(malicious, monkeypatch, place, reference, file):
    malicious.write(file)
    malicious.name(model=reference)
    if place == "current":
        monkeypatch.chdir(malicious.folder)
    elif place == "path":
        sys.path.insert(0, str(malicious.folder))
    else:
        (malicious.folder.parent / "link").symlink_to(malicious.folder)
        sys.path.insert(0, str(malicious.folder.parent / "link"))
    malicious.is_refused()


def test_code_that_is_a_link_out_of_the_folder_is_not_run(malicious):
    malicious.write("../blobs/1234")
    (malicious.folder / "evil.py").symlink_to("../blobs/1234")
    malicious.name(model="evil:cell")
    sys.path.insert(0, str(malicious.folder))
    malicious.is_refused()


def test_a_package_around_the_folder_does_not_help(malicious):
    malicious.write("evil.py")
    malicious.name(model="run.evil:cell")
    malicious.is_refused()


def test_nor_does_a_package_of_the_same_name_that_was_imported_before(malicious, tmp_path):
    """A namespace package grows when the current folder joins the path: what was looked at had no such module yet."""
    place = malicious.folder.rename(tmp_path / "namespace")
    malicious.folder = place
    (tmp_path / "elsewhere" / "namespace").mkdir(parents=True)
    (tmp_path / "elsewhere" / "namespace" / "harmless.py").write_text("")
    malicious.write("evil.py")
    malicious.name(model="namespace.evil:cell")

    def load_it() -> str:
        sys.path[:] = [str(tmp_path / "elsewhere"), *(each for each in sys.path if each not in ("", str(tmp_path)))]
        importlib.import_module("namespace.harmless")
        return str(seqloom.load(place))

    found = forked(load_it)
    assert (found.kind, malicious.mark.exists()) == ("error", False), found.text
    assert re.search(REFUSED, found.text)


def test_code_that_was_imported_before_is_refused_too(malicious):
    malicious.write("evil.py")
    malicious.name(model="evil:cell")
    sys.path.insert(0, str(malicious.folder))
    __import__("evil")
    malicious.mark.unlink()
    malicious.is_refused()


def test_a_task_and_a_recorded_origin_are_held_to_the_same(malicious, monkeypatch):
    malicious.write("evil.py")
    monkeypatch.chdir(malicious.folder)
    malicious.name(task="evil:cell")
    malicious.is_refused()
    malicious.name(model="evil:cell", architectures={"name": {"reference": "evil:cell", "sha256": ""}})
    malicious.is_refused()


def test_entry_points_that_came_with_the_folder_are_left_out(malicious, monkeypatch, capsys):
    malicious.write("evil.py")
    malicious.write("evil-1.0.dist-info/METADATA")
    (malicious.folder / "evil-1.0.dist-info" / "entry_points.txt").write_text(
        f"[{registry.ENTRY_POINTS}]\nlstm = evil:cell\nnew = evil\n[seqloom.tasks]\nother = evil:cell\n"
    )
    sys.path.insert(0, str(malicious.folder))
    monkeypatch.setattr(registry, "load_all", registry.load_all.__wrapped__)
    malicious.name(task="other")
    malicious.is_refused()
    malicious.name(model="new")
    malicious.is_refused("no architecture is called 'new'")
    assert "left out the architecture new" in capsys.readouterr().err


def test_the_current_folder_is_searched_but_not_if_it_is_the_model_folder(malicious, monkeypatch):
    malicious.write("../evil.py")
    malicious.name(model="evil:cell")
    assert seqloom.load(malicious.folder)("a warm film").label
    assert malicious.mark.exists()
    before = [*sys.path]
    monkeypatch.chdir(malicious.folder)
    malicious.name(model="nothing_here:cell")
    with pytest.raises(SeqloomError, match="cannot import nothing_here"):
        seqloom.load(malicious.folder)
    assert sys.path == before
