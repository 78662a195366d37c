"""Tag: a label for each frame of sound or sensors."""

import json

import numpy as np
import pytest

from seqloom.errors import DataError
from seqloom.models.summary import summarise
from seqloom.storage import read_json
from seqloom.training.loading import load
from seqloom.training.run import train
from tests.sizes import load_fitting

SMALL = [
    "model.embedding=8", "model.widths=[8]", "train.steps=60", "train.warmup_steps=2", "train.learning_rate=0.02",
    "train.batch_tokens=200",
]  # fmt: skip


def steps(generator, length=9):
    """A level that jumps, with noise; the second column never changes. The tag says whether it is high."""
    high = generator.integers(2, size=length).astype(bool)
    levels = 500 + 100.0 * high + generator.normal(size=length)
    return np.c_[levels, np.full(length, 7.0)].tolist(), ["high" if each else "low" for each in high]


def write(file, count=40, seed=1, **changes):
    generator = np.random.default_rng(seed)
    rows = (dict(zip(("frames", "tags"), steps(generator, 3 + n % 9))) for n in range(count))
    file.write_text("".join(json.dumps({**row, **changes}) + "\n" for row in rows))
    return file


def trained(folder, *changes):
    data = write(folder / "levels.jsonl")
    train(load_fitting([*SMALL, *changes], task="tag", data__train=str(data)), folder / "run", quiet=True)
    return load(folder / "run")


@pytest.mark.parametrize("changes", [[], ["tag.head=crf"]])
def test_each_frame_gets_its_tag(tmp_path, changes):
    model = trained(tmp_path, *changes)
    frames, tags = steps(np.random.default_rng(9))
    found = model(np.array(frames, np.float32))
    assert found.tags == tags and len(found.scores) == 9
    assert model({"frames": frames}).tags == tags, "as JSON has it"
    np.save(tmp_path / "one.npy", np.array(frames))
    assert model(str(tmp_path / "one.npy")).tags == tags
    assert model.evaluate(str(write(tmp_path / "test.jsonl", seed=2))).metrics["accuracy"] > 0.95
    assert model.task.tokenizers == {}
    assert len(read_json(tmp_path / "run" / "config.json")["facts"]["frames"]["mean"]) == 2
    assert found.json()["frames"] == 9
    assert str(model(np.array([[600.0, 7.0]] * 3 + [[500.0, 7.0]], np.float32))) == "1-3/high 4-4/low"
    assert summarise(model.network, 256).parameters > 0


def test_a_long_sequence_is_read_in_pieces(tmp_path):
    model = trained(tmp_path, "model.length=4")
    frames, tags = steps(np.random.default_rng(3), 11)
    assert len(model(np.array(frames, np.float32)).tags) == len(tags) == 11


def test_frames_and_tags_open_on_a_page(tmp_path):
    model = trained(tmp_path, "train.steps=3")
    model.explain(np.array(steps(np.random.default_rng(3), 4)[0], np.float32)).save(tmp_path / "page.html")
    assert "Linear projection of a frame" in (tmp_path / "page.html").read_text()


def test_what_does_not_fit_says_where(tmp_path):
    data = write(tmp_path / "bad.jsonl", tags=["high"])
    with pytest.raises(DataError, match=r"unequal frames and tags: 3 and 1(.|\n)*give each frame its tag"):
        train(load_fitting(SMALL, task="tag", data__train=str(data)), tmp_path / "bad", quiet=True)
    model = trained(tmp_path, "train.steps=3")
    with pytest.raises(DataError, match="frames of 3 numbers, and those of training have 2"):
        model(np.zeros((4, 3), np.float32))
    with pytest.raises(DataError, match="are not frames"):
        model.task.accept("one.npy")
