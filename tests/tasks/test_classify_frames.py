"""Classify: sequences of frames."""

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from seqloom.data.corpus import prepare
from seqloom.data.record import Place, Record
from seqloom.data.source import open_source
from seqloom.errors import ConfigError, DataError
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.classify.task import Classify
from seqloom.tasks.frame_inputs import FrameStatistics
from tests.tasks.classified import lines, trained


def wave(direction, length, generator):
    """A bump that moves over five sensors, up or down; the sensors have scales of their own, the last is dead."""
    places = (generator.integers(5) + direction * np.arange(length)) % 5
    bumps = np.eye(5)[places] + 0.1 * generator.normal(size=(length, 5))
    return (bumps * [1, 10, 100, 1e-3, 1] + [0, 500, -3, 0, 7])[:, :4].astype(np.float32)


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frames") / "waves"
    generator = np.random.default_rng(5)
    for name, direction in (("up", 1), ("down", -1)):
        (folder / name).mkdir(parents=True)
        for number in range(60):
            frames = wave(direction, int(generator.integers(6, 13)), generator)
            frames = np.c_[frames, np.full(len(frames), 0.1, np.float32)]
            if number % 2:
                np.save(folder / name / f"{number}.npy", frames)
            else:
                np.savetxt(folder / name / f"{number}.csv", frames, delimiter=",")
    return trained(folder, "train.batch_tokens=200")


def test_frames_are_learned_without_any_tokenizer(moved, tmp_path):
    generator = np.random.default_rng(9)
    dead = np.full((9, 1), 0.1, np.float32)
    up, down = (np.c_[wave(direction, 9, generator), dead] for direction in (1, -1))
    assert moved.task.tokenizers == {}
    assert [answer.label for answer in moved([up, down, down])] == ["up", "down", "down"]
    assert moved(up).text == "array (9, 5)"
    np.save(tmp_path / "down.npy", down)
    np.savetxt(tmp_path / "down.csv", down, delimiter=",")
    for name in ("down.npy", "down.csv"):
        answer = moved(str(tmp_path / name))
        assert answer.label == "down"
        assert answer.text == str(tmp_path / name)
        assert_close(answer.scores["down"], moved({"frames": down}).scores["down"], atol=1e-4, rtol=1e-4)
    (tmp_path / "test" / "up").mkdir(parents=True)
    np.save(tmp_path / "test" / "up" / "1.npy", up)
    assert moved.evaluate(str(tmp_path / "test")).metrics["accuracy"] == 1


def test_the_spread_of_frames_is_that_of_all_of_them_together():
    generator = np.random.default_rng(2)
    parts = [
        (generator.normal(size=(length, 3)) * [1, 50, 0] + [1e3, -2, 0.1]).astype(np.float32) for length in (4, 1, 9)
    ]
    spread = FrameStatistics()
    for part in parts:
        spread.add(Record({"frames": part}, Place("a")))
    together = np.concatenate(parts).astype(np.float64)
    found = spread.facts()
    np.testing.assert_allclose(found["mean"], together.mean(0), rtol=1e-12)
    np.testing.assert_allclose(found["deviation"][:2], together.std(0)[:2], rtol=1e-12)
    assert found["deviation"][2] == 1, "a column that never changes is centred and not blown up"


def test_frames_come_back_from_disk_standardised_and_cut(tmp_path):
    rows = [{"frames": [[1, 10], [3, 30], [5, 50]], "label": "a"}, {"frames": [[3, 10]], "label": "b"}]
    source = open_source(lines(tmp_path / "f.jsonl", rows), task="classify")
    task = Classify.learn(ClassifyConfig(model={"length": 2, "cut": "last"}), source, {})
    corpus = prepare(tmp_path / "corpus", source, task.encode)
    x, y = np.array([1, 3, 5, 3]), np.array([10, 30, 50, 10])
    expected = [
        [(3 - x.mean()) / x.std(), (30 - y.mean()) / y.std()],
        [(5 - x.mean()) / x.std(), (50 - y.mean()) / y.std()],
    ]
    np.testing.assert_allclose(corpus["frames", 0], expected, rtol=1e-6)
    assert corpus["frames", 1].shape == (1, 2)
    assert corpus.lengths("frames").tolist() == [2, 1]
    batch = task.batch(corpus, [1, 0], torch.device("cpu"))
    assert batch.x.shape == (2, 2, 2)
    assert batch.x[0, 1].tolist() == [0, 0]
    assert batch.lengths.tolist() == [1, 2]


