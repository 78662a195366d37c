"""A model looked at while it answers: what is seen is what the model computes when nobody looks."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch

import seqloom
from seqloom.errors import SeqloomError
from seqloom.tasks.inspection import Inspection, InspectOptions
from seqloom.training.model import Model


def look(model: Model, text: str, **options: Any) -> Inspection:
    *steps, seen = model.task.inspect(model.network, text, InspectOptions(**options))
    assert steps == [None] * len(steps)
    assert seen is not None
    return seen


@pytest.fixture(scope="module")
def reader(digits: Path) -> Model:
    return seqloom.load(digits)


def test_a_translator_shows_the_answer_it_gives_and_its_probability(reader):
    seen, answer = look(reader, "4 0 7"), reader("4 0 7")
    assert str(seen.answer) == answer.text == "four zero seven"
    assert seen.rows == {"source": ["4", "0", "7", "<eos>"], "target": ["four", "zero", "seven", "<eos>"]}
    chosen = [step.chosen for step in seen.steps]
    assert math.prod(one.probability for one in chosen) == pytest.approx(answer.certainty, rel=1e-4)
    assert all(step.candidates[0].probability >= step.chosen.probability for step in seen.steps)
    (attention,) = seen.attention
    assert torch.allclose(
        torch.from_numpy(attention.map.weights), torch.from_numpy(answer.attention.weights), atol=1e-5
    )


def test_another_token_is_followed_by_what_the_model_writes_then(reader):
    seen = look(reader, "4 0 7")
    other = seen.steps[1].candidates[1]
    changed = look(reader, "4 0 7", prefix=(seen.steps[0].chosen.id, other.id))
    assert str(changed.answer).startswith(f"four {other.token}")
    assert changed.steps[1].chosen.probability == pytest.approx(other.probability, rel=1e-4)


def test_the_tree_of_beam_search_holds_the_answer_and_at_most_so_many_hypotheses(reader):
    seen = look(reader, "1 2", beam=3)
    assert [node.token for node in seen.tree if node.best] == ["one", "two", "<eos>"]  # where the answer ends too
    *live, end = seen.tree
    assert end.best and seen.tree[end.parent].token == "two"
    assert end.probability == pytest.approx(seen.steps[-1].chosen.probability)
    depths: list[int] = []
    for number, node in enumerate(live):
        assert node.parent < number
        depths.append(0 if node.parent < 0 else depths[node.parent] + 1)
        before = 0.0 if node.parent < 0 else seen.tree[node.parent].total
        assert node.total == pytest.approx(before + math.log(node.probability), abs=1e-4)
    assert max(map(depths.count, depths)) <= 3


@pytest.mark.parametrize(
    "options, words",
    [({"prefix": (99,)}, "a token that is never written"), ({"off": ("cross.0.0",)}, "no head cross.0.0")],
)
def test_what_a_translator_does_not_have_is_said(reader, options, words):
    with pytest.raises(SeqloomError, match=words):
        look(reader, "4", **options)
    with pytest.raises(SeqloomError, match="the text contains no words"):
        look(reader, "  ")


def test_a_classifier_says_how_much_each_word_mattered(models):
    mood = seqloom.load(models / "mood")
    seen = look(mood, "a fine film")
    assert seen.rows == {"text": ["a", "fine", "film"]}

    def margin(text: str) -> float:
        scores = mood(text).scores
        return math.log(scores["good"]) - math.log(scores["bad"])

    sign = 1 if str(seen.answer) == "good" else -1
    without = [margin(text) for text in ("fine film", "a film", "a fine")]
    expected = [sign * (margin("a fine film") - one) for one in without]
    assert seen.importance["left_out"] == pytest.approx(expected, abs=1e-4)
    assert len(seen.importance["gradient"]) == 3


def test_a_tagger_says_what_else_each_word_could_be(models):
    words = seqloom.load(models / "words")
    seen, answer = look(words, "the dog runs"), words("the dog runs")
    assert [step.chosen.token for step in seen.steps] == answer.tags
    assert [step.chosen.probability for step in seen.steps] == pytest.approx(answer.scores, abs=1e-5)
    assert all(step.given for step in seen.steps)


def test_a_language_model_says_how_probable_each_token_was(models):
    song = seqloom.load(models / "song")
    seen = look(song, "la", temperature=0.0, length=9)
    written = song("la", temperature=0, length=9)
    assert seen.answer.continuation == written.continuation
    assert seen.answer.scores == pytest.approx(written.scores, abs=1e-4)
    assert [step.given for step in seen.steps] == [True] * 2 + [False] * 9
    again = look(song, "la", temperature=0.0, length=9, prefix=(seen.steps[2].candidates[1].id,))
    assert again.steps[2].chosen.id == seen.steps[2].candidates[1].id
    assert look(song, "la", length=4).temperature == 0.8, "sampled as it is by default"


def test_an_answer_shows_itself_in_a_notebook(reader, models):
    for answer, panel in (
        (reader("4 2"), '"attention":[{"group":"cross"'),
        (seqloom.load(models / "mood")("a poor film"), '"scores":{'),
        (seqloom.load(models / "words")("the dog runs"), '"tags":['),
        (seqloom.load(models / "song")("la", length=3), '"stepped":"text"'),
    ):
        html = answer._repr_html_()
        assert html.startswith('<iframe srcdoc="')
        assert panel.replace('"', "&quot;") in html
