"""Every task gives vectors of what it reads, and finds the nearest by them."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from seqloom.tasks.registry import TASKS
from seqloom.training.loading import load
from seqloom.training.run import train
from seqloom.training.run_config import check_run
from tests.sizes import load_fitting
from tests.tasks.drawings import settings as caption_settings
from tests.tasks.drawings import write_drawings
from tests.tasks.signals import settings as signal_settings
from tests.tasks.signals import signals, write_signals
from tests.tasks.songs import write_song
from tests.tasks.tagged import write_tagged
from tests.tasks.test_multitask import settings as multitask_settings
from tests.tasks.written_numbers import settings as number_settings
from tests.tasks.written_numbers import write_pairs
from tests.training.reviews import write_reviews
from tests.typed import typed

SMALL = [
    "model.embedding=8", "model.widths=[8]", "model.length=6", "train.steps=2", "train.warmup_steps=1",
    "train.batch_tokens=200", "train.choose=false", "train.baseline=false",
]  # fmt: skip
WORDS = ["the can", "you fish we run", "a play my fish they play you can"]


def table(file: Path, column: str, value: object) -> str:
    """Frames with a label, or with as many tags."""
    rows = [{"frames": frames.tolist(), column: value or ["a", "b"] * len(frames)} for frames, _ in signals(12)]
    for number, row in enumerate(rows):
        row[column] = (row[column] + str(number % 2)) if value else row[column][: len(row["frames"])]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(file)


def texts_with_labels(file: Path) -> str:
    file.write_text("label\ttext\n" + "".join(f"{n % 2}\t{WORDS[n % 3]}\n" for n in range(12)))
    return str(file)


def given_arrays(folder: Path) -> list[str]:
    names = [f"{number}.npy" for number in range(3)]
    for name, (frames, _) in zip(names, signals(9, seed=3)[::3], strict=True):
        np.save(folder / name, frames)
    return [str(folder / name) for name in names]


def drawn(folder: Path) -> list[str]:
    return [str(folder / "drawn" / f"{number}.png") for number in (0, 5, 10)]


def of(task: str, data: str):
    return load_fitting(SMALL, task=task, data__train=data)


def two_tasks(folder: Path):
    write_reviews(folder / "reviews.tsv")
    write_tagged(folder / "words.conll", count=20)
    return check_run(multitask_settings(folder, steps=2), where="settings")


CASES = {
    "classify": (lambda f: of("classify", texts_with_labels(f / "a.tsv")), lambda f: WORDS),
    "classify frames": (lambda f: of("classify", table(f / "a.jsonl", "label", "l")), given_arrays),
    "tag": (lambda f: of("tag", str(write_tagged(f / "a.conll", count=20))), lambda f: WORDS),
    "tag frames": (lambda f: of("tag", table(f / "a.jsonl", "tags", None)), given_arrays),
    "generate": (lambda f: of("generate", str(write_song(f / "a.txt", rounds=3))), lambda f: WORDS),
    "translate": (lambda f: number_settings(write_pairs(f / "a.tsv", range(30)), steps=2), lambda f: ["1", "2 0", "9"]),
    "translate frames": (lambda f: signal_settings(str(write_signals(f / "a.jsonl", 12)), steps=2), given_arrays),
    "multitask": (lambda f: two_tasks(f), lambda f: [f"mood {words}" for words in WORDS]),
    "caption": (lambda f: caption_settings(write_drawings(f, times=1), steps=2), drawn),
}


def test_every_task_is_tried():
    assert {name.split()[0] for name in CASES} == {*TASKS}


@pytest.mark.parametrize("name", CASES)
def test_a_source_is_nearest_to_itself_whatever_stands_beside_it(name, tmp_path):
    configured, given = CASES[name]
    train(configured(tmp_path), tmp_path / "run", quiet=True)
    model, sources = load(tmp_path / "run"), given(tmp_path)
    vectors = model.vectors(sources)
    assert vectors.shape[0] == 3 and vectors.dtype == torch.float32 and vectors.isfinite().all()
    for source, vector in zip(sources, vectors, strict=True):
        torch.testing.assert_close(model.vectors([source])[0], vector, atol=1e-5, rtol=1e-4)
    assert model.vectors([]).shape[0] == 0
    done = typed("predict", str(tmp_path / "run"), *sources, "--vectors", folder=tmp_path)
    assert [json.loads(line)["text"] for line in done.stdout.splitlines()] == sources, done.stderr
    (tmp_path / "among.txt").write_text("".join(f"{source}\n" for source in sources))
    asked = ("predict", str(tmp_path / "run"), sources[1], "--nearest", "among.txt", "--count", "2", "--json")
    near = json.loads(typed(*asked, folder=tmp_path).stdout)["nearest"]
    assert len(near) == 2 and near[0]["text"] == sources[1] and near[0]["similarity"] == pytest.approx(1, abs=1e-4)


def test_the_vector_of_a_long_sentence_is_the_mean_over_its_pieces(tmp_path):
    train(of("tag", str(write_tagged(tmp_path / "a.conll", count=20))), tmp_path / "run", quiet=True)
    model = load(tmp_path / "run")
    long, first, last = model.vectors(["the can you fish we run my play", "the can you fish we run", "my play"])
    torch.testing.assert_close(long, (6 * first + 2 * last) / 8, atol=1e-5, rtol=1e-4)
    assert not model.vectors([""]).any(), "of no words"
