"""Classify: one label, several labels or a number; their losses, and data that does not fit."""

import json
import math
import random
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from seqloom.data.record import Place, Record
from seqloom.data.source import open_source
from seqloom.errors import ConfigError, DataError
from seqloom.tasks.classify.answers import ANSWERS
from seqloom.tasks.classify.settings import AnswerConfig, ClassifyConfig
from seqloom.tasks.classify.task import Classify
from seqloom.training.loading import load
from seqloom.training.run import train
from tests.tasks.classified import THINGS, lines, sentence, trained
from tests.training.reviews import settings as quick
from tests.training.reviews import write_reviews
from tests.typed import typed

# --- several labels --------------------------------------------------------------------------------


def test_several_labels_are_learned_each_by_itself(several):
    answers = several(["a big red it", "the round of", "a it the of", ""])
    assert [answer.labels for answer in answers[:3]] == [["big", "red"], ["round"], []]
    assert str(answers[0]) == "big, red"
    assert answers[0].json()["text"] == "a big red it"
    assert set(answers[0].json()["scores"]) == set(THINGS)
    assert all(0 <= score <= 1 for score in answers[0].scores.values())


def test_several_labels_are_measured(several, tmp_path):
    rows: list[dict[str, Any]] = [
        {"text": "a big it", "labels": ["big"]},
        {"text": "of the a", "labels": []},
        {"text": "red of it", "labels": "big"},
    ]
    found = several.evaluate(str(lines(tmp_path / "test.jsonl", rows)))
    assert found.metrics["exact"] == pytest.approx(2 / 3)
    assert found.metrics["f1"] == pytest.approx(2 * 1 / (2 + 2))
    assert found.selection_score == found.metrics["f1"]
    assert [row[0] for row in found.tables[0].rows] == sorted(THINGS)
    assert json.dumps(found.json())


def test_a_threshold_decides_which_labels_are_given():
    config = ClassifyConfig(classify=AnswerConfig(answer="labels", threshold=0.8))
    answers: Any = ANSWERS["labels"](config, {"labels": ["x", "y", "z"]})
    scores = torch.logit(torch.tensor([0.7, 0.8001, 0.9]))
    assert answers.answer("t", scores).labels == ["y", "z"]
    assert answers.predicted(scores[None]) == [[1, 2]]


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


def test_a_text_that_looks_like_json_is_a_text_where_there_are_no_columns(several):
    assert several("{red of it").labels == several("red of it").labels == ["red"]


def test_an_option_that_the_task_does_not_have_is_an_error(several):
    with pytest.raises(ConfigError, match="temperature: a model for classify has no options"):
        several("red", temperature=0.5)


# --- a number --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    """1000 + 50 for every `up`, less 20 for every `down`, in six words."""
    chance, rows = random.Random(3), []
    for number in range(250):
        up, down = number % 4, number // 4 % 3
        rows.append({"text": sentence(chance, *["up"] * up, *["down"] * down), "label": 1000 + 50 * up - 20 * down})
    file = lines(tmp_path_factory.mktemp("numbers") / "numbers.jsonl", rows)
    return trained(file, "classify.answer=number", "train.steps=250", "model.window=1", "train.schedule=cosine")


def test_a_number_recovers_the_rule_it_was_made_by(counted):
    chance = random.Random(4)
    for up, down in [(0, 0), (3, 0), (1, 2), (2, 1)]:
        answer = counted(sentence(chance, *["up"] * up, *["down"] * down))
        assert answer.number == pytest.approx(1000 + 50 * up - 20 * down, abs=15)
    assert float(str(answer)) == pytest.approx(answer.number, rel=1e-5)
    assert answer.json() == {"text": answer.text, "number": answer.number}


def test_numbers_are_measured_in_their_own_unit(counted, tmp_path):
    texts = ["up a it of the and", "down down a it of the", "up up up a it of"]
    said = [answer.number for answer in counted(texts)]
    rows = [{"text": text, "label": number + 7} for text, number in zip(texts, said, strict=True)]
    found = counted.evaluate(str(lines(tmp_path / "test.jsonl", rows)))
    assert found.metrics["mae"] == pytest.approx(7, abs=1e-2)
    assert found.metrics["rmse"] == pytest.approx(7, abs=1e-2)
    assert found.selection_score == -found.metrics["rmse"]
    assert found.metrics["loss"] == pytest.approx((7 / counted.task.facts["number"]["deviation"]) ** 2, rel=1e-2)


# --- losses ----------------------------------------------------------------------------------------


def answers_of(kind, facts, **model):
    return ANSWERS[kind](ClassifyConfig(classify=AnswerConfig(answer=kind), model=model), facts)