def test_a_folder_of_tables_is_read_as_one_of_arrays(tmp_path):
    generator = np.random.default_rng(7)
    for number in range(6):
        frames = generator.normal(size=(number + 1, 3)).astype(np.float32)
        for kind in ("tables", "arrays"):
            (tmp_path / kind / f"label{number % 2}").mkdir(parents=True, exist_ok=True)
        np.save(tmp_path / "arrays" / f"label{number % 2}" / f"{number}.npy", frames)
        np.savetxt(tmp_path / "tables" / f"label{number % 2}" / f"{number}.csv", frames, delimiter=",", header="x,y,z")
    found = []
    for kind in ("tables", "arrays"):
        source = open_source(tmp_path / kind, task="classify")
        task = Classify.learn(ClassifyConfig(), source, {})
        encoded = task.encode(list(source))
        found.append((task.facts, [np.asarray(row).tolist() for row in encoded["frames"]], encoded["answer"]))
    assert found[0] == found[1]
    assert found[0][0]["labels"] == ["label0", "label1"]
    assert [len(rows) for rows in found[0][1]] == [1, 3, 5, 2, 4, 6]


def test_numbers_in_a_row_are_frames_of_width_one(tmp_path):
    rows = [{"frames": [1, 2, 3], "label": "a"}, {"frames": [4], "label": "b"}]
    source = open_source(lines(tmp_path / "f.jsonl", rows), task="classify")
    task = Classify.learn(ClassifyConfig(), source, {})
    assert [np.shape(row) for row in task.encode(list(source))["frames"]] == [(3, 1), (1, 1)]


@pytest.mark.parametrize(
    "given, message",
    [
        (np.ones((3, 4)), r"array \(3, 4\): frames of 4 numbers, and those of training have 5"),
        (np.full((3, 5), np.nan), r"not a finite number"),
        (np.ones((0, 5)), "no frames"),
        (np.ones((2, 3, 5)), "an array of 3 axes"),
        ("nowhere.npy", "nowhere.npy"),
        ({"text": "words"}, "no frames"),
        (3, "an int where frames are read"),
    ],
)
def test_frames_that_cannot_be_read_are_named(moved, given, message):
    with pytest.raises(DataError, match=message):
        moved(given)


def test_a_file_of_several_sequences_is_refused(moved, tmp_path):
    np.save(tmp_path / "three.npy", np.ones((3, 2, 5)))
    with pytest.raises(DataError, match=r"three.npy: holds several sequences"):
        moved(tmp_path / "three.npy")


def test_frames_of_two_widths_cannot_be_learned_from(tmp_path):
    rows = [{"frames": [[1, 2]], "label": "a"}, {"frames": [[1, 2, 3]], "label": "b"}]
    with pytest.raises(DataError, match=r"f.jsonl:2: frames of 3 numbers, and those of training have 2"):
        trained(lines(tmp_path / "f.jsonl", rows), "data.valid_share=0")


def test_one_hot_frames_are_refused(tmp_path):
    rows = [{"frames": [[1, 2]], "label": label} for label in "ab"]
    with pytest.raises(ConfigError, match=r"model.one_hot: frames are numbers"):
        trained(lines(tmp_path / "f.jsonl", rows), "model.one_hot=true")


def test_a_stranger_sends_numbers_and_never_the_name_of_a_file(moved, tmp_path):
    """A server takes inputs through `accept`."""
    frames = np.arange(20, dtype=np.float32).reshape(4, 5)
    np.save(tmp_path / "secret.npy", frames)
    for given in (str(tmp_path / "secret.npy"), {"frames": str(tmp_path / "secret.npy")}, [["a"], [2]], [[1], [2, 3]],
                  [], [[float("nan")] * 5], 7, [[[1.0]]]):  # fmt: skip
        with pytest.raises(DataError, match="are not frames"):
            moved.task.accept(given)
    for sent in (frames.tolist(), {"frames": frames.tolist()}):
        assert moved(moved.task.accept(sent)).scores == moved(frames).scores
