"""Two readings of a batch that are pulled together."""

import json
from typing import Any

import pytest
import torch
from torch.testing import assert_close

import seqloom
from seqloom.errors import ConfigError
from seqloom.layers.r_drop import divergence
from tests.training import toy
from tests.training.kills import run, run_through_kills, same_run


def apart(trainer) -> float:
    """How far two readings of the training data are apart, by word."""
    torch.manual_seed(3)
    trainer.model.train()
    x, y = trainer.trainable.stream.x, trainer.trainable.stream.y
    with torch.no_grad():
        loss = trainer.trainable.loss(trainer.model, trainer.trainable.repeated((x, y)))
    return float(divergence(loss.logits)) / len(x)


def test_where_nothing_is_dropped_two_readings_are_one(tmp_path):
    one = toy.go(tmp_path / "one", dropout=0.0)
    two = toy.go(tmp_path / "two", dropout=0.0, r_drop=5.0)
    assert_close(dict(one.model.named_parameters()), dict(two.model.named_parameters()))


def test_readings_that_are_pulled_together_end_closer_to_each_other(tmp_path):
    settings = {"dropout": 0.5, "steps": 150, "learning_rate": 0.01}
    alone, pulled = toy.go(tmp_path / "alone", **settings), toy.go(tmp_path / "pulled", r_drop=5.0, **settings)
    assert 0 < apart(pulled) < 0.75 * apart(alone)


def test_a_step_minimises_surprise_and_disagreement(tmp_path):
    """The gradient of one step against that of the sum, written down."""
    trainer = toy.make(tmp_path, dropout=0.5, r_drop=2.0)
    batch = next(iter(trainer.trainable.stream))
    trainer.model.train()
    trainer.seed_step()
    loss = trainer.loss(trainer.model, batch)
    trainer.seed_step()
    scores = trainer.model(torch.cat([batch[0]] * 2)).squeeze(-1)
    p, q = torch.sigmoid(scores).chunk(2)
    surprise = torch.nn.functional.binary_cross_entropy(torch.cat([p, q]), torch.cat([batch[1]] * 2), reduction="sum")
    logits = torch.log(p / (1 - p)) - torch.log(q / (1 - q))
    expected = surprise + 2.0 * ((p - q) * logits).sum() / 2
    assert loss.count == 2 * len(batch[0])
    assert_close(loss.total, expected)
    weights = list(trainer.model.parameters())
    assert_close(torch.autograd.grad(loss.total, weights), torch.autograd.grad(expected, weights), rtol=1e-4, atol=1e-5)


def test_a_run_killed_and_gone_on_with_ends_as_one_that_never_was(tmp_path):
    settings = ["steps=300", "checkpoint_every=5", "r_drop=1.0"]
    run(tmp_path / "whole", *settings)
    assert run_through_kills(tmp_path / "killed", 1, *settings) == 1
    assert same_run(tmp_path / "whole", tmp_path / "killed")


TEXTS = ["a good film", "a bad film", "good", "not good at all", "bad bad film", "no film"]
KINDS: dict[str, tuple[str, list[dict[str, Any]], list[str]]] = {
    "label": ("classify", [{"text": text, "label": text.split()[-1]} for text in TEXTS], []),
    "labels": ("classify", [{"text": text, "labels": text.split()} for text in TEXTS], ["classify.answer=labels"]),
    "number": ("classify", [{"text": text, "label": len(text)} for text in TEXTS], ["classify.answer=number"]),
    "tag": ("tag", [{"tokens": text.split(), "tags": [w[0] for w in text.split()]} for text in TEXTS], []),
    "generate": ("generate", [{"text": text} for text in TEXTS], ["model.length=9"]),
    "translate": ("translate", [{"source": text, "target": text.upper()} for text in TEXTS], []),
}


def train(folder, kind):
    task, records, settings = KINDS[kind]
    data = folder / "data.jsonl"
    data.write_text("".join(json.dumps(record) + "\n" for record in records))
    settings = [*settings, "train.r_drop=1", "train.warmup_steps=0", "data.valid_share=0"]
    return seqloom.train(task=task, data=str(data), out=folder / "run", steps=3, settings=settings, quiet=True)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "number"])
def test_every_choice_can_be_read_twice(tmp_path, kind):
    train(tmp_path, kind)("a good film")


def test_a_number_is_no_choice(tmp_path):
    with pytest.raises(ConfigError, match=r"train\.r_drop"):
        train(tmp_path, "number")
