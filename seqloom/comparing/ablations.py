"""Ready-made ablations: which model of a line is varied, in which setting, and what question that answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seqloom.comparing.default_models import DefaultModel, DefaultModels
from seqloom.config import over


@dataclass(frozen=True)
class Ablation:
    """A question about a part of a model, asked by leaving it out or by exchanging it."""

    name: str
    question: str
    task: str
    """The task whose embedded data shows it best."""
    setting: str
    values: Sequence[str]
    model: str = ""
    """The label of the model in the line of the task; empty: the one that the line varies."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Settings of [model] that make all values possible."""

    @property
    def vary(self) -> str:
        return f"{self.setting}={','.join(self.values)}"

    def places(self, line: DefaultModels) -> list[DefaultModel]:
        """The model that is varied."""
        found = line.place(self.model or line.varied)
        return [DefaultModel(found.label, over(found.settings, {"model": self.fixed}), found.small)] if found else []


SEVEN = ["additive", "dot", "scaled_dot", "bilinear", "cosine", "mlp_score", "projected"]
ONE_WAY = {"bidirectional": False, "order": "state-first", "hidden": 512}
"""So that states of both sides have the same width, and any score can compare them."""
ABLATIONS = {
    each.name: each
    for each in (
        Ablation(
            "scores", "Does it matter how attention compares a state with what it attends to?", "translate",
            "model.score", SEVEN, "attention", ONE_WAY,
        ),
        Ablation(
            "heads", "What do more heads add, and what does each attend to?", "translate",
            "model.heads", ["1", "2", "4", "8"],
        ),
        Ablation(
            "positions", "What does self-attention know of the order of words?", "classify",
            "model.positions", ["none", "learned", "sinusoidal"],
        ),
        Ablation(
            "norm", "What is a norm good for, and over what should it be taken?", "translate",
            "model.norm_kind", ["layer", "batch", "none"],
        ),
        Ablation(
            "residual", "Can a stack of blocks learn without residual connections?", "translate",
            "model.residual", ["true", "false"],
        ),
        Ablation(
            "feed-forward", "Can attention do without the feed-forward networks?", "translate",
            "model.hidden", ["0", "128"],
        ),
        Ablation(
            "scale", "Does it matter that scores are divided by the root of the width?", "translate",
            "model.scaled", ["true", "false"],
        ),
        Ablation(
            "depth", "What do more layers add?", "translate",
            "model.widths", ["[64]", "[64, 64]", "[64, 64, 64, 64]"],
        ),
        Ablation(
            "tanh", "Why does a recurrent network squash its state?", "classify", "model.name", ["rnn", "linear-rnn"],
            "rnn",
        ),
    )
}  # fmt: skip
"""By name. One whose setting no model has is not listed."""
