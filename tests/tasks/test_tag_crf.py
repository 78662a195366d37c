"""A tagger with a conditional random field, from training to its page."""

import pytest
import torch

from seqloom.errors import ConfigError
from seqloom.storage import read_tensors
from seqloom.tasks.tag.batch import IGNORED
from seqloom.tasks.tag.span_decoding import is_well_formed
from seqloom.training.loading import load
from seqloom.training.run import train
from seqloom.training.run_config import RunConfig, load_run
from tests.tasks.tagged import write_tagged

SMALL = [
    "tag.head=crf", "model.embedding=8", "model.widths=[8]", "tag.characters=0", "train.warmup_steps=1",
    "train.checkpoint_every=5", "train.evaluate_every=5", "train.schedule=constant",
]  # fmt: skip


def settings(tmp_path, *changes: str) -> RunConfig:
    data = tmp_path / "names.conll"
    if not data.exists():
        write_tagged(data, "names", count=60)
    return load_run(None, [*SMALL, *changes], task="tag", data__train=str(data))


def test_a_random_field_is_trained_resumed_to_the_bit_and_opened(tmp_path):
    train(settings(tmp_path, "train.steps=10"), tmp_path / "whole", quiet=True)
    train(settings(tmp_path, "train.steps=5"), tmp_path / "parts", quiet=True)
    train(settings(tmp_path, "train.steps=10"), tmp_path / "parts", resume=True, quiet=True)
    whole, parts = (read_tensors(tmp_path / name / "model.safetensors") for name in ("whole", "parts"))
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    assert whole["crf.scores"].abs().max() > 0
    model = load(tmp_path / "whole")
    asked = ["in Ada Bo now", "", "with Cy", "by Dee then in Bo now then by Ada"]
    together = model(asked)
    assert [found.tags for found in together] == [model(text).tags for text in asked]
    assert all(is_well_formed([found.tags]) for found in together if found.tags)
    assert together[3].scores == pytest.approx(model(asked[3]).scores)
    assert all(0 < score <= 1 for found in together for score in found.scores)
    model.explain("in Ada Bo now").save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "the log-weight of all paths up to each position" in page
    assert "Conditional random fields" in page


def test_a_random_field_learns_what_each_word_by_itself_does_not_say(tmp_path):
    """The kind of a name is said by the word before it, and of its second word by its first: a path."""
    train(settings(tmp_path, "train.steps=120", "train.learning_rate=0.02"), tmp_path / "run", quiet=True)
    found = load(tmp_path / "run").evaluate(str(tmp_path / "names.conll"))
    assert found.metrics["f1"] > 0.95


@pytest.mark.parametrize("changes, words", [
    (["tokens.kind=bpe"], "tag.head: the CRF needs one token per word, and bpe splits words\n.*tokens.kind word"),
    (["train.label_smoothing=0.1", "train.steps=2"], "train.label_smoothing: .* has no per-word labels"),
])  # fmt: skip
def test_what_a_random_field_cannot_do_says_why(tmp_path, changes, words):
    with pytest.raises(ConfigError, match=words):
        train(settings(tmp_path, *changes), tmp_path / "run", quiet=True)


def test_a_sentence_read_in_pieces_is_one_path(tmp_path):
    train(settings(tmp_path, "train.steps=5", "model.length=4"), tmp_path / "run", quiet=True)
    model = load(tmp_path / "run")
    found = model("by Dee then in Bo now then by Ada")
    assert len(found.tags) == 9 and is_well_formed([found.tags])
    assert IGNORED not in found.scores
