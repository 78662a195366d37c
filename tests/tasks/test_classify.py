"""Classify: every kind of answer, of input, and of column beside it."""

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from seqloom.data.record import Place, Record
from seqloom.data.shards import prepare
from seqloom.data.source import open_source
from seqloom.errors import ConfigError, DataError, SeqloomError
from seqloom.tasks.classify.answers import ANSWERS
from seqloom.tasks.classify.inputs.frames import Spread
from seqloom.tasks.classify.settings import AnswerConfig, ClassifyConfig
from seqloom.tasks.classify.task import Classify
from seqloom.training.model import Model, load
from seqloom.training.nearest import nearest
from seqloom.training.run import train
from seqloom.training.run_config import load_run

QUICK = [
    "model.embedding=12", "model.widths=[12]", "model.length=20", "model.name=cnn", "model.dropout=0",
    "train.warmup_steps=5", "train.batch_tokens=400", "train.learning_rate=0.02", "train.evaluate_every=50",
    "train.checkpoint_every=200", "train.steps=100",
]  # fmt: skip
FILLERS = ["a", "the", "of", "it", "and"]
chance = random.Random(3)


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEQLOOM_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def trained(data: Path | str, *changes: str) -> Model:
    out = Path(data).with_name("run")
    train(load_run(None, [*QUICK, *changes], task="classify", data__train=str(data)), out, quiet=True)
    return load(out)


def lines(file: Path, rows) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def sentence(*words: str, length: int = 6) -> str:
    found = [*words, *(chance.choice(FILLERS) for _ in range(length - len(words)))]
    chance.shuffle(found)
    return " ".join(found)


# --- several labels -------------------------------------------------------------------------------

THINGS = ["red", "round", "big"]


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """A thing has every label whose word is in its text; an eighth of them have none."""
    rows = []
    for number in range(240):
        labels = [thing for bit, thing in enumerate(THINGS) if number >> bit & 1]
        rows.append(f'{sentence(*labels, length=chance.randint(3, 7))},"{",".join(labels)}"\n')
    file = tmp_path_factory.mktemp("several") / "things.csv"
    file.write_text("text,labels\n" + "".join(rows), encoding="utf-8")
    return trained(file, "classify.answer=labels", "model.pooling=max")


def test_several_labels_are_learned_each_by_itself(several):
    answers = several(["a big red it", "the round of", "a it the of", ""])
    assert [answer.labels for answer in answers[:3]] == [["big", "red"], ["round"], []]
    assert str(answers[0]) == "big, red"
    assert answers[0].json()["text"] == "a big red it"
    assert set(answers[0].json()["scores"]) == set(THINGS)
    assert all(0 <= score <= 1 for score in answers[0].scores.values())


def test_several_labels_are_measured(several, tmp_path):
    rows = [
        {"text": "a big it", "labels": ["big"]},
        {"text": "of the a", "labels": []},
        {"text": "red of it", "labels": "big"},
    ]
    found = several.evaluate(str(lines(tmp_path / "test.jsonl", rows)))
    assert found.figures["exact"] == pytest.approx(2 / 3)
    assert found.figures["f1"] == pytest.approx(2 * 1 / (2 + 2))
    assert found.decides == found.figures["f1"]
    assert [row[0] for row in found.tables[0].rows] == sorted(THINGS)
    assert json.dumps(found.json())


def test_a_threshold_decides_which_labels_are_given():
    config = ClassifyConfig(classify=AnswerConfig(answer="labels", threshold=0.8))
    answers: Any = ANSWERS["labels"](config, {"labels": ["x", "y", "z"]})
    scores = torch.logit(torch.tensor([0.7, 0.8001, 0.9]))
    assert answers.say("t", scores).labels == ["y", "z"]
    assert answers.decided(scores[None]) == [[1, 2]]


def test_labels_in_a_cell_and_in_a_list_are_the_same(tmp_path):
    def encoded(rows, separator):
        config = ClassifyConfig(classify=AnswerConfig(answer="labels", separator=separator))
        source = open_source(lines(tmp_path / "data.jsonl", rows), task="classify")
        task = Classify.learn(config, source, {})
        return task.facts["labels"], task.encode(list(source))["answer"]

    cells = [{"text": "t", "labels": "b; a;b"}, {"text": "t", "labels": " ; "}, {"text": "t", "labels": "c"}]
    lists = [{"text": "t", "labels": ["b", "a"]}, {"text": "t", "labels": []}, {"text": "t", "labels": ["c"]}]
    assert encoded(cells, ";") == encoded(lists, ",") == (["a", "b", "c"], [[0, 1], [], [2]])
    numbers = [{"text": "t", "labels": [3, 1]}, {"text": "t", "labels": 3}]
    assert encoded(numbers, ",") == (["1", "3"], [[0, 1], [1]])


