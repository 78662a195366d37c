"""Weights that are taken over: from another run, from vectors; kept or trained further."""

import shutil
from typing import Any

import pytest
import torch

import seqloom
from seqloom.errors import ConfigError
from seqloom.storage import read_tensors
from seqloom.tokens.settings import UNK
from seqloom.training.loading import load
from seqloom.training.metrics import read_metrics
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.sizes import load_fitting
from tests.training.reviews import write_reviews

SMALL = [
    "model.embedding=12", "model.widths=[9]", "model.length=16", "train.steps=12", "train.warmup_steps=2",
    "train.batch_tokens=200", "train.checkpoint_every=4", "train.evaluate_every=6", "train.log_every=1",
]  # fmt: skip
E = "embedding.table.E"


@pytest.fixture
def reviews(tmp_path):
    return write_reviews(tmp_path / "reviews.tsv")


@pytest.fixture
def language_model(tmp_path, reviews):
    """A language model of the words of reviews."""
    text = tmp_path / "text.txt"
    text.write_text("".join(line.split("\t")[1] for line in reviews.read_text().splitlines(keepends=True)))
    config = load_run(None, [*SMALL, "tokens.kind=word"], task="generate", data__train=str(text), model__name="lstm")
    train(config, tmp_path / "lm", quiet=True)
    return tmp_path / "lm"


def settings(reviews, *changes, name="lstm"):
    return load_fitting([*SMALL, *changes], task="classify", data__train=str(reviews), model__name=name)


def trained(folder):
    return read_tensors(folder / "model.safetensors")


def first(folder):
    return read_tensors(folder / "setup" / "start.safetensors")


@pytest.mark.parametrize("keep, parts", [("words", {"embedding"}), ("encoder", {"embedding", "encoder"})])
def test_what_is_kept_frozen_is_that_of_the_other_model(reviews, tmp_path, language_model, keep, parts):
    changes = [f"start.model={language_model}", f"start.keep={keep}", "start.frozen=true"]
    train(settings(reviews, *changes), tmp_path / "run", quiet=True)
    before, after = trained(language_model), trained(tmp_path / "run")
    for name, weight in after.items():
        same = name in before and torch.equal(before[name], weight)
        assert same == (name.split(".")[0] in parts), name
    tokenizers = [load(folder).task.tokenizers["text"] for folder in (language_model, tmp_path / "run")]
    assert tokenizers[0] == tokenizers[1]


def test_what_is_tuned_begins_there_and_goes_on(reviews, tmp_path, language_model):
    train(settings(reviews, f"start.model={language_model}"), tmp_path / "run", quiet=True)
    assert torch.equal(first(tmp_path / "run")[E], trained(language_model)[E])
    assert not torch.equal(trained(tmp_path / "run")[E], trained(language_model)[E])


def test_a_run_goes_on_when_the_other_folder_is_gone(reviews, tmp_path, language_model):
    config = settings(reviews, f"start.model={language_model}", "start.frozen=true")
    train(config, tmp_path / "whole", quiet=True)
    train(config, tmp_path / "parts", quiet=True)
    shutil.rmtree(language_model)
    shutil.rmtree(tmp_path / "parts" / "checkpoints" / "step-00000012")
    train(config, tmp_path / "parts", resume=True, quiet=True)
    assert read_metrics(tmp_path / "parts") == read_metrics(tmp_path / "whole")
    assert all(
        torch.equal(a, b) for a, b in zip(trained(tmp_path / "parts").values(), trained(tmp_path / "whole").values())
    )


def test_the_whole_model_can_be_trained_further(reviews, tmp_path):
    train(settings(reviews), tmp_path / "first", quiet=True)
    other = write_reviews(tmp_path / "other.tsv", count=60, seed=4)
    train(settings(other, f"start.model={tmp_path / 'first'}", "start.keep=all"), tmp_path / "second", quiet=True)
    assert first(tmp_path / "second").keys() == trained(tmp_path / "first").keys()


def test_a_model_that_is_taken_over_whole_brings_its_settings(reviews, tmp_path):
    first = load_fitting([*SMALL, "model.widths=[5,7]", "model.bidirectional=true"], task="classify",
                         data__train=str(reviews), model__name="gru")  # fmt: skip
    train(first, tmp_path / "first", quiet=True)
    start = [f"start.model={tmp_path / 'first'}", "start.keep=all", "train.steps=2", "train.warmup_steps=1"]
    config: Any = load_run(None, [*start, "model.dropout=0.3"], data__train=str(reviews))
    assert (config.task, config.model.name, config.model.widths) == ("classify", "gru", [5, 7])
    assert config.model.dropout == 0.3, "what is given goes before what is taken over"
    train(config, tmp_path / "run", quiet=True)
    assert load(tmp_path / "run").task.config.model.bidirectional
    again: Any = seqloom.train(data=str(reviews), start={"model": str(tmp_path / "first"), "keep": "all"},
                          train={"steps": 2, "warmup_steps": 1}, out=tmp_path / "python", quiet=True)  # fmt: skip
    assert (again.config.task, again.config.model.name, again.config.model.widths) == ("classify", "gru", [5, 7])


