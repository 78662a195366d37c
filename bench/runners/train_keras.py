"""Keras 3 with torch below it: the LSTM classifier and the character LSTM, by `train_on_batch`."""

from __future__ import annotations

import os
from typing import Any

os.environ["KERAS_BACKEND"] = "torch"

import keras  # in the environment of this runner
import numpy as np
import torch
from training_turns import Step, serve  # type: ignore[import-not-found]  # beside this file


def start(job: dict[str, Any]) -> tuple[dict[str, Any], Step]:
    torch.set_num_threads(job["threads"])
    if job["precision"] == "bfloat16":
        keras.mixed_precision.set_global_policy("mixed_bfloat16")
    sizes, classifies = job["sizes"], job["model"] == "LSTM classifier"
    layers = keras.layers
    model = keras.Sequential([
        layers.Embedding(sizes["vocabulary"], sizes["embedding"], mask_zero=classifies),
        layers.Dropout(sizes["dropout"]),
        layers.LSTM(sizes["widths"][0], return_sequences=not classifies),
        layers.Dropout(sizes["dropout"]),
        layers.Dense(2 if classifies else sizes["vocabulary"], dtype="float32"),
    ])  # fmt: skip
    model.compile(
        optimizer=keras.optimizers.AdamW(1e-3, beta_2=0.98, epsilon=1e-9, global_clipnorm=1.0),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    inputs = [np.array(batch["x" if classifies else "tokens"]) for batch in job["batches"]]
    wanted = [np.array(batch["targets"]) for batch in job["batches"]]

    def step(number: int) -> float:
        return float(model.train_on_batch(inputs[number], wanted[number]))

    model.build(inputs[0].shape)
    versions = {"keras": keras.__version__, "torch": torch.__version__}
    return {"parameters": model.count_params(), "versions": versions}, step


serve(start)
