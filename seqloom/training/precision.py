"""In which type of numbers a run multiplies: as its settings say, or as the device is faster."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

Precision = Literal["float32", "bfloat16"]


def fast_bfloat16(device: torch.device | None = None) -> bool:
    """Whether a device multiplies numbers of 16 bits (bfloat16) in its own units; the fastest there is by default."""
    import torch

    kind = device.type if device is not None else "cuda" if torch.cuda.is_available() else "cpu"
    if kind == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return kind == "cpu" and bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())


def processor() -> str:
    """What decides how numbers are rounded, beside the settings: the processor, and torch's kernels for it."""
    import torch

    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return f"{next(names, platform.machine())} ({torch.backends.cpu.get_cpu_capability()}), torch {torch.__version__}"