# --- a number -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """1000 + 50 for every `up`, less 20 for every `down`, in six words."""
    rows = []
    for number in range(250):
        up, down = number % 4, number // 4 % 3
        rows.append({"text": sentence(*["up"] * up, *["down"] * down), "label": 1000 + 50 * up - 20 * down})
    file = lines(tmp_path_factory.mktemp("numbers") / "numbers.jsonl", rows)
    return trained(file, "classify.answer=number", "train.steps=250", "model.window=1", "train.schedule=cosine")


def test_a_number_recovers_the_rule_it_was_made_by(counted):
    for up, down in [(0, 0), (3, 0), (1, 2), (2, 1)]:
        answer = counted(sentence(*["up"] * up, *["down"] * down))
        assert answer.number == pytest.approx(1000 + 50 * up - 20 * down, abs=15)
    assert float(str(answer)) == pytest.approx(answer.number, rel=1e-5)
    assert answer.json() == {"text": answer.text, "number": answer.number}


def test_numbers_are_measured_in_their_own_unit(counted, tmp_path):
    texts = ["up a it of the and", "down down a it of the", "up up up a it of"]
    said = [answer.number for answer in counted(texts)]
    rows = [{"text": text, "label": number + 7} for text, number in zip(texts, said, strict=True)]
    found = counted.evaluate(str(lines(tmp_path / "test.jsonl", rows)))
    assert found.figures["mae"] == pytest.approx(7, abs=1e-2)
    assert found.figures["rmse"] == pytest.approx(7, abs=1e-2)
    assert found.decides == -found.figures["rmse"]
    assert found.figures["loss"] == pytest.approx((7 / counted.task.facts["number"]["deviation"]) ** 2, rel=1e-2)


# --- losses ---------------------------------------------------------------------------------------


def answers_of(kind, facts, **model):
    return ANSWERS[kind](ClassifyConfig(classify=AnswerConfig(answer=kind), model=model), facts)


def test_the_loss_of_a_label_is_cross_entropy_and_of_one_score_the_binary_one():
    three = answers_of("label", {"labels": ["a", "b", "c"]})
    scores, targets = torch.randn(5, 3), torch.tensor([0, 2, 1, 1, 0])
    by_hand = -torch.log_softmax(scores, -1)
    smoothed = 0.9 * by_hand[range(5), targets] + 0.1 * by_hand.mean(-1)
    assert_close(three.loss(scores, targets, 0.1), smoothed.sum())
    two = answers_of("label", {"labels": ["no", "yes"]}, name="logistic")
    assert (two.scores, three.scores) == (1, 3)
    z, targets = torch.randn(4, 1), torch.tensor([1, 0, 0, 1])
    expected = F.binary_cross_entropy(torch.sigmoid(z[:, 0]), targets.float(), reduction="sum")
    assert_close(two.loss(z, targets), expected)
    assert two.say("t", torch.tensor([2.0])).scores["yes"] == pytest.approx(1 / (1 + math.exp(-2)))
    assert two.decided(torch.tensor([[2.0], [-0.1]])) == [1, 0]


def test_the_loss_of_several_labels_is_binary_cross_entropy_of_each():
    answers = answers_of("labels", {"labels": ["a", "b", "c"]})
    targets = answers.targets([np.array([0, 2]), np.array([], np.uint16)], torch.device("cpu"))
    assert targets.tolist() == [[1, 0, 1], [0, 0, 0]]
    scores = torch.randn(2, 3)
    p = torch.sigmoid(scores)
    assert_close(answers.loss(scores, targets), F.binary_cross_entropy(p, targets, reduction="sum"))
    wanted = torch.tensor([[0.9, 0.1, 0.9], [0.1, 0.1, 0.1]])
    assert_close(answers.loss(scores, targets, 0.2), -(wanted * p.log() + (1 - wanted) * (1 - p).log()).sum())


def test_the_loss_of_a_number_is_squared_error_and_cannot_be_smoothed():
    answers = answers_of("number", {"number": {"mean": 10.0, "deviation": 4.0}})
    encoded = [answers.encode(Record({"label": value}, Place("a"))) for value in ("12", 2, "10.0")]
    targets = answers.targets(encoded, torch.device("cpu"))
    assert targets.tolist() == [0.5, -2.0, 0.0]
    assert answers.right(targets) == [12, 2, 10]
    assert float(answers.loss(torch.tensor([[1.5], [-2.0], [2.0]]), targets)) == pytest.approx(1 + 0 + 4)
    assert answers.say("t", torch.tensor([-1.0])).number == 6
    with pytest.raises(ConfigError, match=r"train.label_smoothing: a number has no labels"):
        answers.loss(torch.zeros(3, 1), targets, 0.1)


