"""OpenAI's API with its own client."""

import pytest
from openai import BadRequestError, NotFoundError, OpenAI, UnprocessableEntityError

from seqloom.training.loading import load


@pytest.fixture
def client(served):
    with OpenAI(base_url=f"{served.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def test_models_are_those_that_complete(client):
    assert [model.id for model in client.models.list()] == ["digits", "song"]
    assert client.models.retrieve("song").object == "model"
    with pytest.raises(NotFoundError, match="no model is called"):
        client.models.retrieve("other")


def test_a_translation(client):
    found = client.completions.create(model="digits", prompt="1 2 3")
    assert found.choices[0].text == "one two three"
    assert found.choices[0].finish_reason == "stop"
    assert (found.usage.prompt_tokens, found.usage.completion_tokens, found.usage.total_tokens) == (3, 3, 6)


def test_a_text_goes_on_as_the_model_goes_on(client, models):
    expected = load(models / "song")("row", seed=7, temperature=1, length=12)
    found = client.completions.create(model="song", prompt="row", seed=7, max_tokens=12)
    assert found.choices[0].text == expected.continuation
    assert found.choices[0].finish_reason == "length"


def test_a_stream_is_the_same_text_in_pieces(client):
    asked = {"model": "song", "prompt": ["row", "a"], "seed": 3, "max_tokens": 150, "n": 2}
    whole = client.completions.create(**asked)
    texts, ends, pieces = [""] * 4, [None] * 4, 0
    for piece in client.completions.create(**asked, stream=True, stream_options={"include_usage": True}):
        for choice in piece.choices:
            texts[choice.index] += choice.text
            ends[choice.index] = choice.finish_reason or ends[choice.index]
            pieces += 1
        usage = piece.usage
    assert texts == [choice.text for choice in whole.choices]
    assert ends == ["length"] * 4
    assert pieces > 4, "not each at once"
    assert usage == whole.usage
    assert len(set(texts)) == 4


def test_a_seed_repeats_and_chance_does_not(client):
    def text(**options):
        return client.completions.create(model="song", prompt="row", max_tokens=20, **options).choices[0].text

    assert text(seed=1) == text(seed=1)
    assert len({text() for _ in range(4)}) > 1
    assert text(temperature=0) == text(temperature=0)
    assert text(top_p=1e-9) == text(temperature=0)


@pytest.mark.parametrize("stream", [False, True])
def test_a_stop_word_ends_the_text_before_it(client, stream):
    def text(**options):
        found = client.completions.create(model="song", prompt="row", seed=11, max_tokens=60, stream=stream, **options)
        pieces = list(found) if stream else [found]
        return "".join(piece.choices[0].text for piece in pieces), pieces[-1].choices[0].finish_reason

    whole, reason = text()
    assert reason == "length"
    stop = whole[20:23]
    assert text(stop=["never to be found", stop]) == (whole[: whole.find(stop)], "stop")


@pytest.mark.parametrize("name, prompt", [("song", "row"), ("digits", "1 2")])
def test_log_probabilities_are_those_of_the_model(client, models, name, prompt):
    options = {"length": 5} if name == "song" else {}
    expected = load(models / name)(prompt, likeliest=3, temperature=0, **options)
    found = client.completions.create(model=name, prompt=prompt, max_tokens=5, temperature=0, logprobs=3).choices[0]
    scores = expected.scores if name == "song" else expected.token_scores[: len(expected.tokens)]
    assert found.logprobs.tokens == list(expected.tokens)
    assert found.logprobs.token_logprobs == pytest.approx(scores)
    assert found.logprobs.text_offset[0] == 0 and len(found.logprobs.text_offset) == len(expected.tokens)
    for told, token, score in zip(found.logprobs.top_logprobs, found.logprobs.tokens, scores, strict=True):
        assert len(told) == 3
        assert told[token] == pytest.approx(score) == pytest.approx(max(told.values()))


def test_what_many_clients_send_is_taken(client):
    told = {"n": None, "stream": None, "presence_penalty": 0, "frequency_penalty": 0.0, "echo": False, "best_of": 1,
            "seed": -1, "suffix": None, "logit_bias": None, "user": "me"}  # fmt: skip
    assert client.completions.create(model="digits", prompt="4 5", extra_body=told).choices[0].text == "four five"


def test_a_stream_tells_log_probabilities_with_the_tokens_they_are_of(client):
    asked = {"model": "song", "prompt": "row", "seed": 2, "max_tokens": 9, "logprobs": 1}
    whole = client.completions.create(**asked).choices[0]
    pieces = [piece.choices[0] for piece in client.completions.create(**asked, stream=True)]
    assert [one for piece in pieces for one in piece.logprobs.tokens] == whole.logprobs.tokens
    assert [one for piece in pieces for one in piece.logprobs.token_logprobs] == whole.logprobs.token_logprobs
    assert [one for piece in pieces for one in piece.logprobs.text_offset] == whole.logprobs.text_offset
    assert all("".join(piece.logprobs.tokens) == piece.text for piece in pieces)


def test_what_cannot_be_is_an_error_that_the_client_knows(client):
    for wrong in ({"prompt": [1, 2]}, {"prompt": "1", "max_tokens": 0}, {"prompt": "1", "n": 17},
                  {"prompt": "1", "stop": [""]}, {"prompt": "1", "best_of": 2}):  # fmt: skip
        with pytest.raises((UnprocessableEntityError, BadRequestError)) as error:
            client.completions.create(model="digits", **wrong)
        assert error.value.type == "invalid_request_error"
    with pytest.raises(UnprocessableEntityError, match="mood does not generate or translate"):
        client.completions.create(model="mood", prompt="a")
