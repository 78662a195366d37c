"""The default line of each task: which architectures stand in it, in which order, and their sizes for embedded data.

This is data about the registry, and the one place that names architectures; nothing else in this folder does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Values = Mapping[str, Any]


@dataclass(frozen=True)
class DefaultModel:
    """One model of a line."""

    label: str
    settings: Values
    """What makes it what it is: sections of settings, most of them [model] alone."""
    small: Values = field(default_factory=dict)
    """Its sizes for the embedded data, which is small, and a learning rate that suits it."""


@dataclass(frozen=True)
class DefaultModels:
    """The models of a task from the first to the last, and the data that comes with seqloom."""

    data: str
    budget: str
    """Training time of each model on the embedded data."""
    shared: Values
    """Settings that all models have in common on the embedded data."""
    places: Sequence[DefaultModel]
    varied: str
    """The label of the model whose settings are varied, if nothing else is said."""

    def place(self, label: str) -> DefaultModel | None:
        return next((place for place in self.places if place.label == label), None)


TRAINED = {
    "batch_tokens": 3000, "learning_rate": 0.004, "schedule": "cosine", "warmup_steps": 60,
    "evaluate_every": 150, "checkpoint_every": 450, "log_every": 10,
}  # fmt: skip


def place(label: str, name: str, small: Values, *, rate: float | None = None, **settings: Any) -> DefaultModel:
    """A model by the name of its architecture, with settings of [model], and those for the embedded data."""
    train = {} if rate is None else {"train": {"learning_rate": rate}}
    return DefaultModel(label, {"model": {"name": name, **settings}}, {"model": small, **train})


RECURRENT = {"embedding": 48, "widths": [96]}
SELF_ATTENTION = {"embedding": 64, "widths": [64] * 2, "heads": 4, "hidden": 128}
CONVOLUTION = {"embedding": 64, "widths": [64] * 3}

TRANSLATE = DefaultModels(
    data="embedded:dates",
    budget="60s",
    shared={
        "tokens": {"kind": "character", "joint": False},
        "model": {"length": 64},
        "train": TRAINED,
        "translate": {"measure": "exact", "validate_pairs": 200},
    },
    places=[
        place("fixed-context", "encoder-decoder", RECURRENT),
        place("context-in-every-step", "encoder-decoder-every-step", RECURRENT),
        place("attention", "rnn-attention", {**RECURRENT, "hidden": 96}),
        place("dot-attention", "dot-attention", RECURRENT),
        place("convolution", "conv-seq2seq", CONVOLUTION),
        place("transformer", "transformer", SELF_ATTENTION, rate=0.008),
        place("hybrid", "hybrid", SELF_ATTENTION, rate=0.008),
    ],
    varied="transformer",
)

CLASSIFY = DefaultModels(
    data="embedded:names",
    budget="45s",
    shared={"tokens": {"kind": "character"}, "model": {"length": 48}, "train": TRAINED},
    places=[
        place("logistic", "logistic", {"embedding": 48}),
        place("mlp", "mlp", {"embedding": 48, "hidden": 96}),
        place("rnn", "rnn", RECURRENT, rate=0.002),
        place("lstm", "lstm", RECURRENT),
        place("bidirectional-lstm", "lstm", {"embedding": 48, "widths": [64]}, bidirectional=True),
        place(
            "stacked-bidirectional-lstm", "lstm", {"embedding": 48, "widths": [48, 48]},
            bidirectional=True, widths=[128, 128],
        ),
        place("cnn", "cnn", CONVOLUTION),
        place("self-attentive-rnn", "self-attentive-rnn", RECURRENT, rate=0.002),
        place("transformer", "transformer", SELF_ATTENTION, rate=0.002),
    ],
    varied="transformer",
)  # fmt: skip

TAG = DefaultModels(
    data="embedded:python-tokens",
    budget="45s",
    shared={"train": TRAINED},
    places=[
        place("rnn", "rnn", RECURRENT, rate=0.002, bidirectional=False),
        place("lstm", "lstm", RECURRENT, bidirectional=False),
        place("bidirectional-lstm", "lstm", {"embedding": 48, "widths": [64]}, bidirectional=True),
        place("cnn", "cnn", CONVOLUTION),
        place("transformer", "transformer", SELF_ATTENTION, rate=0.002),
    ],
    varied="transformer",
)

GENERATE = DefaultModels(
    data="embedded:python-docs",
    budget="75s",
    shared={"model": {"length": 96}, "train": TRAINED},
    places=[
        place("rnn", "rnn", RECURRENT, rate=0.002),
        place("gru", "gru", RECURRENT),
        place("lstm", "lstm", RECURRENT),
        place("cnn", "cnn", CONVOLUTION, rate=0.002),
        place("transformer", "transformer", SELF_ATTENTION, rate=0.002),
    ],
    varied="transformer",
)

CAPTION = DefaultModels(
    data="embedded:digits",
    budget="180s",
    shared={
        "model": {"embedding": 96},
        "train": {**TRAINED, "learning_rate": 0.002},
        "caption": {"measure": "exact"},
    },
    places=[
        place("show-and-tell", "show-and-tell", {"decoder_widths": [128]}),
        place("show-attend-tell", "show-attend-tell", {"decoder_widths": [128]}),
        place("picture-transformer", "picture-transformer", {"encoder_widths": [96] * 2, "decoder_widths": [96] * 2}),
    ],
    varied="picture-transformer",
)  # fmt: skip

LINES = {"classify": CLASSIFY, "tag": TAG, "generate": GENERATE, "translate": TRANSLATE, "caption": CAPTION}
"""By task."""
