"""Language models: what is learned from a text, how well it is foretold, and how it goes on."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from seqloom.data.opening import open_data
from seqloom.data.shards import Corpus
from seqloom.errors import ConfigError, DataError, SeqloomError
from seqloom.tasks.generate.batch import CHOSEN, HIDDEN, MASK, NOTHING, REPLACED, mask, masked_tokens, next_tokens
from seqloom.tasks.generate.settings import GenerateOptions
from seqloom.tasks.generate.stream import SegmentStream, side_by_side
from seqloom.tasks.generate.task import Generate
from seqloom.tasks.generate.text import LongText, to_text, to_tokens
from seqloom.tasks.generate.writing import Writer, write
from seqloom.tokens.settings import TokenConfig
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.training.loop import Trainer
from seqloom.training.metrics import read_metrics
from seqloom.training.model import Model, load
from seqloom.training.run import train
from seqloom.training.run_config import RunConfig, load_run
from tests.tasks.songs import write_song

CPU = torch.device("cpu")
QUICK = [
    "model.embedding=16", "model.widths=[24]", "model.hidden=32", "model.heads=2", "model.length=20", "model.dropout=0",
    "train.steps=80", "train.warmup_steps=5", "train.batch_tokens=200", "train.learning_rate=0.02",
    "train.evaluate_every=40", "train.checkpoint_every=1000",
]  # fmt: skip
CAUSAL = ["rnn", "gru", "lstm", "self-attentive-rnn", "cnn", "transformer"]


@pytest.fixture
def song(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SEQLOOM_CACHE", str(tmp_path / "cache"))
    return write_song(tmp_path / "song.txt")


def settings(song: Path, *changes: str, **flags: Any) -> RunConfig:
    return load_run(None, [*QUICK, *changes], task="generate", data__train=str(song), **flags)


def trained(song: Path, *changes: str, **flags: Any) -> Model:
    train(settings(song, *changes, **flags), song.parent / "run", quiet=True)
    return load(song.parent / "run")


def untrained(song: Path, *changes: str, **flags: Any) -> tuple[Generate, Any]:
    """A task and its model with fresh weights, in double precision."""
    config = settings(song, *changes, **flags)
    lines = song.read_text().split("\n")[:-1]
    records = [SimpleNamespace(columns={"text": line}) for line in lines]
    task = Generate.learn(config, records, {})  # type: ignore[arg-type]
    return task, task.make_model().double().eval()


def corpus_of(numbers: list[int], characters: int = 0) -> Corpus:
    """A corpus in memory."""
    corpus = Corpus(Path("/nowhere"))
    ends = np.array([len(numbers)])
    corpus.arrays = {"text": np.array(numbers), "text.ends": ends, "characters": np.array([characters])}
    return corpus


# --- text -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["character", "bpe", "unigram"])
@given(st.lists(st.text("ab \n", max_size=9), max_size=5))
def test_a_text_comes_back_as_it_was(kind, texts):
    tokenizer = Tokenizer.train(["abba ab a b", "ba"], TokenConfig(kind=kind, size=270))
    tokens = to_tokens(tokenizer, texts)
    assert [to_text(tokenizer, row) for row in tokens] == texts
    assert [row.count(tokenizer.eos) for row in tokens] == [text.count("\n") for text in texts]


def test_every_line_break_is_one_token_and_blank_lines_are_kept(song):
    task, _ = untrained(song)
    records = [SimpleNamespace(columns={"text": line}) for line in ["down", "", "a\nrow"]]
    found = task.encode(records)  # type: ignore[arg-type]
    text = "down\n\na\nrow\n"
    assert [len(row) for row in found["text"]] == [5, 1, 6]
    assert sum(int(count[0]) for count in found["characters"]) == len(text)
    assert to_text(task.tokenizer, [int(id) for row in found["text"] for id in row]) == text


# --- segments ---------------------------------------------------------------------------------------


def stream(count: int, length: int, stride: int = 0, batch: int = 3, seed: int = 5) -> SegmentStream[Any]:
    return SegmentStream(count, length, stride, batch, seed, lambda segments, generator: segments.tolist())


def epoch_of(stream: SegmentStream[Any], epoch: int) -> list[list[int]]:
    found: list[list[int]] = []
    for batch in stream:
        if stream.epoch > epoch:
            return found
        if stream.epoch == epoch:
            found += batch
    raise AssertionError


@given(st.integers(1, 60), st.integers(1, 12), st.integers(0, 2))
def test_an_epoch_foretells_every_token_once(count, length, epoch):
    if count < length:
        return
    segments = epoch_of(stream(count, length), epoch)
    assert sorted(place for start, stop in segments for place in range(start, stop)) == list(range(count))
    assert all(0 < stop - start <= length for start, stop in segments)


def test_every_epoch_has_its_own_cuts_and_its_own_order():
    first, second = epoch_of(stream(200, 16), 0), epoch_of(stream(200, 16), 1)
    assert sorted(first) != sorted(second)
    assert first != sorted(first)
    assert epoch_of(stream(200, 16, seed=6), 0) != first


def test_overlapping_segments_are_whole_and_begin_every_few_tokens():
    found = sorted(epoch_of(stream(100, 60, stride=3), 0))
    assert found == [[start, start + 60] for start in range(0, 41, 3)]


@pytest.mark.parametrize("stride", [0, 4])
def test_a_stream_goes_on_where_it_was(stride):
    whole = stream(57, 8, stride)
    batches = iter(whole)
    for taken in range(20):
        position = whole.position()
        other = stream(57, 8, stride)
        other.seek(position)
        assert next(iter(other)) == next(batches), taken
        assert other.epochs() == whole.epochs()
    assert whole.epoch >= 2


def test_the_masks_of_a_batch_come_back_when_a_stream_goes_on():
    text = LongText(corpus_of(list(range(4, 61))), before=3)

    def make(segments: Any, generator: np.random.Generator) -> Any:
        return masked_tokens(text, segments, CPU, 61, generator).tokens

    whole = SegmentStream(57, 8, 0, 3, 5, make)
    batches = iter(whole)
    for _ in range(5):
        other = SegmentStream(57, 8, 0, 3, 5, make)
        other.seek(whole.position())
        assert torch.equal(next(iter(other)), next(batches))


def test_each_token_is_foretold_from_the_one_before_it():
    text = LongText(corpus_of([10, 11, 12, 13, 14, 15, 16]), before=3)
    batch = next_tokens(text, np.array([[0, 3], [5, 7], [3, 5]]), CPU)
    assert batch.tokens.tolist() == [[3, 10, 11], [14, 15, 0], [12, 13, 0]]
    assert batch.targets.tolist() == [[10, 11, 12], [15, 16, NOTHING], [13, 14, NOTHING]]
    assert batch.lengths.tolist() == [3, 2, 2]
    assert batch.select([2]).targets.tolist() == [[13, 14, NOTHING]]


# --- masked -----------------------------------------------------------------------------------------


def test_the_shares_of_bert():
    tokens = np.random.default_rng(1).integers(4, 50, 200_000)
    read, targets = mask(tokens, 50, np.random.default_rng(2))
    chosen = targets != NOTHING
    assert chosen.mean() == pytest.approx(CHOSEN, abs=0.004)
    assert np.array_equal(read[~chosen], tokens[~chosen])
    assert np.array_equal(targets[chosen], tokens[chosen])
    hidden, kept = (read == MASK)[chosen].mean(), (read == tokens)[chosen].mean()
    assert hidden == pytest.approx(HIDDEN, abs=0.01)
    assert kept == pytest.approx(1 - HIDDEN - REPLACED + REPLACED / 46, abs=0.01)
    assert read[chosen & (read != MASK)].min() >= 4


def test_what_is_unknown_is_never_asked_for():
    read, targets = mask(np.array([1, 7, 1] * 500), 9, np.random.default_rng(0))
    assert set(targets.tolist()) == {NOTHING, 7}
    assert np.array_equal(read.reshape(-1, 3)[:, [0, 2]], np.ones((500, 2)))


def test_a_hidden_token_leaks_from_nowhere(song):
    """With other tokens where it is hidden, the model reads, and says, the same."""
    task, model = untrained(song, "generate.objective=masked", model__name="transformer")
    rows = [np.random.default_rng(0).integers(4, task.tokenizer.size, 40).tolist()] * 2
    hidden = masked_tokens(LongText(corpus_of(rows[0]), 3), side_by_side(40, 20), CPU, 9, np.random.default_rng(8))
    where = (hidden.tokens == MASK) & (hidden.targets >= 0)
    assert where.any()
    rows[1] = torch.where(where, (hidden.targets + 1 - 4) % 5 + 4, torch.tensor(rows[0]).view(2, 20)).flatten().tolist()
    other = masked_tokens(LongText(corpus_of(rows[1]), 3), side_by_side(40, 20), CPU, 9, np.random.default_rng(8))
    assert torch.equal(hidden.tokens, other.tokens)
    assert not torch.equal(hidden.targets, other.targets)
    scores = [model(batch.tokens, batch.lengths, where) for batch in (hidden, other)]
    torch.testing.assert_close(scores[0], scores[1])


def test_a_masked_model_fills_blanks(song):
    changes = ["generate.objective=masked", "tokens.kind=word", "train.steps=300", "model.widths=[24, 24]"]
    model = trained(song, *changes, "model.window=5", "train.learning_rate=0.01", model__name="cnn")
    found = model(["down ___ stream", "life <mask> a ___"])
    assert [str(answer) for answer in found] == ["down the stream", "life is a dream"]
    assert [next(iter(words)) for words in found[1].blanks] == ["is", "dream"]
    assert all(0 < share <= 1 for share in found[1].blanks[0].values())
    assert len(model("down ___ stream", candidates=2).blanks[0]) == 2
    first, again = (model.evaluate(str(song)).figures for _ in range(2))
    assert first == again
    assert first["accuracy"] > 0.8


@pytest.mark.parametrize("name", ["transformer", "mixer", "lstm"])
@pytest.mark.parametrize("kind", ["character", "bpe", "word"])
def test_every_reader_fills_blanks_with_every_kind_of_token(song, name, kind):
    changes = ["generate.objective=masked", f"tokens.kind={kind}", "tokens.size=300", "model.bidirectional=true"]
    task, model = untrained(song, *changes, model__name=name)
    found: Any = task.predict(model, ["row ___ ___ boat", "___"], GenerateOptions(candidates=3))
    assert [len(answer.blanks) for answer in found] == [2, 1]
    for answer in found:
        words = [next(iter(blank)) for blank in answer.blanks]
        assert answer.text == answer.seed.replace("___", "{}").format(*words)
        assert all(0 < share < 1 for blank in answer.blanks for share in blank.values())
    alone: Any = task.predict(model, ["row ___ ___ boat"], GenerateOptions(candidates=3))[0]
    assert [pytest.approx(blank) for blank in alone.blanks] == list(found[0].blanks)


def test_blanks_that_cannot_be_filled(song):
    model = trained(song, "generate.objective=masked", "train.steps=6", model__name="transformer")
    with pytest.raises(SeqloomError, match=r"no blank in 'a dream'\n    -> write ___ or <mask>"):
        model("a dream")
    with pytest.raises(SeqloomError, match="has 33 tokens with its ends, the model reads 20"):
        model("___" + "a" * 30)


# --- evaluating -------------------------------------------------------------------------------------


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
    assert found.figures["loss"] == pytest.approx(loss / 47)
    assert found.figures["perplexity"] == pytest.approx(math.exp(loss / 47))
    assert found.figures["bits_per_token"] == pytest.approx(loss / 47 / math.log(2))
    assert found.figures["bits_per_character"] == pytest.approx(loss / 94 / math.log(2))
    assert found.decides == pytest.approx(-loss / 47)


def test_more_than_one_batch_is_evaluated_as_one(song, monkeypatch):
    task, model = untrained(song)
    corpus = corpus_of([int(id) for id in torch.randint(3, task.tokenizer.size, (133,))], characters=133)
    whole = task.evaluate(model, corpus, CPU, None).figures["loss"]
    monkeypatch.setattr("seqloom.tasks.generate.task.EVALUATED", 45)
    assert task.evaluate(model, corpus, CPU, None).figures["loss"] == pytest.approx(whole)


# --- writing ----------------------------------------------------------------------------------------


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
            torch.testing.assert_close(step.scores, expected, msg=f"{name} {place}")


def test_a_seed_longer_than_the_window_is_seen_as_far_as_it_goes(song):
    _, model = untrained(song, "model.length=6", model__name="transformer")
    long = torch.tensor([[3, 5, 7, 4, 6, 8, 5, 4, 7]])
    torch.testing.assert_close(Writer(model).start(long).scores, model.read(long[:, -6:])[0])


def test_what_is_written_is_scored_as_it_is_read(song):
    _, model = untrained(song)
    start = torch.tensor([[3, 6], [3, 9]])
    generators = [torch.Generator().manual_seed(seed) for seed in (1, 2)]
    for row, tokens in enumerate(write(model, start, GenerateOptions(length=9, temperature=1), generators)):
        read = torch.tensor([[*start[row].tolist(), *(token.id for token in tokens)]])
        shares = torch.log_softmax(model(read, torch.tensor([11])), -1)[0]
        expected = [float(shares[1 + place, token.id].detach()) for place, token in enumerate(tokens)]
        assert [token.score for token in tokens] == pytest.approx(expected)
        assert not {token.id for token in tokens} & {0, 1, 2}


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
    assert model.evaluate(str(song)).figures["perplexity"] < 2.5


@pytest.mark.parametrize("kind", ["word", "bpe"])
def test_words_and_subwords_are_written_too(song, kind):
    changes = [f"tokens.kind={kind}", "tokens.size=300", "train.steps=150", "model.length=12"]
    found = trained(song, *changes, model__name="gru")("life", temperature=0, length=12, lines=1)
    assert found.text == "life is a dream"
    assert found.tokens[-1] == "\n"


def test_one_hot_letters_segments_of_sixty_and_a_stride_of_three(song):
    """Row M15."""
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


# --- settings, data, runs ---------------------------------------------------------------------------


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
    with pytest.raises(SeqloomError, match="there is no text to learn a dictionary from"):
        train(settings(empty), run / "3", quiet=True)
    with pytest.raises(ConfigError, match=r"model.name: mlp puts all words end to end"):
        train(settings(song, model__name="mlp"), run / "4", quiet=True)
    with pytest.raises(ConfigError, match="generate cuts its text once"):
        train(settings(song, "tokens.kind=bpe", "tokens.bpe_dropout=0.1"), run / "5", quiet=True)


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
