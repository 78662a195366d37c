"""seqloom's own API against the models themselves."""

import pytest

from seqloom.training.loading import load


def test_a_text_is_answered_as_the_model_does(served, models):
    expected = load(models / "digits")("1 2 3", attention=False)
    reply = served.ask("/api/predict", {"text": "1 2 3"})
    assert reply.status == 200
    assert reply.json() == {"model": "digits", "task": "translate", "answers": [expected.json()]}
    assert expected.text == "one two three"


def test_many_texts_are_answered_in_their_order(served):
    texts = ["1 2 3", "4", "", "7 7 7", "0"]
    answers = served.ask("/api/predict", {"texts": texts, "n_best": 2, "beam": 3}).json()["answers"]
    assert [answer["text"] for answer in answers] == ["one two three", "four", "", "seven seven seven", "zero"]
    assert [len(answer.get("alternatives", [])) for answer in answers] == [1, 1, 0, 1, 1]


def test_attention_comes_when_it_is_asked_for(served):
    (answer,) = served.ask("/api/predict", {"text": "5 6", "attention": True}).json()["answers"]
    assert answer["attention"]["source"] == ["5", "6", "<eos>"]
    assert answer["attention"]["target"] == ["five", "six"]
    assert answer["alignment"] == "0-0 1-1"


@pytest.mark.parametrize("name, text", [("mood", "a fine film"), ("words", "the dog"), ("words", ["the", "dog"])])
def test_every_task_answers(served, models, name, text):
    expected = load(models / name)(text) if isinstance(text, str) else load(models / name)([text])[0]
    assert served.ask("/api/predict", {"text": text, "model": name}).json()["answers"] == [expected.json()]


def test_a_seed_decides_what_is_drawn_whatever_is_asked_beside_it(served, models):
    asked = {"model": "song", "seed": 5, "length": 9}
    alone = served.ask("/api/predict", {**asked, "text": "row"}).json()["answers"]
    beside = served.ask("/api/predict", {**asked, "texts": ["boat", "row", "a", "row"]}).json()["answers"]
    called = load(models / "song")("row", seed=5, length=9).json()
    scores = [answer.pop("scores") for answer in (beside[1], alone[0], called)]
    assert beside[1] == alone[0] == called
    assert scores[0] == pytest.approx(scores[2]) and scores[1] == pytest.approx(scores[2])  # a batch rounds otherwise
    assert beside[3]["text"] != beside[1]["text"]
    assert (
        served.ask("/api/predict", {**asked, "seed": 6, "text": "row"}).json()["answers"][0]["text"] != called["text"]
    )


def test_one_name_for_the_longest_answer_of_every_model_that_writes(served):
    asked = {"model": "song", "text": "row", "temperature": 0}
    assert (
        served.ask("/api/predict", {**asked, "max_length": 3}).json()
        == served.ask("/api/predict", {**asked, "length": 3}).json()
    )
    (answer,) = served.ask("/api/predict", {"text": "1 2 3", "max_length": 2}).json()["answers"]
    assert len(answer["tokens"]) == 2


def test_vectors(served, models):
    reply = served.ask("/api/vectors", {"texts": ["a fine film", "poor"], "model": "mood"})
    assert reply.json()["vectors"] == load(models / "mood").vectors(["a fine film", "poor"]).tolist()
    tagged = served.ask("/api/vectors", {"text": "la la", "model": "words"}).json()["vectors"]
    assert tagged == load(models / "words").vectors(["la la"]).tolist()


def test_explain_as_data_and_as_a_page(served):
    data = served.ask("/api/explain", {"text": "1 2"})
    assert data.headers["content-type"] == "application/json"
    assert [part["page"] for part in data.json()["parts"]] == ["explanation"] * 3  # encoder, bridge, decoder
    page = served.ask("/api/explain", {"text": "1 2", "format": "html"})
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["content-security-policy"] == "sandbox allow-scripts"
    assert page.body.startswith(b"<!doctype html>") and b"gru" in page.body


def test_models_are_listed_with_what_may_be_said_to_them(served):
    found = {one["name"]: one for one in served.ask("/api/models").json()}
    assert list(found) == ["digits", "song", "mood", "words"]
    assert {"beam", "n_best", "attention"} <= set(found["digits"]["options"])
    assert found["mood"]["options"] == []
    assert found["song"]["task"] == "generate"


@pytest.mark.parametrize(
    "body, message",
    [
        ({"text": "1", "beem": 2}, "beem: no such field"),
        ({"text": "1", "texts": ["1"]}, "either text or texts"),
        ({}, "either text or texts"),
        ({"text": 5}, "text: input should be a valid string"),
        ({"text": {"text": "1"}}, "is not a text"),
        ({"texts": "1"}, "texts: input should be a valid list"),
        ({"texts": ["1", 5]}, "texts.1: input should be a valid string"),
        ({"text": "1", "n_best": 5}, "5 answers from a beam of 4"),
        ({"text": "1", "beam": 0}, "beam: "),
        ({"text": "1", "model": "mood", "beam": 3}, "a model for classify has no option beam"),
        ({"text": ["a", 5], "model": "words"}, "is not a text"),
    ],
)
def test_what_cannot_be_is_said(served, body, message):
    reply = served.ask("/api/predict", body)
    assert reply.status == 422
    assert message in reply.json()["error"]["message"]


def test_a_model_that_is_not_there(served):
    reply = served.ask("/api/predict", {"text": "1", "model": "other"})
    assert (reply.status, reply.json()["error"]["message"]) == (
        404, "no model is called 'other'; there are: digits, song, mood, words"
    )  # fmt: skip


@pytest.mark.parametrize(
    "body, status, bound",
    [
        ({"text": "x" * 2001}, 413, "text_characters"),
        ({"texts": ["1"] * 10}, 413, "texts"),
        ({"text": "1", "beam": 7}, 422, "beam"),
        ({"text": "1", "temperature": 1, "n_best": 7}, 422, "beam"),
        ({"texts": ["1"] * 9, "beam": 6, "max_length": 500}, 422, "work"),
        ({"text": "1", "model": "song", "length": 20001}, 422, "work"),
        ({"texts": ["1 " * 90] * 6, "beam": 6, "max_length": 400, "attention": True}, 422, "work"),
    ],
)
def test_a_bound_that_was_passed_is_named(served, body, status, bound):
    reply = served.ask("/api/predict", body)
    assert reply.status == status
    assert reply.json()["error"]["bound"] == bound


def test_at_the_bounds_all_is_well(served):
    assert served.ask("/api/predict", {"texts": ["1 " * 1000] + ["1"] * 8, "max_length": 4}).status == 200
    assert served.ask("/api/predict", {"text": "1", "beam": 6}).status == 200
    assert served.ask("/api/predict", {"texts": ["1 " * 90] * 6, "beam": 6, "max_length": 400}).status == 200


def test_metrics_count_requests_and_refusals(served):
    served.ask("/api/predict", {"text": "1", "beam": 7})
    text = served.ask("/metrics").body.decode()
    assert 'seqloom_requests_total{path="/api/predict",status="200"}' in text
    assert 'seqloom_refused_total{bound="beam"}' in text
    assert "seqloom_batch_texts_count" in text
