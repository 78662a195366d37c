import resource

import torch

from seqloom.training.memory import kept_memory


def pages_cleared(steps: int = 20) -> int:
    """How many pages the system must hand out for steps that each use 24 MB."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(steps):
        torch.ones(6_000_000).add_(1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_what_a_step_gives_back_is_kept_for_the_next_and_returned_at_the_end():
    before = pages_cleared()
    with kept_memory():
        kept = pages_cleared()
    after = pages_cleared()
    assert kept < before / 4
    assert kept < after / 4
