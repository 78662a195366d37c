"""Layers that were taken over learn less, and later, the lower they are."""

import shutil
from typing import Any

import pytest
import torch

from seqloom.errors import ConfigError
from seqloom.models.registry import architectures
from seqloom.tasks.classify.task import Classify
from seqloom.training.layer_rates import LayerRates, layers_of
from seqloom.training.metrics import read_metrics
from seqloom.training.run import train
from tests.sizes import load_fitting
from tests.training.reviews import write_reviews
from tests.training.test_initial_weights import SMALL, first, trained

DEEP = [*SMALL, "model.widths=[9, 7]", "train.checkpoint_every=5", "train.evaluate_every=20", "data.valid_share=0"]


@pytest.fixture
def reviews(tmp_path):
    return write_reviews(tmp_path / "reviews.tsv")


@pytest.fixture
def before(tmp_path, reviews):
    train(settings(reviews), tmp_path / "before", quiet=True)
    return tmp_path / "before"


def settings(reviews, *changes):
    return load_fitting([*DEEP, *changes], task="classify", data__train=str(reviews), model__name="lstm")


def changed(folder):
    """Which layers are not as they were taken over, from the lowest to the highest."""
    now, then = trained(folder), first(folder)
    parts = ["embedding", "encoder.layers.layers.0", "encoder.layers.layers.1"]
    return [
        any(not torch.equal(now[name], weight) for name, weight in then.items() if name.startswith(part))
        for part in parts
    ]


@pytest.mark.parametrize("steps, expected", [(4, [0, 0, 0]), (8, [0, 0, 1]), (12, [0, 1, 1]), (14, [1, 1, 1])])
def test_layers_are_unfrozen_from_the_top(reviews, tmp_path, before, steps, expected):
    start = [f"start.model={before}", "start.unfreeze_every=4", f"train.steps={steps}", "train.schedule=constant"]
    train(settings(reviews, *start), tmp_path / "run", quiet=True)
    assert changed(tmp_path / "run") == [bool(one) for one in expected]


def test_a_lower_layer_changes_less(reviews, tmp_path, before):
    moves = {}
    for rate in (1.0, 0.1):
        out = tmp_path / f"run-{rate}"
        changes = [f"start.model={before}", f"start.layer_rate={rate}", "train.steps=1", "train.warmup_steps=0"]
        train(settings(reviews, *changes, "train.weight_decay=0", "train.schedule=constant"), out, quiet=True)
        now, then = trained(out), first(out)
        moves[rate] = {name: (now[name] - weight).abs().max() for name, weight in then.items()}
    for name, most in moves[1.0].items():
        depth = 3 if name.startswith("embedding") else 2 if ".0." in name else 1
        torch.testing.assert_close(moves[0.1][name], most * 0.1**depth, rtol=0.02, atol=1e-7)


def test_a_run_that_goes_on_unfreezes_at_the_same_steps(reviews, tmp_path, before):
    start = [f"start.model={before}", "start.unfreeze_every=4", "start.layer_rate=0.5", "train.average=0.9"]
    for name in ("whole", "parts"):
        train(settings(reviews, *start), tmp_path / name, quiet=True)
    shutil.rmtree(tmp_path / "parts" / "checkpoints" / "step-00000012")
    train(settings(reviews, *start), tmp_path / "parts", resume=True, quiet=True)
    whole, parts = trained(tmp_path / "whole"), trained(tmp_path / "parts")
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    assert read_metrics(tmp_path / "whole")[-1]["loss"] == read_metrics(tmp_path / "parts")[-1]["loss"]


@pytest.mark.parametrize("name", [each.name for each in architectures("encoder", "classify") if each.kind != "model"])
def test_every_encoder_is_a_stack_of_its_widths(name):
    config: Any = load_fitting(["model.embedding=8", "model.heads=2", "model.widths=[8, 8, 8]"],
                               task="classify", data__train="x", model__name=name)  # fmt: skip
    model = Classify.untrained(config, 30)
    layers = layers_of(dict(model.named_parameters()))
    assert [name for layer in layers for name in layer] == list(dict(model.named_parameters()))
    assert layers[0][0].startswith("embedding")
    assert layers[-1][0].startswith("readout")


def test_what_was_not_taken_over_learns_at_the_full_rate(reviews, before):
    model = Classify.untrained(settings(reviews), 30)
    taken = {name for name, _ in model.named_parameters() if name.startswith("embedding")}
    rates = LayerRates.of(model, taken, settings(reviews, f"start.model={before}", "start.layer_rate=0.5").start)
    assert {rates.factor(rates.depth(name), 1) for name, _ in model.named_parameters() if name in taken} == {0.5}
    assert {rates.factor(rates.depth(name), 1) for name, _ in model.named_parameters() if name not in taken} == {1.0}


@pytest.mark.parametrize(
    "changes, words",
    [
        (["start.layer_rate=0.5"], "there are none"),
        (["start.vectors=svd", "start.frozen=true", "start.unfreeze_every=9"], "start.frozen freezes them"),
    ],
)
def test_without_layers_that_learn_it_is_an_error(reviews, changes, words):
    with pytest.raises(ConfigError, match=words):
        settings(reviews, *changes)
