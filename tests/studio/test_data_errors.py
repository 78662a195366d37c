"""What a model gets wrong on its validation part: the same examples, answers and losses as its evaluation has."""

from collections.abc import Callable
from pathlib import Path

import pytest

import seqloom
from seqloom.errors import SeqloomError
from seqloom.studio import data_errors as module
from seqloom.studio.data_errors import data_errors
from seqloom.training.model import Model
from seqloom.training.run import train
from tests.conftest import QUICK
from tests.sizes import load_fitting
from tests.tasks.songs import LINES, write_song
from tests.tasks.tagged import write_tagged
from tests.tasks.written_numbers import settings, write_pairs


def mean(examples: list[dict[str, float]], weight: Callable[[dict[str, float]], float]) -> float:
    return sum(one["loss"] * weight(one) for one in examples) / sum(map(weight, examples))


def trained(place: Path, task: str, data: Path, model: str) -> Model:
    train(load_fitting(QUICK, task=task, data__train=str(data), model__name=model), place / "run", quiet=True)
    return seqloom.load(place / "run")


def test_the_examples_of_a_classifier_are_those_of_its_evaluation(moods):
    found = data_errors(moods, lambda: True)
    examples, measured = found["examples"], moods.evaluate().metrics
    assert found["all"] and found["read"] == len(examples) > 0
    assert sum(one["right"] for one in examples) / len(examples) == pytest.approx(measured["accuracy"])
    assert mean(examples, lambda one: 1) == pytest.approx(measured["loss"], abs=1e-4)
    assert [one["loss"] for one in examples] == sorted((one["loss"] for one in examples), reverse=True)
    assert all(one["right"] == (one["true"] == one["given"]) and one["typed"] for one in examples)
    assert data_errors(moods, lambda: False) is found  # kept: nobody has to wait for it again


@pytest.mark.parametrize("head", ["softmax", "crf"])
def test_a_sentence_has_a_tag_for_each_word(tmp_path, head):
    data = write_tagged(tmp_path / "tagged.conll")
    config = load_fitting(QUICK, task="tag", data__train=str(data), model__name="gru", tag__head=head)
    train(config, tmp_path / "run", quiet=True)
    model = seqloom.load(tmp_path / "run")
    examples, measured = data_errors(model, lambda: True)["examples"], model.evaluate().metrics
    pairs = [pair for one in examples for pair in zip(one["true"], one["given"], strict=True)]
    assert sum(true == given for true, given in pairs) / len(pairs) == pytest.approx(measured["accuracy"])
    assert mean(examples, lambda one: one["length"]) == pytest.approx(measured["loss"], abs=1e-4)


def test_a_translation_has_the_loss_of_what_is_right(tmp_path):
    train(settings(write_pairs(tmp_path / "pairs.tsv"), steps=20), tmp_path / "run", quiet=True)
    model = seqloom.load(tmp_path / "run")
    examples, measured = data_errors(model, lambda: True)["examples"], model.evaluate().metrics
    assert sum(one["right"] for one in examples) / len(examples) == pytest.approx(measured["exact"])
    tokens = {one["input"]: len(model.task.tokenizers["text"].encode(one["expected"])) + 1 for one in examples}
    assert mean(examples, lambda one: tokens[one["input"]]) == pytest.approx(measured["loss"], abs=1e-3)


def test_texts_are_neither_right_nor_wrong(tmp_path):
    model = trained(tmp_path, "generate", write_song(tmp_path / "song.txt"), "gru")
    examples = data_errors(model, lambda: True)["examples"]
    assert examples and {one["right"] for one in examples} == {None}
    assert all(one["loss"] > 0 for one in examples)
    assert all(one["typed"] and one["input"] in LINES for one in examples)  # blank lines are no examples


def test_what_is_too_much_is_not_looked_at(moods, monkeypatch):
    def looked_at(**bounds: float) -> dict[str, object]:
        with monkeypatch.context() as patched:
            for name, value in bounds.items():
                patched.setattr(module, name, value)
            return module.looked_at(moods, lambda: True)

    whole = looked_at()["read"]
    assert len(looked_at(EXAMPLES=2)["examples"]) == 2  # type: ignore[arg-type]
    few = looked_at(RECORDS=3)
    assert (few["read"], few["all"]) == (3, False)
    assert len(looked_at(SECONDS=-1.0, AT_ONCE=1)["examples"]) == 1 < whole  # type: ignore[arg-type,operator]
    assert len(looked_at(REPLY_CHARACTERS=1, AT_ONCE=2)["examples"]) == 2  # type: ignore[arg-type]
    assert all(one["cut"] for one in looked_at(CHARACTERS=4)["examples"])  # type: ignore[attr-defined]
    with pytest.raises(SeqloomError, match="cut from 0 MiB of training data"):
        looked_at(FILE_BYTES=10)


def test_a_model_of_somebody_else_opens_no_file_and_nobody_waits_in_vain(moods):
    with pytest.raises(SeqloomError, match="was not trained by you"):
        data_errors(Model(moods.config, moods.task, moods.network, own=False), lambda: True)
    with pytest.raises(SeqloomError, match="the client is gone"):
        data_errors(Model(moods.config, moods.task, moods.network), lambda: False)