# --- columns beside the text ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def aged(tmp_path_factory):
    """Young or old, which the text does not say; the names of two columns are the user's own."""
    rows = []
    for number in range(300):
        age = chance.randint(1, 99)
        older = age > (30 if number % 3 == 0 else 70)
        rows.append({
            "review": sentence(), "kind": ("young", "old")[older], "age": age, "turned": number % 3 == 0,
            "city": chance.choice(["Ulm", "Bonn"]), "left": {"nested": 1},
        })  # fmt: skip
    del rows[0]["city"]
    file = lines(tmp_path_factory.mktemp("aged") / "people.jsonl", rows)
    return trained(
        file, "data.columns.text=review", "data.columns.label=kind", 'classify.numbers=["age"]',
        'classify.binary=["turned"]', 'classify.categories=["city"]', "train.steps=150",
    )  # fmt: skip


def test_a_column_beside_the_text_decides_where_the_text_cannot(tmp_path):
    rows = [
        {"text": sentence(), "label": "left" if number % 2 else "right", "x": -3 - number % 2} for number in range(99)
    ]
    model = trained(lines(tmp_path / "sides.jsonl", rows), 'classify.numbers=["x"]', "model.name=logistic")
    assert [answer.label for answer in model([{"text": "it", "x": -3}, {"text": "it", "x": "-4"}])] == ["right", "left"]


def test_feature_columns_survive_when_columns_are_named(aged):
    assert aged.config.data.columns == {
        "age": "age",
        "turned": "turned",
        "city": "city",
        "text": "review",
        "label": "kind",
    }
    assert sorted(aged.task.features.names) == ["age", "city=Bonn", "city=Ulm", "turned"]
    assert aged.network.readout.W_hy.shape == (12 + 4, 2)
    given = [
        {"text": "it", "age": 50, "turned": True},
        {"text": "it", "age": 50, "turned": "no", "city": "Rom"},
        {"text": "it", "age": "95", "turned": 0, "city": "Ulm"},
    ]
    assert [answer.label for answer in aged(given)] == ["old", "young", "old"]


def test_an_input_with_columns_may_be_written_as_json_and_named_as_in_training(aged):
    given = {"text": "it", "age": 80, "turned": 0}
    expected = aged(given)
    assert aged(json.dumps(given)) == expected
    assert aged({"review": "it", "age": "80", "turned": "no"}) == expected
    assert expected.text == "it"


def test_a_text_that_looks_like_json_is_a_text_where_there_are_no_columns(several):
    assert several("{red of it").labels == several("red of it").labels == ["red"]


