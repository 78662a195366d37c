"""JoeyNMT: its model, data, batches by tokens, and `TrainManager`'s own training step."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joeynmt  # type: ignore[import-not-found]  # in the environment of this runner
import torch
from joeynmt.config import parse_global_args, set_validation_args  # type: ignore[import-not-found]
from joeynmt.prediction import prepare  # type: ignore[import-not-found]
from joeynmt.training import TrainManager  # type: ignore[import-not-found]
from own_batches import BATCH_TOKENS, BETAS, CLIP, RATE, write_pairs  # type: ignore[import-not-found]  # beside this file
from training_turns import Step, serve  # type: ignore[import-not-found]  # beside this file


def settings(job: dict[str, Any], folder: Path) -> dict[str, Any]:
    sizes = job["sizes"]
    side = {"level": "word", "lowercase": False, "max_length": 120, "voc_file": str(folder / "vocabulary.txt")}
    stack = {
        "type": "transformer", "num_layers": len(sizes["encoder_widths"]), "num_heads": sizes["heads"],
        "embeddings": {"embedding_dim": sizes["embedding"], "scale": True}, "hidden_size": sizes["embedding"],
        "ff_size": sizes["hidden"], "dropout": sizes["dropout"], "layer_norm": "post",
    }  # fmt: skip
    pairs = str(folder / "pairs")
    return {
        "name": "bench", "model_dir": str(folder), "use_cuda": False, "random_seed": 1,
        "fp16": job["precision"] == "bfloat16",
        "data": {
            "train": pairs, "dev": pairs, "dataset_type": "plain", "src": {"lang": "src", **side},
            "trg": {"lang": "trg", **side},
            "special_symbols": {
                "unk_token": "<unk>", "unk_id": 0, "pad_token": "<pad>", "pad_id": 1, "bos_token": "<s>", "bos_id": 2,
                "eos_token": "</s>", "eos_id": 3, "sep_token": None, "sep_id": None, "lang_tags": [],
            },
        },
        "testing": {"eval_metrics": []},
        "training": {
            "optimizer": "adamw", "adam_betas": BETAS, "learning_rate": RATE, "clip_grad_norm": CLIP,
            "scheduling": "warmupinversesquareroot",
            "label_smoothing": sizes["smoothing"], "loss": "crossentropy", "normalization": "tokens",
            "batch_size": BATCH_TOKENS, "batch_type": "token", "epochs": 1, "early_stopping_metric": "ppl",
        },
        "model": {
            "initializer": "xavier_uniform", "embed_initializer": "xavier_uniform", "tied_embeddings": True,
            "tied_softmax": True, "encoder": stack, "decoder": stack,
        },
    }  # fmt: skip


def start(job: dict[str, Any]) -> tuple[dict[str, Any], Step]:
    torch.set_num_threads(job["threads"])
    folder = Path(tempfile.mkdtemp(prefix="joeynmt-", dir=job["data"]))
    write_pairs(job, folder)
    args = parse_global_args(settings(job, folder), rank=0, mode="train")
    model, data, _, _ = prepare(args, rank=0, mode="train")
    manager = TrainManager(
        rank=0, model=model, model_dir=args.model_dir, device=args.device, n_gpu=0, num_workers=0,
        autocast=args.autocast, seed=1, train_args=args.train, dev_args=set_validation_args(args.test),
    )  # fmt: skip
    batches = endless(manager, data)

    def step(_: int) -> tuple[float, int]:
        """What the loop of `TrainManager.train_and_validate` does for a batch."""
        batch = next(batches)
        loss, _ = manager._train_step(batch)
        manager.clip_grad_fun(parameters=model.parameters())
        manager.optimizer.step()
        model.zero_grad()
        return loss, int(batch.ntokens)

    parameters = sum(weight.numel() for weight in model.parameters())
    return {"parameters": parameters, "versions": {"torch": torch.__version__, "joeynmt": joeynmt.__version__}}, step


def endless(manager: Any, data: Any) -> Iterator[Any]:
    model, epoch = manager.model, 0
    reader = data.make_iter(
        batch_size=BATCH_TOKENS, batch_type="token", seed=1, shuffle=True, num_workers=0, device=manager.device,
        eos_index=model.eos_index, pad_index=model.pad_index,
    )  # fmt: skip
    while True:
        epoch += 1
        reader.batch_sampler.set_seed(epoch)
        yield from reader


serve(start)
