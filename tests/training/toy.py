"""A small task of its own: learn to tell which of two halves of a row is larger. Can be run as a process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from seqloom.layers.dropout import Dropout
from seqloom.tasks.trainable import Loss, ValidationResult
from seqloom.training import checkpoint
from seqloom.training.distributed import init_processes
from seqloom.training.loop import Trainer
from seqloom.training.settings import TrainConfig

Batch = tuple[Tensor, Tensor]


class ToyStream:
    def __init__(self, rows: int, size: int, seed: int) -> None:
        generator = torch.Generator().manual_seed(0)
        self.x = torch.randn(rows, 8, generator=generator)
        self.y = (self.x[:, :4].sum(-1) > self.x[:, 4:].sum(-1)).float()
        self.size, self.seed, self.given = size, seed, 0

    def __iter__(self) -> Iterator[Batch]:
        in_epoch = len(self.x) // self.size
        while True:
            epoch, place = divmod(self.given, in_epoch)
            order = torch.randperm(len(self.x), generator=torch.Generator().manual_seed(self.seed + epoch))
            rows = order[place * self.size : (place + 1) * self.size]
            self.given += 1
            yield self.x[rows], self.y[rows]

    def position(self) -> dict[str, Any]:
        return {"given": self.given}

    def batches_per_epoch(self) -> int:
        return 10

    def epochs(self) -> float:
        return self.given * self.size / len(self.x)

    def seek(self, position: dict[str, Any]) -> None:
        self.given = position["given"]


class ToyTrainable:
    def __init__(self, config: TrainConfig) -> None:
        self.stream = ToyStream(rows=60, size=12, seed=config.seed)
        self.notes: list[str] = []
        self.predicts_tokens = False

    def split(self, batch: Batch, count: int) -> list[Batch]:
        return [(batch[0][part::count], batch[1][part::count]) for part in range(count)]

    def repeated(self, batch: Batch) -> Batch:
        return torch.cat([batch[0]] * 2), torch.cat([batch[1]] * 2)

    def size(self, batch: Batch) -> int:
        return len(batch[0])

    def token_count(self, batch: Batch) -> int:
        return batch[0].numel()

    def loss(self, model: nn.Module, batch: Batch) -> Loss:
        scores = model(batch[0]).squeeze(-1)
        total = nn.functional.binary_cross_entropy_with_logits(scores, batch[1], reduction="sum")
        return Loss(total, len(batch[0]), nn.functional.pad(scores[:, None], (1, 0)))

    def evaluate(self, model: nn.Module) -> ValidationResult:
        right = ((model(self.stream.x).squeeze(-1) > 0) == (self.stream.y > 0)).float().mean()
        return ValidationResult({"accuracy": float(right)}, float(right))

    def sample(self, model: nn.Module) -> str:
        return ""


def make(run: Path, dropout: float = 0.1, **settings: Any) -> Trainer[Batch]:
    config = TrainConfig(
        **{
            "steps": 40,
            "warmup_steps": 4,
            "log_every": 3,
            "checkpoint_every": 7,
            "evaluate_every": 10,
            "average": 0.9,
            **settings,
        }
    )
    torch.manual_seed(config.seed)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), Dropout(dropout), nn.Linear(16, 1))
    return Trainer(run, config, model, ToyTrainable(config), init_processes("cpu"))


def go(run: Path, **settings: Any) -> Trainer[Batch]:
    """Train from the newest sound checkpoint, or from nothing."""
    run.mkdir(parents=True, exist_ok=True)
    trainer = make(run, **settings)
    saved, _ = checkpoint.newest(run)
    if saved is not None:
        trainer.restore(saved)
    trainer.train(quiet=True)
    return trainer


if __name__ == "__main__":
    torch.set_num_threads(1)
    overrides = {
        name: float(value) if "." in value else int(value) for name, value in (a.split("=") for a in sys.argv[2:])
    }
    go(Path(sys.argv[1]), **overrides).group.close()
