"""`seqloom vectors`: train, ask, draw; as a person types it."""

import json

import pytest

from seqloom.vectors import read_vectors
from tests.typed import typed

TEXT = "".join(f"the {animal} eats {food} at home\n" for animal in ("cat", "dog") for food in ("fish", "meat")) * 40


@pytest.fixture
def trained(tmp_path):
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    told = typed("vectors", "train", "text.txt", "--out", "w.vec", "--kind", "svd", "--set", "width=4", folder=tmp_path)
    assert (told.returncode, told.stdout) == (0, "w.vec: 8 words, 4 wide\n"), told.stderr
    return tmp_path


def test_words_of_the_same_places_are_near(trained):
    told = typed("vectors", "nearest", "w.vec", "cat", "--count", "1", "--json", folder=trained)
    (near,) = json.loads(told.stdout)["nearest"]
    assert near["word"] == "dog" and near["similarity"] == pytest.approx(1, abs=0.01)
    assert typed("vectors", "nearest", "w.vec", "cat", "dog", "fish", folder=trained).stdout.count("\n") == 5


@pytest.mark.parametrize("kind", ["skip-gram", "cbow"])
@pytest.mark.parametrize("out, form", [("w.bin", "binary"), ("folder", "folder")])
def test_every_kind_is_learned_and_every_form_written(trained, kind, out, form):
    given = [
        "vectors",
        "train",
        "text.txt",
        "--out",
        out,
        "--kind",
        kind,
        "--set",
        "width=3",
        "--set",
        "epochs=1",
        "--lower",
    ]
    assert typed(*given, folder=trained).returncode == 0
    loaded = read_vectors(trained / out)
    assert (loaded.kind, loaded.vectors.width, len(loaded.vectors)) == (form, 3, 8)
    again = typed(*given, folder=trained)
    assert again.stderr == f"{out} already exists\n    -> choose another name; nothing was changed\n"


def test_words_are_drawn(trained):
    assert typed("vectors", "plot", "w.vec", "plane.svg", "cat", "dog", folder=trained).returncode == 0
    assert "svg" in (trained / "plane.svg").read_text(encoding="utf-8")
    assert typed("vectors", "plot", "w.vec", "plane.png", "--count", "5", folder=trained).returncode == 0


@pytest.mark.parametrize(
    "given, what",
    [
        (["train", "text.txt", "--out", "x.vec", "--kind", "glove"], "no kind of vectors is called 'glove'"),
        (["train", "text.txt", "--out", "x.vec", "--set", "min_count=1000"], "no word occurs 1000 times"),
        (["train", "text.txt", "--out", "x.vec", "--set", "widht=3"], "did you mean width?"),
        (["train", "none.txt", "--out", "x.vec"], "none.txt"),
        (["nearest", "w.vec", "cow"], "no word is called 'cow'"),
        (["nearest", "w.vec", "cat", "dog"], "give one word, or three"),
        (["plot", "w.vec", "plane.doc"], "name it .png, .svg or .pdf"),
    ],
)
def test_mistakes_are_told(trained, given, what):
    told = typed("vectors", *given, folder=trained)
    assert told.returncode == 1
    assert what in told.stderr
    assert not (trained / "x.vec").exists()
