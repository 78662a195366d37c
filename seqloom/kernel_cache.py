"""How many kernels torch keeps: oneDNN makes one for every shape of a product, and batches of texts have new ones.

On its own it keeps a thousand and more, half a megabyte to some megabytes each, so that training on a CPU grew by
gigabytes (docs/experiments.md). To make one anew takes no time that could be measured. Nothing here imports torch: it
reads these when it multiplies for the first time.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

KEPT = 128
"""Kernels: what the steps of some batches use, forward and backward."""
CAPACITIES = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")
"""What oneDNN calls it, and torch, which keeps some of its own."""


def bound_kernel_caches(environ: MutableMapping[str, str] = os.environ) -> None:
    """Let torch keep fewer kernels, unless the user has said how many."""
    for name in CAPACITIES:
        environ.setdefault(name, str(KEPT))
