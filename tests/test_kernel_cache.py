"""The kernels that torch keeps: a bounded number, whatever shapes come."""

import os
import subprocess
import sys

import pytest

from seqloom.kernel_cache import CAPACITIES, KEPT, bound_kernel_caches

PRODUCTS = """
import resource, sys
import seqloom, torch
torch.set_num_threads(1)
weight = torch.randn(128, 96).to(getattr(torch, sys.argv[1]))
def multiply(rows):
    x = torch.zeros(rows, 96, dtype=weight.dtype)
    torch.ops.mkldnn._linear_pointwise(x, weight, None, "none", [], "")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
begun = max(multiply(1000 - rows) for rows in range(200))
print((max(multiply(800 - rows) for rows in range(300)) - begun) / 1024)
"""


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_memory_does_not_grow_with_the_shapes_that_were_multiplied(dtype):
    environment = {name: value for name, value in os.environ.items() if name not in CAPACITIES}
    done = subprocess.run(
        [sys.executable, "-c", PRODUCTS, dtype],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )
    assert float(done.stdout) < 50  # MiB; 12 to 19 were seen, and without a bound 169 and more


def test_what_a_user_chose_stays():
    chosen = {CAPACITIES[0]: "7"}
    bound_kernel_caches(chosen)
    assert chosen == {CAPACITIES[0]: "7", CAPACITIES[1]: str(KEPT)}
