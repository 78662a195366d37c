"""Processes that train together: a lost one is started anew, and every task can be shared."""

from collections.abc import Callable
from pathlib import Path

import pytest

from seqloom.training.metrics import read_metrics
from seqloom.training.run import train
from seqloom.training.run_config import load_run
from tests.tasks.songs import write_song
from tests.tasks.tagged import write_tagged
from tests.tasks.written_numbers import write_pairs
from tests.training.reviews import write_reviews
from tests.training.together import torchrun

SMALL = [
    "model.embedding=12", "model.dropout=0", "train.warmup_steps=2", "train.batch_tokens=150", "train.log_every=1",
    "train.evaluate_every=8",
]  # fmt: skip


def test_a_lost_process_is_started_anew_and_nothing_is_lost(tmp_path):
    data = str(write_reviews(tmp_path / "reviews.tsv", count=60))
    settings = [*SMALL, "model.widths=[9]", "model.dropout=0.2", "train.steps=14", "train.checkpoint_every=3"]
    arguments = ["classify", data, *settings]
    torchrun(tmp_path, str(tmp_path / "whole"), "0", *arguments)
    torchrun(tmp_path, str(tmp_path / "killed"), "8", *arguments, restarts=2)
    assert (tmp_path / "killed" / "was-killed").exists()
    assert [line["step"] for line in read_metrics(tmp_path / "killed")] == list(range(1, 15))
    assert read_metrics(tmp_path / "whole") == read_metrics(tmp_path / "killed")
    files = [tmp_path / name / "model.safetensors" for name in ("whole", "killed")]
    assert files[0].read_bytes() == files[1].read_bytes()


WAYS: dict[str, tuple[str, str, Callable[..., Path], list[str]]] = {
    "tag": ("tag", "words.conll", write_tagged, ["model.widths=[9]", "tag.characters=6", "tag.word_dropout=0"]),
    "generate": ("generate", "song.txt", write_song, ["model.widths=[12]", "model.length=10", "model.tied=true"]),
    "translate": (
        "translate", "pairs.tsv", write_pairs,
        ["model.encoder_widths=[9]", "model.decoder_widths=[9]", "model.name=rnn-attention", "tokens.kind=space",
         "model.tied=all", "translate.measure=loss"],
    ),
}  # fmt: skip


def test_two_processes_give_the_losses_of_one_in_every_task(tmp_path):
    """One torchrun of two for all of them: starting processes is what takes long."""
    wanted = []
    for name, (task, file, write, settings) in WAYS.items():
        data = str(write(tmp_path / file))
        wanted.append([str(tmp_path / name), "0", task, data, *SMALL, *settings, "train.steps=8"])
    torchrun(tmp_path, *" ; ".join(" ".join(arguments) for arguments in wanted).split())
    for run, _, task, data, *settings in wanted:
        train(load_run(None, settings, task=task, data__train=data), Path(f"{run}-alone"), quiet=True)
    for name in WAYS:
        two, one = read_metrics(tmp_path / name), read_metrics(tmp_path / f"{name}-alone")
        assert [line["step"] for line in two] == list(range(1, 9))
        for line, other in zip(one, two, strict=True):
            assert other.keys() == line.keys()
            assert all(other[figure] == pytest.approx(value, rel=1e-4) for figure, value in line.items()), name
