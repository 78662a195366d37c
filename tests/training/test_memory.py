import resource
from pathlib import Path

import torch

from seqloom.training.memory import kept_memory

BLOCK = 12_000_000
"""Numbers of 4 bytes: more than glibc ever keeps by itself (32 MiB)."""


def pages_cleared(steps: int = 20) -> int:
    """How many pages the system hands out for steps that all use as much as the one before them."""
    torch.ones(BLOCK)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(steps):
        torch.ones(BLOCK)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_what_a_step_gives_back_is_kept_for_the_next_and_returned_at_the_end():
    before = pages_cleared()
    with kept_memory():
        kept = pages_cleared()
        inside = resident()
    assert kept < before / 5
    assert resident() < inside - BLOCK * 4 * 0.9
