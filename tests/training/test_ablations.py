"""Whatever can be left out of a model can be trained: to the end, saved, loaded, resumed to the bit, opened."""

import pytest
import torch

from seqloom.errors import ConfigError
from seqloom.storage import read_tensors
from seqloom.training.loading import load
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.tasks.tagged import write_tagged

QUICK = [
    "train.steps=6", "train.warmup_steps=1", "train.checkpoint_every=3", "train.evaluate_every=3", "model.embedding=8",
    "train.schedule=constant",
]  # fmt: skip
BARE = ["hidden=0", "positions=none", "norm_kind=batch", "residual=false", "scaled=false"]


def settings(data, task, *changes, model="transformer"):
    changes = tuple(f"model.{change}" if "." not in change.split("=")[0] else change for change in changes)
    return load_run(None, [*QUICK, *changes], task=task, data__train=str(data), model__name=model)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_batch_norm_is_saved_and_resumed_to_the_bit(tmp_path, precision):
    data = write_tagged(tmp_path / "words.conll", count=40)
    changes = [*BARE[2:], "widths=[8, 8]", "heads=2", "tag.characters=0", f"train.precision={precision}"]
    train(settings(data, "tag", *changes), tmp_path / "whole", quiet=True)
    train(settings(data, "tag", *changes, "train.steps=3"), tmp_path / "parts", quiet=True)
    train(settings(data, "tag", *changes), tmp_path / "parts", resume=True, quiet=True)
    whole, parts = (read_tensors(tmp_path / name / "model.safetensors") for name in ("whole", "parts"))
    statistics = [name for name in whole if name.endswith(("mean", "variance"))]
    assert len(statistics) == 10, "of two norms in each block and one at the end"
    assert all(whole[name].abs().sum() > 0 for name in statistics)
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    model = load(tmp_path / "whole")
    (one,), both = model(["the can"]), model(["the can", "you run and they play"])
    assert one.scores == pytest.approx(both[0].scores), "statistics of training: no answer depends on its batch"


@pytest.mark.parametrize(
    "task, widths", [("classify", "widths"), ("generate", "widths"), ("translate", "encoder_widths")]
)
def test_a_bare_transformer_is_trained_and_opened_in_every_task(tmp_path, task, widths):
    data = tmp_path / ("lines.txt" if task == "generate" else "pairs.tsv")
    pairs = [("one two", "b"), ("two three four", "a"), ("three", "a"), ("four one", "b")]
    lines = {"classify": "{1}\t{0}", "generate": "{0}", "translate": "{0}\t{0}"}[task]
    data.write_text("".join(lines.format(*pair) + "\n" for pair in pairs * 10))
    config = settings(data, task, *BARE, f"{widths}=[8, 8]", "heads=2")
    train(config, tmp_path / "run", quiet=True)
    page = tmp_path / "page.html"
    load(tmp_path / "run").explain("two three").save(page)
    assert "unscaled_dot_product" in page.read_text() and "without residual connections" in page.read_text()


@pytest.mark.parametrize("task, model, changes, words", [
    ("classify", "mlp", ["hidden=0"], "hidden: mlp needs its hidden layer\n.*0 is for mixer, transformer"),
    ("translate", "rnn-attention", ["hidden=0"], "hidden: the score additive needs its hidden layer"),
    ("classify", "lstm", ["norm_kind=batch"], "norm_kind: is a setting of transformer; lstm does not use it"),
    ("tag", "transformer", ["padding=front"], "padding: is a setting of logistic, mlp; transformer does not use it"),
    ("translate", "hybrid", ["norm=after"], "norms before each part"),
])  # fmt: skip
def test_what_cannot_be_left_out_says_so(tmp_path, task, model, changes, words):
    with pytest.raises(ConfigError, match=words):
        settings(tmp_path / "data.tsv", task, *changes, model=model)
