"""eole: its model, data, batches by tokens, and its `Trainer`'s own step."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from eole.config.run import TrainConfig  # type: ignore[import-not-found]  # in the environment of this runner
from eole.constants import CorpusTask  # type: ignore[import-not-found]
from eole.inputters.dynamic_iterator import build_dynamic_dataset_iter  # type: ignore[import-not-found]
from eole.models.model import get_model_class  # type: ignore[import-not-found]
from eole.train_single import TrainingInitializer, configure_process  # type: ignore[import-not-found]
from eole.trainer import build_trainer  # type: ignore[import-not-found]
from eole.utils import Statistics  # type: ignore[import-not-found]
from eole.utils.optimizers import Optimizer  # type: ignore[import-not-found]
from own_batches import BATCH_TOKENS, BETAS, CLIP, RATE, write_pairs  # type: ignore[import-not-found]  # beside this file
from training_turns import Step, serve  # type: ignore[import-not-found]  # beside this file

CPU = -1


def settings(job: dict[str, Any], folder: Path) -> TrainConfig:
    sizes = job["sizes"]
    layers = len(sizes["encoder_widths"])
    vocabulary = str(folder / "vocabulary.txt")
    data = {"path_src": str(folder / "pairs.src"), "path_tgt": str(folder / "pairs.trg")}
    return TrainConfig(
        src_vocab=vocabulary, tgt_vocab=vocabulary, share_vocab=True, data={"corpus": data}, seed=1,
        src_vocab_size=sizes["vocabulary"], tgt_vocab_size=sizes["vocabulary"], save_data=str(folder),
        overwrite=True, n_sample=0,
        training={
            "model_path": str(folder / "model"), "batch_size": BATCH_TOKENS, "batch_type": "tokens", "optim": "adamw",
            "learning_rate": RATE, "adam_beta1": BETAS[0], "adam_beta2": BETAS[1], "decay_method": "none",
            "max_grad_norm": CLIP, "label_smoothing": sizes["smoothing"], "normalization": "tokens",
            "dropout": [sizes["dropout"]], "attention_dropout": [0.0], "num_workers": 0, "world_size": 0,
            "gpu_ranks": [],
            "compute_dtype": "bf16" if job["precision"] == "bfloat16" else "fp32", "bucket_size": 4_096,
        },
        model={
            "architecture": "transformer", "layers": layers, "hidden_size": sizes["embedding"], "heads": sizes["heads"],
            "transformer_ff": sizes["hidden"], "share_embeddings": True, "share_decoder_embeddings": True,
            "embeddings": {"word_vec_size": sizes["embedding"], "position_encoding_type": "SinusoidalInterleaved"},
        },
    )  # fmt: skip


def start(job: dict[str, Any]) -> tuple[dict[str, Any], Step]:
    logging.disable(logging.WARNING)
    torch.set_num_threads(job["threads"])
    folder = Path(tempfile.mkdtemp(prefix="eole-", dir=job["data"]))
    write_pairs(job, folder)
    config = settings(job, folder)
    configure_process(config, CPU)
    context = TrainingInitializer(config).initialize()
    config = context.config
    model = get_model_class(config.model).for_training(
        config.model, context.vocabs, config.training, metadata=None, device_id=CPU
    )
    trainer = build_trainer(config, CPU, model, context.vocabs, Optimizer.from_config(model, config, metadata=None))
    batches = endless(trainer, config, context)
    counted = Statistics()

    def step(_: int) -> tuple[float, int]:
        """What the loop of `Trainer.train` does for a batch."""
        found, normalization = next(batches)
        before, loss = counted.n_tokens, counted.loss
        trainer._train_step(found, normalization, counted, Statistics())
        tokens = counted.n_tokens - before
        return (counted.loss - loss) / tokens, tokens

    parameters = sum(weight.numel() for weight in model.parameters())
    return {"parameters": parameters, "versions": {"torch": torch.__version__, "eole": version("eole")}}, step


def endless(trainer: Any, config: Any, context: Any) -> Iterator[Any]:
    reader = build_dynamic_dataset_iter(
        config, context.transforms, context.vocabs, task=CorpusTask.TRAIN, stride=1, offset=0, device_id=CPU
    )
    while True:
        yield from trainer._accum_batches(reader)


serve(start)
