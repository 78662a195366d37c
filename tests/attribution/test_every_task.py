"""Attribution of trained models: the embeddings that are handed out are those that the model reads, in every task."""

import json

import numpy as np
import pytest
import torch
from torch import nn

import seqloom
from seqloom.attribution import METHODS, attribute
from seqloom.errors import OutputError
from tests.typed import typed

INPUTS = {"digits": "1 0 7", "song": "la la", "mood": "a fine film", "words": "the dog sleeps"}


@pytest.fixture(params=INPUTS)
def trained(request, models):
    return seqloom.load(models / request.param), INPUTS[request.param]


def hooks(network: nn.Module) -> int:
    return sum(len(module._forward_hooks) + len(module._forward_pre_hooks) for module in network.modules())


def test_scores_from_embeddings_are_those_of_the_model(trained):
    """A copy of the input in a larger batch scores the same, and no hook stays behind."""
    model, text = trained
    model(text)  # which packs the weights of translators
    before = hooks(model.network)
    probe = model.task.probe(model.network, text)
    places = torch.arange(len(probe.inputs)).expand(3, -1)
    with torch.no_grad():
        scores = probe.scores(probe.x.expand(3, -1, -1), places)
    assert scores.shape == (3, len(probe.outputs))
    torch.testing.assert_close(scores[0], scores[2])
    assert hooks(model.network) == before


@pytest.mark.parametrize("method", METHODS)
def test_every_output_is_attributed_to_every_input(trained, method):
    model, text = trained
    found = model.attribute(text, method)
    assert found.weights.shape == (len(found.outputs), len(found.inputs))
    assert np.isfinite(found.weights).all() and np.abs(found.weights).max() > 0


def test_integrated_gradients_of_a_model_add_up(trained):
    model, text = trained
    probe = model.task.probe(model.network, text)
    found = attribute(probe, "integrated")
    with torch.no_grad():
        nothing = probe.scores(torch.zeros_like(probe.x)[None], torch.arange(len(probe.inputs))[None])[0]
    np.testing.assert_allclose(found.weights.sum(1), np.array(found.scores) - nothing.numpy(), atol=0.05)


def test_the_score_of_a_label_is_its_log_odds(models):
    model = seqloom.load(models / "mood")
    answer, found = model("a fine film"), model.attribute("a fine film")
    p = answer.scores[answer.label]
    assert found.outputs == (answer.label,)
    assert found.scores[0] == pytest.approx(np.log(p / (1 - p)), abs=1e-4)


def test_a_word_left_out_is_a_text_without_it(models):
    model = seqloom.load(models / "mood")
    found = model.attribute("a fine film", "leave-one-out")
    label = found.outputs[0]

    def odds(text: str) -> float:
        p = model(text).scores[label]
        return float(np.log(p / (1 - p)))

    expected = [odds("a fine film") - odds(text) for text in ("fine film", "a film", "a fine")]
    np.testing.assert_allclose(found.weights[0], expected, atol=1e-4)


def test_a_language_model_is_not_attributed_to_what_comes_later(models):
    found = seqloom.load(models / "song").attribute("la la")
    K, S = found.weights.shape
    last = S - K  # where the first new token is predicted from
    for output in range(K):
        assert np.abs(found.weights[output, last + output + 1 :]).max(initial=0) == 0


def test_each_word_of_a_translation_comes_from_its_digit(digits):
    found = seqloom.load(digits).attribute("3 0 9", "leave-one-out")
    assert found.outputs[:3] == ("three", "zero", "nine")
    strongest = found.weights[:3, :3].argmax(1).tolist()
    assert strongest == [0, 1, 2]


def test_an_attribution_is_shown_and_kept(models, tmp_path):
    found = seqloom.load(models / "mood").attribute("a fine film")
    assert "film" in str(found) and "speaks most" in found.sentence()
    assert found._repr_html_().count("<td style") == 3
    assert json.loads(found.save(tmp_path / "a.json").read_text(encoding="utf-8")) == found.json()
    assert found.save(tmp_path / "a.csv").read_text(encoding="utf-8").count("\n") == 4
    assert found.save(tmp_path / "a.png").read_bytes()[1:4] == b"PNG"
    with pytest.raises(OutputError, match=r"not written as \.doc"):
        found.save(tmp_path / "a.doc")


def test_predict_attributes(models, tmp_path):
    shown = typed("predict", str(models / "mood"), "a fine film", "--attribution", "-", folder=tmp_path)
    assert "(integrated)" in shown.stdout and "fine" in shown.stdout
    command = ("predict", str(models / "digits"), "1 0", "--attribution", "a.json", "--method", "gradient")
    assert typed(*command, folder=tmp_path).stderr == "written a.json\n"
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["method"] == "gradient"


def test_predict_refuses_what_does_not_go_together(models, tmp_path):
    mood = ("predict", str(models / "mood"))
    wrong = typed(*mood, "a", "b", "--attribution", "a.png", folder=tmp_path)
    assert (wrong.returncode, "2 texts for one file" in wrong.stderr) == (1, True)
    wrong = typed(*mood, "a", "--attribution", "-", "--vectors", folder=tmp_path)
    assert "--attribution and --vectors cannot be combined" in wrong.stderr
    wrong = typed(*mood, "a fine film", "--attribution", "-", "--method", "gradent", folder=tmp_path)
    assert (wrong.returncode, "did you mean gradient" in wrong.stderr) == (1, True)
