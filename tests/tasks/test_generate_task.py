"""Language models: how well a text is foretold; settings, data and runs."""

import math
from typing import Any

import pytest
import torch

from seqloom.data.splits import open_data
from seqloom.errors import ConfigError, DataError, SeqloomError
from seqloom.tasks.generate.options import GenerateOptions
from seqloom.training.loop import Trainer
from seqloom.training.metrics import read_metrics
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.tasks.generating import CPU, corpus_of, settings, trained, untrained
from tests.tasks.songs import write_song

# --- evaluating ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["lstm", "transformer"])
def test_the_loss_is_that_of_every_token_after_those_of_its_segment(song, name):
    task, model = untrained(song, model__name=name)
    numbers = [int(id) for id in torch.randint(3, task.tokenizer.size, (47,))]  # two segments of 20 and one of 7
    found = task.evaluate(model, corpus_of(numbers, characters=94), CPU, None)
    loss = 0.0
    for place, token in enumerate(numbers):
        start = place - place % 20
        before = [3, *numbers][start : place + 1]
        scores, _ = model.read(torch.tensor([before]))
        loss -= float(torch.log_softmax(scores, -1)[0, token].detach())
    assert found.details["tokens"] == 47
    assert found.metrics["loss"] == pytest.approx(loss / 47)
    assert found.metrics["perplexity"] == pytest.approx(math.exp(loss / 47))
    assert found.metrics["bits_per_token"] == pytest.approx(loss / 47 / math.log(2))
    assert found.metrics["bits_per_character"] == pytest.approx(loss / 94 / math.log(2))
    assert found.selection_score == pytest.approx(-loss / 47)


def test_more_than_one_batch_is_evaluated_as_one(song, monkeypatch):
    task, model = untrained(song)
    corpus = corpus_of([int(id) for id in torch.randint(3, task.tokenizer.size, (133,))], characters=133)
    whole = task.evaluate(model, corpus, CPU, None).metrics["loss"]
    monkeypatch.setattr("seqloom.tasks.generate.task.EVALUATED", 45)
    assert task.evaluate(model, corpus, CPU, None).metrics["loss"] == pytest.approx(whole)


# --- settings, data, runs --------------------------------------------------------------------------


def test_defaults_stay_when_others_are_changed(song):
    config: Any = load_run(None, ["data.on_bad=skip", "tokens.lower=true"], task="generate", model__name="gru")
    assert (config.data.cut_from, config.tokens.kind, config.model.length) == ("end", "character", 128)


def test_the_end_of_the_text_is_kept_for_validation(tmp_path, song):
    lines = [f"{number} {'x' * (number % 5)}" for number in range(100)]
    text = write_song(tmp_path / "numbers.txt", rounds=1, lines=lines)
    config = settings(text)
    parts = {name: [str(record.columns["text"]) for record in part] for name, part in open_data(config.data).items()}
    assert parts["train"] + parts["valid"] == lines
    share = len("\n".join(parts["valid"])) / len("\n".join(lines))
    assert 0.08 < share <= 0.1


def test_what_cannot_be_learned_from_says_why(tmp_path, song):
    run = tmp_path / "run"
    with pytest.raises(DataError, match=r"are too few for a segment of 5,000\n    -> give a longer text, or lower"):
        train(settings(song, "model.length=5000"), run / "1", quiet=True)
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    with pytest.raises(DataError, match="empty file"):
        train(settings(empty), run / "2", quiet=True)
    empty.write_text("\n" * 50)
    with pytest.raises(SeqloomError, match="there is no text to learn a vocabulary from"):
        train(settings(empty), run / "3", quiet=True)
    with pytest.raises(ConfigError, match=r"model.name: mlp cannot generate"):
        train(settings(song, model__name="mlp"), run / "4", quiet=True)
    with pytest.raises(ConfigError, match="the text is tokenised once"):
        train(settings(song, "tokens.kind=bpe", "tokens.bpe_dropout=0.1"), run / "5", quiet=True)


def test_what_is_no_text_is_refused(song):
    task, model = untrained(song)
    for strange in (None, 5, ["row"]):
        with pytest.raises(DataError, match="is not a text"):
            task.predict(model, [strange], GenerateOptions(length=3))


def test_options_that_cannot_be(song):
    model = trained(song, "train.steps=6")
    for options in ({"top_p": 0}, {"temperature": -1}, {"length": 0}, {"tempreature": 1}):
        with pytest.raises(ConfigError, match=next(iter(options))):
            model("row", **options)


def test_more_parts_than_segments_are_no_trouble_and_change_nothing(song):
    """Masks too are drawn for the batch, not for its parts."""
    changes = ["generate.objective=masked", "train.steps=6", "train.log_every=1"]
    for name, count in (("one", 1), ("many", 30)):
        train(settings(song, *changes, f"train.accumulate={count}"), song.parent / name, quiet=True)
    one, many = ([line["loss"] for line in read_metrics(song.parent / name)] for name in ("one", "many"))
    assert one == pytest.approx(many, rel=1e-4)


class Killed(Exception):
    """Stands for a signal that cannot be caught; real ones are in tests/training."""


@pytest.mark.parametrize("objective", ["next", "masked"])
def test_a_run_killed_again_and_again_ends_with_the_same_bits(song, monkeypatch, objective):
    changes = ["model.dropout=0.2", "train.checkpoint_every=5", f"generate.objective={objective}"]
    config = settings(song, *changes, model__name="gru")
    train(config, song.parent / "whole", quiet=True)
    seed_step = Trainer.seed_step
    for moment in (7, 38, 61):

        def killed(trainer: Trainer[Any], moment: int = moment) -> None:
            if trainer.progress.step == moment:
                raise Killed
            seed_step(trainer)

        monkeypatch.setattr(Trainer, "seed_step", killed)
        with pytest.raises(Killed):
            train(config, song.parent / "killed", resume=True, quiet=True)
    monkeypatch.setattr(Trainer, "seed_step", seed_step)
    train(config, song.parent / "killed", resume=True, quiet=True)
    assert read_metrics(song.parent / "whole") == read_metrics(song.parent / "killed")
    files = [song.parent / name / "model.safetensors" for name in ("whole", "killed")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_texts_have_vectors(tmp_path):
    model = trained(write_song(tmp_path / "song.txt"), "train.steps=2", "train.warmup_steps=0")
    texts = ["row row the boat", "", "life is a dream " * 20, "row row the boat"]
    vectors = model.vectors(texts)
    assert vectors.shape == (4, 24)
    assert torch.isfinite(vectors).all()
    torch.testing.assert_close(vectors[0], vectors[3])
    torch.testing.assert_close(vectors[0], model.vectors(texts[:1])[0])
    assert not torch.equal(vectors[0], vectors[1])
