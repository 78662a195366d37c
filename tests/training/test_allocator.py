import json
import resource
from pathlib import Path

import torch

from seqloom.training.allocator import keep_freed_memory

BLOCK = 12_000_000
"""Numbers of 4 bytes: more than glibc ever keeps by itself (32 MiB)."""


def pages_cleared(steps: int = 20) -> int:
    """How many pages the system hands out for steps that all use as much as those before them."""
    for _ in range(steps):  # until there is a place for them
        torch.ones(BLOCK)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(steps):
        torch.ones(BLOCK)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def measured() -> list[int]:
    """Pages cleared without and with memory that is kept; bytes resident while it is kept and afterwards."""
    before = pages_cleared()
    with keep_freed_memory():
        kept = pages_cleared()
        inside = resident()
    return [before, kept, inside, resident()]


def test_what_a_step_gives_back_is_kept_for_the_next_and_returned_at_the_end(start):
    """In a process of its own: where others have worked before, glibc may have a place of that size already."""
    process = start("from tests.training.test_allocator import measured; print(measured())")
    said, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    before, kept, inside, after = json.loads(said)
    assert kept < before / 5
    assert after < inside - BLOCK * 4 * 0.9
