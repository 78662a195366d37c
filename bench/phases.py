"""What `bench.prepare` measures, each in a process of its own: python -m bench.phases NAME ARGUMENTS (as JSON)."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BATCH = 10_000
"""Texts that are given to a tokenizer at once."""


def texts_of(file: str) -> list[str]:
    with open(file, encoding="utf-8") as stream:
        return [line.rstrip("\n").split("\t")[1] for line in stream]


def train_library(file: str, kind: str, size: int, lines: int, target: str) -> dict[str, Any]:
    """A tokenizer of the same kind and size, made by the library alone."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    texts = texts_of(file)[:lines]
    trainer: trainers.Trainer
    if kind == "bpe":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        letters = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=letters, show_progress=False)
    elif kind == "unigram":
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=size, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
        )
    else:
        tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        trainer = trainers.WordLevelTrainer(vocab_size=size, special_tokens=["<unk>"], show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.save(target)
    return {}


class Clock:
    """Seconds since it was made: on the wall, and of processors, those of processes that have ended among them."""

    def __init__(self) -> None:
        self.began = self.now()

    def now(self) -> tuple[float, float]:
        used = os.times()
        return time.perf_counter(), used.user + used.system + used.children_user + used.children_system

    def speeds(self, lines: int) -> dict[str, Any]:
        wall, used = (now - then for now, then in zip(self.now(), self.began))
        return {"lines": lines, "wall": lines / wall, "used": lines / used}


def bare(file: str, tokenizer: str, lines: int) -> dict[str, Any]:
    """The library alone, on lines that are in memory, with all cores: the faster of its two calls."""
    from tokenizers import Tokenizer

    library, texts = Tokenizer.from_file(tokenizer), texts_of(file)[:lines]
    found = [encode(call, texts) for call in (library.encode_batch, library.encode_batch_fast)]
    return max(found, key=lambda one: float(one["wall"]))


def ours_bare(file: str, run: str, lines: int) -> dict[str, Any]:
    """Our tokenizer alone, on lines that are in memory: one core."""
    from seqloom.tokens import Tokenizer

    tokenizer = Tokenizer.load(next(Path(run).glob("*.tokenizer.json")))
    return encode(tokenizer.encode_batch, texts_of(file)[:lines])


def encode(call: Callable[[list[str]], Any], texts: list[str]) -> dict[str, Any]:
    call(texts[:BATCH])
    clock = Clock()
    for first in range(0, len(texts), BATCH):
        call(texts[first : first + BATCH])
    return clock.speeds(len(texts))


def prepare(pattern: str, run: str, folder: str, workers: int | None) -> dict[str, Any]:
    """From files to a corpus on disk, flushed; then the time to find it again."""
    import seqloom
    from seqloom.data.corpus import fingerprint
    from seqloom.data.corpus import prepare as make
    from seqloom.data.source import open_source

    task = seqloom.load(run).task
    source = open_source(pattern, task="classify")
    clock = Clock()
    corpus = make(Path(folder), source, task.encode, workers=workers)
    speeds = clock.speeds(len(corpus))
    began = time.perf_counter()
    fingerprint(source.files, {})
    hashing = time.perf_counter() - began
    return {**speeds, "hashing": hashing, "bytes": sum(file.stat().st_size for file in Path(folder).iterdir())}


def train(pattern: str, valid: str, out: str, kind: str, size: int, steps: int, again: str | None) -> dict[str, Any]:
    """The whole of a run; or, with the vocabulary of another run, one that finds its corpus made."""
    import seqloom

    if again:
        shutil.copytree(Path(again) / "setup", Path(out) / "setup")
    small = {"model.embedding": 32, "model.widths": "[32]", "train.warmup_steps": 0, "train.device": "cpu"}
    settings = {"data.valid": valid, "tokens.kind": kind, "tokens.size": size, "train.steps": steps, **small}
    seqloom.train(
        data=pattern,
        task="classify",
        model="gru",
        out=out,
        settings=[f"{name}={value}" for name, value in settings.items()],
        resume=again is not None,
        quiet=True,
    )
    return {}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](**json.loads(sys.argv[2]))))
