"""`seqloom evaluate --against`: every task says whether two models differ by more than chance."""

import json

import numpy as np
import pytest

from seqloom.training.run import train
from tests.sizes import load_fitting
from tests.tasks.songs import write_song
from tests.tasks.tagged import write_tagged
from tests.training.reviews import write_reviews
from tests.typed import typed

SMALL = [
    "model.embedding=8", "model.widths=[8]", "model.length=16", "train.warmup_steps=1", "train.learning_rate=0.02",
    "train.evaluate_every=100", "train.batch_tokens=200",
]  # fmt: skip


def write_numbers(file):
    file.write_text("".join(f"{n % 7 / 2}\t{' '.join(['more'] * (n % 7 + 1))}\n" for n in range(60)))
    return file


DATA = {
    "classify": ("accuracy", lambda folder: write_reviews(folder / "data.tsv"), []),
    "labels": ("f1", lambda folder: write_reviews(folder / "data.tsv"), ["classify.answer=labels"]),
    "number": ("rmse", lambda folder: write_numbers(folder / "data.tsv"), ["classify.answer=number"]),
    "tag": ("accuracy", lambda folder: write_tagged(folder / "data.conll"), []),
    "spans": ("f1", lambda folder: write_tagged(folder / "data.conll", "names"), []),
    "generate": ("bits_per_character", lambda folder: write_song(folder / "data.txt"), []),
    "masked": ("loss", lambda folder: write_song(folder / "data.txt"), ["generate.objective=masked"]),
}
TASKS = {"labels": "classify", "number": "classify", "spans": "tag", "masked": "generate"}


@pytest.mark.parametrize("kind", DATA)
def test_two_models_are_compared_example_by_example(kind, tmp_path):
    measure, write, changes = DATA[kind]
    data = write(tmp_path)
    for name, steps in (("short", 2), ("long", 40)):
        config = load_fitting(
            [*SMALL, *changes, f"train.steps={steps}"], task=TASKS.get(kind, kind), data__train=str(data)
        )
        train(config, tmp_path / name, quiet=True)
    done = typed("evaluate", "short", str(data), "--against", "long", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for side in ("first", "second"):
        assert np.isclose(found["compared"][side], found[side][measure])
    assert 0 < found["compared"]["randomisation_p"] <= 1
    shown = typed("evaluate", "short", str(data), "--against", "long", folder=tmp_path).stdout
    assert f"{measure}: the same examples, two models" in shown


def test_language_models_with_different_tokenizers_are_compared_by_character(tmp_path):
    song = write_song(tmp_path / "song.txt")
    for kind in ("character", "word"):
        config = load_fitting([*SMALL, f"tokens.kind={kind}", "train.steps=3"], task="generate", data__train=str(song))
        train(config, tmp_path / kind, quiet=True)
    done = typed("evaluate", "character", str(song), "--against", "word", "--json", folder=tmp_path)
    found = json.loads(done.stdout)
    assert np.isclose(found["compared"]["second"], found["second"]["bits_per_character"])
