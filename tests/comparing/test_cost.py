"""Memory and time by length: the square of attention, the straight line of a recurrence."""

import torch

from seqloom.comparing.cost import costs_by_length, peak_memory
from seqloom.training.catalogue import untrained


def test_memory_is_what_is_there_at_once():
    kept = torch.ones(1000)

    def one_after_the_other() -> None:
        for _ in range(3):
            float((kept + 1).sum())

    def together() -> None:
        float(sum(each.sum() for each in [kept + 1, kept + 2, kept + 3]))

    assert 4000 <= peak_memory(one_after_the_other) < 8000
    assert 12_000 <= peak_memory(together) < 16_000


def memory_by_length(name: str, *changes: str) -> list[int]:
    _, _, network = untrained(name, "generate", [*changes, "model.length=260"], 11)
    return [cost.bytes for cost in costs_by_length(network, 256)]


def test_memory_grows_with_the_length_of_a_recurrence_and_with_the_square_for_attention():
    lstm = memory_by_length("lstm", "model.embedding=6", "model.widths=[5]")
    small = ["model.embedding=8", "model.widths=[8]", "model.heads=2", "model.hidden=6"]
    attention = memory_by_length("transformer", *small)
    assert len(lstm) == len(attention) == 4  # 32, 64, 128, 256
    assert lstm[-1] / lstm[-2] < 2.2
    assert attention[-1] / attention[-2] > 2.5
