"""A student that learns from a trained model: what it minimises, what it keeps of it, who can be no teacher."""

import json
from typing import Any

import pytest
import torch
from torch.testing import assert_close

import seqloom
from seqloom.errors import ConfigError
from seqloom.layers.distillation import distillation
from seqloom.tasks.trainable import Loss
from seqloom.training.model import Model
from seqloom.training.teacher import DistilledTrainable
from seqloom.training.teacher_settings import TeacherConfig
from tests.training import toy

TEXTS = ["a good film", "a bad film", "good", "not good at all", "bad bad film", "no film"]
KINDS: dict[str, tuple[str, list[dict[str, Any]], list[str], str]] = {
    "label": ("classify", [{"text": text, "label": text.split()[-1]} for text in TEXTS], [], "cnn"),
    "fewer": ("classify", [{"text": text, "label": text.split()[-1]} for text in TEXTS[2:4]], [], "cnn"),
    "labels": ("classify", [{"text": t, "labels": t.split()} for t in TEXTS], ["classify.answer=labels"], "cnn"),
    "number": ("classify", [{"text": text, "label": len(text)} for text in TEXTS], ["classify.answer=number"], "cnn"),
    "tag": ("tag", [{"tokens": text.split(), "tags": [w[0] for w in text.split()]} for text in TEXTS], [], "gru"),
    "generate": ("generate", [{"text": text} for text in TEXTS], ["model.length=9"], "gru"),
    "translate": ("translate", [{"source": t, "target": t.upper()} for t in TEXTS], [], "encoder-decoder"),
}


@pytest.fixture
def go(tmp_path):
    """Train a small model of a kind, and another with other settings from it."""

    def run(kind: str, out: str, *settings: str, steps: int = 3, **more: Any) -> Model:
        task, records, always, _ = KINDS[kind]
        data = tmp_path / f"{kind}.jsonl"
        data.write_text("".join(json.dumps(record) + "\n" for record in records))
        chosen = [*always, "train.warmup_steps=0", "train.baseline=false", "data.valid_share=0", *settings]
        folder = tmp_path / out
        return seqloom.train(
            data=str(data), out=folder, steps=steps, settings=chosen, quiet=True, **{"task": task} | more
        )

    return run


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("number", "fewer")])
def test_a_teacher_of_another_architecture_teaches_every_choice(go, kind, tmp_path):
    teacher = go(kind, "teacher")
    student = go(kind, "student", model=KINDS[kind][3], teacher=teacher, task=None)
    assert student.task.tokenizers == teacher.task.tokenizers
    assert student.config.teacher.model == str(tmp_path / "teacher")
    mark = json.loads((tmp_path / "student/teacher.json").read_text())
    assert mark["model"] == str(tmp_path / "teacher") and len(mark["sha256"]) == 64
    student("a good film")


def test_a_number_is_no_distribution(go):
    with pytest.raises(ConfigError, match="a regression has no distribution"):
        go("number", "student", teacher=go("number", "other"))


def test_a_step_minimises_what_the_definition_says(tmp_path):
    trainer = toy.make(tmp_path, dropout=0.0)
    inner, other = trainer.trainable, toy.make(tmp_path / "other", seed=5, dropout=0.0).model
    config = TeacherConfig(model="any", temperature=3.0, share=0.7)

    def teacher(batch: toy.Batch) -> torch.Tensor:
        logits = inner.loss(other, batch).logits
        assert logits is not None
        return logits.detach()

    batch = next(iter(inner.stream))
    loss = DistilledTrainable(inner, teacher, config).loss(trainer.model, batch)
    plain: Loss = inner.loss(trainer.model, batch)
    assert plain.logits is not None
    tau, alpha = torch.tensor(3.0), torch.tensor(0.7)
    rows = zip(plain.logits, teacher(batch), batch[1].long(), strict=True)
    expected = torch.stack([distillation(z, s, y, tau, alpha) for z, s, y in rows]).sum()
    assert loss.count == plain.count
    assert_close(loss.total, expected)
    weights = list(trainer.model.parameters())
    assert_close(torch.autograd.grad(loss.total, weights), torch.autograd.grad(expected, weights), rtol=1e-4, atol=1e-5)


def test_a_student_that_learns_from_its_teacher_alone_comes_to_say_the_same(go):
    teacher = go("label", "teacher", steps=40)
    right = {text: teacher(text).scores for text in TEXTS}
    section = {"model": str(teacher.folder), "share": 1.0, "temperature": 1.0}
    settings = ["model.dropout=0", "train.learning_rate=0.01"]
    apart = []
    for steps in (1, 60):
        student = go("label", f"student-{steps}", *settings, steps=steps, model="cnn", teacher=section)
        apart.append(sum(abs(student(t).scores[name] - p) for t in TEXTS for name, p in right[t].items()))
    assert apart[1] < 0.2 * apart[0]


def test_a_student_that_goes_on_ends_as_one_that_never_stopped(go, tmp_path):
    teacher = go("translate", "teacher")
    settings = ["train.checkpoint_every=2", "train.learning_rate=0.01", "train.schedule=constant"]
    whole = go("translate", "whole", *settings, steps=6, teacher=teacher)
    go("translate", "stopped", *settings, steps=3, teacher=teacher)
    resumed = go("translate", "stopped", *settings, steps=6, teacher=teacher, resume=True)
    assert_close(dict(resumed.network.named_parameters()), dict(whole.network.named_parameters()), rtol=0, atol=0)
    go("translate", "teacher", steps=5, resume=True)
    with pytest.raises(ConfigError, match="has changed since this run began"):
        go("translate", "stopped", *settings, steps=8, teacher=teacher, resume=True)


def test_who_cannot_teach_says_why(go, tmp_path):
    teacher = str(go("translate", "teacher").folder)
    with pytest.raises(ConfigError, match=r"(?s)tokens\.size: 300.*seqloom distil"):
        go("translate", "student", "tokens.size=300", teacher=teacher)
    with pytest.raises(ConfigError, match=r"is a model for the task translate, and this one is for classify"):
        go("label", "student", teacher=teacher)
    with pytest.raises(ConfigError, match="holds no trained model"):
        go("label", "student", teacher=str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match=r"reads \d+ tokens at most, this model 900"):
        go("translate", "student", "model.length=900", teacher=teacher)
    labels = str(go("labels", "labels").folder)
    with pytest.raises(ConfigError, match=r"classify\.answer"):
        go("label", "student", teacher=labels)
    label = str(go("fewer", "label").folder)
    with pytest.raises(ConfigError, match="learned other labels"):
        go("label", "student", teacher=label)
    tags = str(go("tag", "tags").folder)
    with pytest.raises(ConfigError, match=r"tag\.head: a conditional random field"):
        go("tag", "student", "tag.head=crf", teacher=tags)
    assert not (tmp_path / "student").exists()
