"""Predicted tags make whole spans, if those of the training data do."""

from itertools import product

import numpy as np
import pytest

from seqloom.tasks.tag.heads import SoftmaxHead
from seqloom.tasks.tag.span_decoding import SpanDecoder, is_well_formed, may_follow
from seqloom.tasks.tag.task import Tag
from seqloom.training.loading import load
from seqloom.training.run import train
from tests.sizes import load_fitting
from tests.tasks.tagged import write_tagged

BIO = ["B-LOC", "B-PER", "I-LOC", "I-PER", "O"]
BIOES = ["B-X", "E-X", "I-X", "O", "S-X"]


@pytest.mark.parametrize("tags", [BIO, BIOES, ["B", "I", "O"]])
def test_the_likeliest_of_all_whole_taggings_is_found(tags):
    random = np.random.default_rng(0)
    closes = any(tag.startswith("E") for tag in tags)
    for length in (1, 2, 4):
        p = random.dirichlet(np.ones(len(tags)) / 3, length)
        whole = [
            path
            for path in product(range(len(tags)), repeat=length)
            if all(
                may_follow(one, other, closes)
                for one, other in zip(["O", *(tags[n] for n in path)], [*(tags[n] for n in path), "O"])
            )
        ]
        best = max(whole, key=lambda path: np.log([row[n] for row, n in zip(p, path)]).sum())
        assert SpanDecoder(tags)(p) == list(best)


def test_no_words_have_no_tags():
    assert SpanDecoder(BIO)(np.zeros((0, 5))) == []


def test_an_inside_tag_that_begins_a_span_in_training_is_allowed():
    assert is_well_formed([["O", "B-X", "I-X"]])
    assert is_well_formed([["S-X", "B-X", "E-X"]])
    assert not is_well_formed([["O", "I-X"]]), "IOB1"
    assert not is_well_formed([["NOUN", "O"]])


def test_a_tagger_writes_no_inside_after_outside(tmp_path):
    data = write_tagged(tmp_path / "names.conll", "names", count=40)
    small = ["model.embedding=8", "model.widths=[8]", "train.steps=3", "train.warmup_steps=0", "tag.characters=0"]
    train(load_fitting(small, task="tag", data__train=str(data)), tmp_path / "run", quiet=True)
    model = load(tmp_path / "run")
    assert isinstance(model.task, Tag)
    assert isinstance(model.task.head, SoftmaxHead)
    assert isinstance(model.task.head.decode, SpanDecoder)
    sentences = [line.split() for line in ("in Ada Bo now", "with Cy Dee then by Bo", "now now in Ada")]
    for found in model(sentences):
        assert is_well_formed([found.tags]) or {*found.tags} == {"O"}
        assert len(found.scores) == len(found.words)