def test_vectors_can_be_learned_from_a_text_that_spells_special_tokens(tmp_path):
    lines = (
        f"{'pos' if n % 2 else 'neg'}\tthe <unk> film <eos> is {'good' if n % 2 else 'bad'} w{n % 7}" for n in range(60)
    )
    (tmp_path / "odd.tsv").write_text("\n".join(lines) + "\n")
    changes = [
        *SMALL,
        "tokens.kind=space",
        "start.vectors=svd",
        "model.embedding=6",
        "train.steps=2",
        "train.warmup_steps=0",
    ]
    train(load_fitting(changes, task="classify", data__train=str(tmp_path / "odd.tsv")), tmp_path / "run", quiet=True)
    tokenizer = load(tmp_path / "run").task.tokenizers["text"]
    assert tokenizer.encode("the <unk>")[1] != UNK, "a word of the text like others"


def test_vectors_of_a_file_are_the_first_rows_of_known_words(reviews, tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("film " + " ".join(["0.5"] * 12) + "\nstory " + " ".join(["-0.25"] * 12) + "\n")
    train(settings(reviews, f"start.vectors={file}", "start.frozen=true"), tmp_path / "run", quiet=True)
    entries = load(tmp_path / "run").task.tokenizers["text"].vocabulary
    rows = trained(tmp_path / "run")[E]
    assert torch.equal(rows[entries.index("film")], torch.full((12,), 0.5))
    assert torch.equal(rows[entries.index("story")], torch.full((12,), -0.25))


@pytest.mark.parametrize("kind", ["svd", "skip-gram", "cbow"])
def test_vectors_can_be_learned_from_the_training_text(reviews, tmp_path, kind):
    train(settings(reviews, f"start.vectors={kind}"), tmp_path / "run", quiet=True)
    rows = first(tmp_path / "run")[E]
    assert rows.shape[1] == 12
    assert rows.isfinite().all() and rows[4:].abs().sum() > 0


def test_what_does_not_fit_is_said(reviews, tmp_path, language_model):
    cases = {
        (f"start.model={language_model}", "model.widths=[7]"): "is (36,) there and (28,) here",
        (f"start.model={tmp_path / 'nothing'}",): "nothing",
        (f"start.model={language_model}", "start.keep=all"): "readout.W_hy is (9, 24) there and (9, 2) here",
        (f"start.model={language_model}", "start.vectors=svd"): "in one way only",
        ("start.vectors=svd", "model.embedding=500"): "cannot have vectors of 500",
    }
    for number, (changes, words) in enumerate(cases.items()):
        with pytest.raises(Exception, match=words.replace("(", r"\(").replace(")", r"\)")) as error:
            train(settings(reviews, *changes), tmp_path / f"wrong{number}", quiet=True)
        assert type(error.value).__module__ == "seqloom.errors"
    config = settings(reviews, f"start.model={train_first(reviews, tmp_path)}", "start.keep=all", "start.frozen=true")
    with pytest.raises(ConfigError, match="nothing is left to train"):
        train(config, tmp_path / "frozen", quiet=True)


def train_first(reviews, tmp_path):
    train(settings(reviews), tmp_path / "first", quiet=True)
    return tmp_path / "first"


def test_a_translator_takes_word_vectors_for_what_it_reads(tmp_path):
    (tmp_path / "pairs.tsv").write_text("".join(f"a{n % 7} b{n % 5} c\tx{n % 7} y\n" for n in range(60)))
    small = ["model.embedding=8", "tokens.kind=word", "train.steps=2", "train.warmup_steps=0", "start.frozen=true"]
    config = load_fitting([*small, "start.vectors=svd"], task="translate", data__train=str(tmp_path / "pairs.tsv"),
                          model__name="rnn-attention")  # fmt: skip
    train(config, tmp_path / "run", quiet=True)
    begun = read_tensors(tmp_path / "run" / "setup" / "start.safetensors")
    assert [*begun] == ["source.embedding.E"]
    network: Any = load(tmp_path / "run").network
    assert torch.equal(network.source.embedding.E, begun["source.embedding.E"])
    assert not network.source.embedding.E.requires_grad


def test_words_of_a_file_of_vectors_that_were_never_seen_are_read_too(reviews, tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text(
        "".join(
            f"{word} " + " ".join([value] * 12) + "\n" for word, value in (("film", "1"), ("zebra", "2"), ("Yak", "3"))
        )
    )
    changes = [f"start.vectors={file}", "start.new_words=true", "start.frozen=true", "tokens.lower=true"]
    train(settings(reviews, *changes), tmp_path / "run", quiet=True)
    tokenizer = load(tmp_path / "run").task.tokenizers["text"]
    new = tokenizer.encode("zebra")[0]
    assert (new, tokenizer.frequency[new]) == (tokenizer.size - 1, 0)
    assert tokenizer.encode("yak") == [UNK]
    assert trained(tmp_path / "run")["embedding.table.E"][new].tolist() == [2.0] * 12


@pytest.mark.parametrize("changes, words", [
    ([], "start.new_words: words come from a file of vectors\n.*give start.vectors"),
    (["start.vectors=skip-gram"], "start.new_words: words come from a file of vectors"),
    (["start.vectors={file}", "tokens.kind=bpe", "tokens.size=270"], "the tokens of this model are no words"),
])  # fmt: skip
def test_new_words_need_a_file_and_a_vocabulary_of_words(reviews, tmp_path, changes, words):
    (tmp_path / "v.txt").write_text("film " + " ".join(["1"] * 12) + "\n")
    given = [change.format(file=tmp_path / "v.txt") for change in changes]
    with pytest.raises(ConfigError, match=words):
        train(settings(reviews, "start.new_words=true", *given), tmp_path / "run", quiet=True)
    assert not (tmp_path / "run").exists()