def test_the_loss_of_a_label_is_cross_entropy_and_of_one_score_the_binary_one():
    three = answers_of("label", {"labels": ["a", "b", "c"]})
    scores, targets = torch.randn(5, 3), torch.tensor([0, 2, 1, 1, 0])
    by_hand = -torch.log_softmax(scores, -1)
    smoothed = 0.9 * by_hand[range(5), targets] + 0.1 * by_hand.mean(-1)
    assert_close(three.loss(scores, targets, 0.1), smoothed.sum())
    two = answers_of("label", {"labels": ["no", "yes"]}, name="logistic")
    assert (two.outputs, three.outputs) == (1, 3)
    z, targets = torch.randn(4, 1), torch.tensor([1, 0, 0, 1])
    expected = F.binary_cross_entropy(torch.sigmoid(z[:, 0]), targets.float(), reduction="sum")
    assert_close(two.loss(z, targets), expected)
    assert two.answer("t", torch.tensor([2.0])).scores["yes"] == pytest.approx(1 / (1 + math.exp(-2)))
    assert two.predicted(torch.tensor([[2.0], [-0.1]])) == [1, 0]


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
    assert answers.expected(targets) == [12, 2, 10]
    assert float(answers.loss(torch.tensor([[1.5], [-2.0], [2.0]]), targets)) == pytest.approx(1 + 0 + 4)
    assert answers.answer("t", torch.tensor([-1.0])).number == 6
    with pytest.raises(ConfigError, match=r"train.label_smoothing: a regression has no labels"):
        answers.loss(torch.zeros(3, 1), targets, 0.1)


# --- data that cannot be learned from --------------------------------------------------------------


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


def test_what_of_a_text_was_not_read_or_never_seen_is_reported(tmp_path):
    reviews = write_reviews(tmp_path / "reviews.tsv")
    train(quick(reviews, "train.steps=2", "train.warmup_steps=0"), tmp_path / "run", quiet=True)
    known, long, strange = load(tmp_path / "run")(["a fine film", "fine " * 290, "zzzz qqqq"])
    assert (known.cut, known.unseen) == ("", 0)
    assert known.json().keys() == {"text", "label", "scores"}
    assert (long.cut, long.json()["cut"]) == ("first", True)
    assert (strange.unseen, strange.json()["unseen"]) == (1.0, 1.0)
    done = typed("predict", "run", "fine " * 290, "zzzz qqqq", folder=tmp_path)
    cut, guess = done.stderr.splitlines()
    assert cut.endswith("is longer than the model reads: only its beginning was read")
    assert guess == "'zzzz qqqq': the model has never seen 100% of this, so the answer is a guess"


def test_training_says_that_many_texts_are_cut(tmp_path, capsys):
    reviews = write_reviews(tmp_path / "reviews.tsv")
    train(quick(reviews, "train.steps=1", "train.warmup_steps=0", "model.length=4"), tmp_path / "run")
    assert "inputs have 4 tokens or more: what is beyond is not read; raise model.length" in capsys.readouterr().err


@pytest.mark.parametrize(
    "changes, rows",
    [(["model.name=transformer", "model.heads=2"], ["a", "fine", "film"]), (["model.pooling=attention"], 1)],
)
def test_attention_of_a_classifier_is_written_as_that_of_a_translator_is(tmp_path, changes, rows):
    reviews = write_reviews(tmp_path / "reviews.tsv")
    train(quick(reviews, "train.steps=1", "train.warmup_steps=0", *changes), tmp_path / "run", quiet=True)
    done = typed("predict", "run", "a fine film", "--attention", "weights.json", folder=tmp_path)
    found = json.loads((tmp_path / "weights.json").read_text())
    assert found["source"] == ["a", "fine", "film"]
    assert found["target"] == ([done.stdout.strip()] if rows == 1 else rows)
    assert np.allclose(np.sum(found["weights"], -1), 1, atol=1e-4)
    shown = typed("predict", "run", "a fine film", "--attention", "-", folder=tmp_path)
    assert "film" in shown.stdout and "\u2592" in shown.stdout


def test_a_classifier_without_attention_says_so_after_its_answer(tmp_path):
    reviews = write_reviews(tmp_path / "reviews.tsv")
    train(quick(reviews, "train.steps=1", "train.warmup_steps=0"), tmp_path / "run", quiet=True)
    done = typed("predict", "run", "a fine film", "--attention", "-", folder=tmp_path)
    assert done.returncode == 1 and done.stdout.strip() in ("pos", "neg")
    assert "there is no attention in these answers" in done.stderr