@pytest.mark.parametrize(
    "given, message",
    [
        ({"text": "it", "turned": 1}, r"no column is called 'age'; there are: text, turned"),
        ({"text": "it", "age": "old", "turned": 1}, r"column 'age': 'old' is no number"),
        ({"text": "it", "age": 3, "turned": 7}, r"column 'turned': 7 is neither 0 nor 1"),
        ({"age": 3, "turned": 1}, r"no text; there are: age, turned"),
        ("plain text", r"input 'plain text': no column is called 'age'"),
        ('{"text": "it", "age": }', "not JSON"),
        (np.ones((2, 3)), r"array \(2, 3\): an array where a text is read"),
        (None, "a NoneType where a text is read"),
        (b"bytes", "a bytes where a text is read"),
    ],
)
def test_inputs_that_cannot_be_read_are_named(aged, given, message):
    with pytest.raises(DataError, match=message):
        aged(given)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"numbers": ["age"], "binary": ["age"]}, "age is named twice"),
        ({"categories": ["label"]}, "label is no column beside the text"),
        ({"separator": ""}, "separator"),
        ({"answer": "colour"}, "answer"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        load_run(None, [], task="classify", classify=settings)


def test_a_column_of_categories_that_is_not_there_is_named(tmp_path):
    file = lines(tmp_path / "a.jsonl", [{"text": "a", "label": "x"}, {"text": "b", "label": "y"}])
    with pytest.raises(DataError, match=r"a.jsonl: no record has a value in column 'contry'"):
        trained(file, 'classify.categories=["contry"]', "data.valid_share=0")


# --- frames ---------------------------------------------------------------------------------------


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
            np.save(folder / name / f"{number}.npy", np.c_[frames, np.full(len(frames), 0.1, np.float32)])
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
    assert moved.evaluate(str(tmp_path / "test")).figures["accuracy"] == 1


def test_the_spread_of_frames_is_that_of_all_of_them_together():
    generator = np.random.default_rng(2)
    parts = [
        (generator.normal(size=(length, 3)) * [1, 50, 0] + [1e3, -2, 0.1]).astype(np.float32) for length in (4, 1, 9)
    ]
    spread = Spread()
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
        (3, "a int where frames are read"),
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


# --- data that cannot be learned from -------------------------------------------------------------


@pytest.mark.parametrize(
    "rows, answer, message",
    [
        ([{"text": "t", "label": 3}, {"text": "t", "label": "high"}],
         "number", r"d.jsonl:2: column 'label': 'high' is no num"),
        ([{"text": "t", "label": 3}, {"text": "t", "label": 3}], "number", "every text has the number 3"),
        ([{"text": "t", "labels": []}, {"text": "t", "labels": ""}], "labels", "no text has a label"),
        ([{"text": "t", "labels": ["a"]}, {"text": "t", "labels": None}], "labels", "d.jsonl:2: no labels"),
        ([{"text": "t", "labels": ["a", "b"]}], "label", r"d.jsonl:1: column 'labels': \['a', 'b'\] is not one label"),
        ([{"text": "t", "label": "a"}, {"text": "t", "label": " "}], "labels", "d.jsonl:2: empty label"),
    ],
)  # fmt: skip
def test_data_of_another_kind_is_named_with_its_line(tmp_path, rows, answer, message):
    with pytest.raises(DataError, match=message):
        trained(lines(tmp_path / "d.jsonl", rows), f"classify.answer={answer}", "data.valid_share=0")


def test_a_label_never_seen_is_named_among_several(several, tmp_path):
    file = lines(tmp_path / "test.jsonl", [{"text": "t", "labels": ["red"]}, {"text": "t", "labels": ["red", "green"]}])
    with pytest.raises(DataError, match=r"test.jsonl:2: the label 'green' was never seen in training"):
        several.evaluate(str(file))


# --- vectors --------------------------------------------------------------------------------------


def test_vectors_stand_in_the_order_of_the_texts_and_are_what_is_read_out(several):
    texts = ["a big red it the of", "red", "", "the round"]
    vectors = several.vectors(texts)
    assert vectors.shape == (4, 12) and vectors.dtype == torch.float32
    for text, vector in zip(texts, vectors, strict=True):
        assert_close(several.vectors([text])[0], vector)
        chances = torch.sigmoid(several.network.readout(vector)).tolist()
        assert list(several(text).scores.values()) == pytest.approx(chances, abs=1e-5)


def test_texts_of_like_sense_are_near(several):
    near = several.nearest("the red it", ["a round of", "of red the", "big it a", "it of the"], count=2)
    assert near[0][0] == "of red the"
    assert [len(near), near[0][1] > near[1][1]] == [2, True]


PLACES = {"east": (2.0, 0.0), "north": (0.0, 3.0), "north-east": (1.0, 1.0), "west": (-1.0, 0.0), "nowhere": (0.0, 0.0)}


def hand_made(texts):
    return torch.tensor([PLACES[text] for text in texts])


def test_nearest_is_by_cosine_and_the_first_of_equals():
    among = ["west", "north-east", "nowhere", "north", "east", "north"]
    (near,) = nearest(hand_made, ["north"], among, count=5)
    assert [text for text, _ in near] == ["north", "north", "north-east", "west", "nowhere"]
    assert [value for _, value in near] == pytest.approx([1, 1, math.sqrt(0.5), 0, 0], abs=1e-6)


def test_nearest_reads_any_number_of_texts_a_batch_at_a_time():
    most = 0

    def watched(texts):
        nonlocal most
        most = max(most, len(texts))
        return hand_made(texts)

    among = (["west", "nowhere"][number % 2] if number != 700 else "north-east" for number in range(1000))
    found = nearest(watched, ["east", "west"], among, count=2)
    assert found[0][0][0] == "north-east"
    assert found[0][0][1] == pytest.approx(math.sqrt(0.5))
    assert [text for text, _ in found[1]] == ["west", "west"]
    assert most <= 256


def test_nearest_of_nothing_is_an_error():
    with pytest.raises(DataError, match="no texts to choose"):
        nearest(hand_made, ["east"], [], 5)
    with pytest.raises(SeqloomError, match="0 texts were asked for"):
        nearest(hand_made, ["east"], ["west"], 0)


def test_vectors_of_one_text_want_a_list(several):
    with pytest.raises(SeqloomError, match="one text where several"):
        several.vectors("red")


def test_vectors_are_drawn_by_label(several, tmp_path):
    texts = ["a red it", "the round", "a red it", "big of"]
    several.plot_vectors(texts, ["r", "o", "again", "b"], tmp_path / "plane.svg")
    assert "<svg" in (tmp_path / "plane.svg").read_text()
    with pytest.raises(SeqloomError, match="1 labels for 4 texts"):
        several.plot_vectors(texts, ["r"], tmp_path / "other.svg")
    assert not (tmp_path / "other.svg").exists()


def test_an_option_that_the_task_does_not_have_is_an_error(several):
    with pytest.raises(ConfigError, match="temperature: a model for classify has no options"):
        several("red", temperature=0.5)
