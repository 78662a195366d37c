"""configs/diversify.py: the pairs as they are, then as trained models would have written them."""

import gzip
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import seqloom

SCRIPT = Path(__file__).parents[2] / "configs/diversify.py"
MODELS = {"up": str.upper, "backwards": lambda text: text[::-1], "silent": lambda text: ""}


@pytest.fixture
def diversify(tmp_path, monkeypatch):
    """Runs the script on two pairs with models that are plain functions, and reads what it wrote."""
    (tmp_path / "source.txt.gz").write_bytes(gzip.compress(b"ein Hund\nzwei Katzen\n"))
    (tmp_path / "target.txt").write_text("a dog\ntwo cats\n")

    def load(folder):
        return lambda texts, **options: [SimpleNamespace(text=MODELS[folder.name](text)) for text in texts]

    def run(*arguments, target="target.txt"):
        typed = ["diversify.py", tmp_path / "source.txt.gz", tmp_path / target, tmp_path / "out", *arguments]
        monkeypatch.setattr(sys, "argv", [str(each) for each in typed])
        monkeypatch.setattr(seqloom, "load", load)
        runpy.run_path(str(SCRIPT), run_name="__main__")
        return [(tmp_path / "out" / f"{side}.txt").read_text().splitlines() for side in ("source", "target")]

    return run


def test_answers_stand_beside_what_they_answer(diversify):
    sources, targets = diversify("--forward", "up", "--backward", "backwards")
    assert sources == ["ein Hund", "zwei Katzen"] * 3 + ["god a", "stac owt"]
    assert targets == ["a dog", "two cats"] * 2 + ["EIN HUND", "ZWEI KATZEN"] + ["a dog", "two cats"]


def test_empty_answers_are_left_out(diversify):
    sources, targets = diversify("--forward", "silent")
    assert (sources, targets) == (["ein Hund", "zwei Katzen"] * 2, ["a dog", "two cats"] * 2)


def test_files_that_are_no_pairs_say_so(diversify, tmp_path):
    (tmp_path / "short.txt").write_text("a dog\n")
    with pytest.raises(SystemExit, match=r"has 2 lines.*short\.txt 1"):
        diversify(target="short.txt")
    with pytest.raises(SystemExit, match=r"none\.txt"):
        diversify(target="none.txt")
