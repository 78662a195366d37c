"""Language models: how a text goes on."""

from typing import Any

import pytest
import torch

from seqloom.decoding.hypotheses import SampledSequence
from seqloom.tasks.generate.generation import Writer, write
from seqloom.tasks.generate.options import GenerateOptions
from seqloom.training.metrics import read_metrics
from tests.tasks.generating import trained, untrained

CAUSAL = ["rnn", "gru", "lstm", "self-attentive-rnn", "cnn", "transformer"]


def test_a_window_rolls_to_its_newer_half_and_others_go_on_for_ever(song):
    for name in ("transformer", "gru"):
        _, model = untrained(song, "model.length=6", model__name=name)
        text = [3, 5, 7, 4, 6, 8, 5, 4, 7, 9, 6, 5]
        writer = Writer(model)
        step = writer.start(torch.tensor([text[:2]]))
        for place in range(2, len(text)):
            # a window of six: what was read before the 7th token is three tokens, before the 10th again
            start = {"transformer": 0 if place < 6 else 4 if place < 10 else 8, "gru": 0}[name]
            step = writer.step(torch.tensor([text[place]]), step.state)
            expected, _ = model.read(torch.tensor([text[start : place + 1]]))
            torch.testing.assert_close(step.logits, expected, msg=f"{name} {place}")


def test_a_seed_longer_than_the_window_is_seen_as_far_as_it_goes(song):
    _, model = untrained(song, "model.length=6", model__name="transformer")
    long = torch.tensor([[3, 5, 7, 4, 6, 8, 5, 4, 7]])
    torch.testing.assert_close(Writer(model).start(long).logits, model.read(long[:, -6:])[0])


def test_what_is_written_is_scored_as_it_is_read(song):
    _, model = untrained(song)
    start = [[3, 6], [3, 9]]
    written: dict[int, SampledSequence] = {}
    for drawn in write(model, start, ["1", "2"], GenerateOptions(length=9, temperature=1)):
        for new in drawn:
            written[new.row] = new.sequence
    for row, sequence in written.items():
        tokens = sequence.tokens
        assert len(tokens) == 9
        read = torch.tensor([[*start[row], *tokens]])
        log_probs = torch.log_softmax(model(read, torch.tensor([11])), -1)[0]
        expected = [float(log_probs[1 + place, token].detach()) for place, token in enumerate(tokens)]
        assert sequence.log_probs == pytest.approx(expected)
        assert not set(tokens) & {0, 1, 2}


@pytest.mark.parametrize("name", CAUSAL)
def test_together_and_alone_the_same_is_written(song, name):
    task, model = untrained(song, model__name=name)
    seeds = ["row", "", "merrily", "boat", "row", "down\nthe"]
    for options in (GenerateOptions(length=30, temperature=1.5), GenerateOptions(length=30, temperature=1.5, lines=2)):
        together = [str(answer) for answer in task.predict(model, seeds, options)]
        alone = [str(task.predict(model, [seed], options)[0]) for seed in seeds]
        assert together[4] != together[0], "the same seed again goes on differently"
        assert together[:4] + together[5:] == alone[:4] + alone[5:]


def test_lines_end_the_writing(song):
    task, model = untrained(song)
    for lines in (1, 3):
        found: Any = task.predict(model, ["row"], GenerateOptions(length=1000, temperature=2, lines=lines))[0]
        assert found.tokens.count("\n") == lines
        assert found.tokens[-1] == "\n"
        assert found.text.count("\n") == lines - 1
        assert found.text == "row" + found.continuation
        assert len(found.tokens) == len(found.scores) == len(found.continuation) + 1


@pytest.mark.parametrize("name", CAUSAL)
def test_every_architecture_learns_to_go_on(song, name):
    model = trained(song, "train.steps=150", "model.window=5", "model.widths=[32]", model__name=name)
    found = model("merrily", temperature=0, length=12)
    assert str(found) == "merrily row\nlife is"
    assert found.json()["continuation"] == " row\nlife is"
    assert model.evaluate(str(song)).metrics["perplexity"] < 2.5


@pytest.mark.parametrize("kind", ["word", "bpe"])
def test_words_and_subwords_are_written_too(song, kind):
    changes = [f"tokens.kind={kind}", "tokens.size=300", "train.steps=150", "model.length=12"]
    found = trained(song, *changes, model__name="gru")("life", temperature=0, length=12, lines=1)
    assert found.text == "life is a dream"
    assert found.tokens[-1] == "\n"


def test_one_hot_letters_segments_of_sixty_and_a_stride_of_three(song):
    changes = ["model.one_hot=true", "model.length=60", "generate.stride=3", "train.batch_tokens=480"]
    model = trained(song, *changes, "train.steps=120", "model.widths=[32]", model__name="lstm")
    assert read_metrics(song.parent / "run")[-1]["valid_perplexity"] < 2
    assert str(model("row row", temperature=0, length=9)) == "row row the boat"


def test_an_empty_text_and_unknown_letters_are_gone_on_from(song):
    model = trained(song)
    for seed in ["", "\n", "早上好", "Z" * 500, "row\n"]:
        found = model(seed, length=7)
        assert found.text.startswith(seed)
        assert (found.seed, len(found.tokens)) == (seed, 7)


@pytest.mark.parametrize("name", ["gru", "cnn", "transformer"])
def test_texts_of_any_length_go_on_in_the_same_steps(song, name):
    _, model = untrained(song, model__name=name)
    steps, reads, read = [], [], model.read

    def counted(tokens, state=None):
        reads.append(len(tokens))
        return read(tokens, state)

    model.read = counted
    for drawn in write(model, [[3], [3, 5, 6], [3, 7], [3, 4, 4]], list("abcd"), GenerateOptions(length=6)):
        steps.append(sorted(new.row for new in drawn))
    assert steps == [[0, 1, 2, 3]] * 6
    if name == "gru":
        assert reads == [1, 2, 1, 4, 4, 4, 4, 4], "read by length, then one batch"
