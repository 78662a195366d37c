"""Methods of attribution: how much of an output's score comes from each input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, get_args

import torch
from torch import Tensor

from seqloom.attribution.attribution import Attribution
from seqloom.attribution.probe import Probe
from seqloom.errors import SeqloomError, UnknownName

Method = Literal["gradient", "integrated", "leave-one-out"]

STEPS = 32
"""Points of the path that integrated gradients follow."""
AT_ONCE = 32
"""Copies of an input that are computed together."""
MOST_INPUTS = 512
MOST_CELLS = 64 * 512
"""Inputs, and inputs times outputs, that are attributed at most."""


def attribute(probe: Probe, method: str = "integrated") -> Attribution:
    """Attribute every output of a probe to its inputs.

    A probe whose `scores` raises ends it: so a server stops what nobody waits for any more.
    """
    if method not in METHODS:
        raise UnknownName("method of attribution", method, get_args(Method))
    S, K = len(probe.inputs), len(probe.outputs)
    if not S or not K:
        raise SeqloomError("there is nothing to attribute", remedy="give a text with a word that the model knows")
    if S > MOST_INPUTS or S * K > MOST_CELLS:
        what = f"{S:,} inputs and {K:,} outputs are too many to attribute"
        raise SeqloomError(what, remedy=f"give a shorter input: {MOST_INPUTS} tokens at most")
    with torch.no_grad():
        scores = probe.scores(probe.x[None], places(probe, 1))[0]
    weights = METHODS[method](probe)
    return Attribution(
        method, tuple(probe.inputs), tuple(probe.outputs), weights.double().cpu().numpy(),
        tuple(scores.double().tolist()), probe.answer,
    )  # fmt: skip


def gradient(probe: Probe) -> Tensor:
    """Gradient times input (K, S): what the score would change by if it were linear."""
    slopes = gradients(probe, probe.x[None])
    return (slopes[0] * probe.x).sum(-1)


def integrated(probe: Probe) -> Tensor:
    """Integrated gradients from zero embeddings (K, S); together they are what the score gains over them.

    Paper: M. Sundararajan, A. Taly, Q. Yan, Axiomatic attribution for deep networks, ICML 2017.
    """
    middle = (torch.arange(STEPS, device=probe.x.device, dtype=probe.x.dtype) + 0.5) / STEPS
    total = torch.zeros(len(probe.outputs), *probe.x.shape, device=probe.x.device, dtype=probe.x.dtype)
    for part in torch.split(middle, chunk(probe)):
        total += gradients(probe, part[:, None, None] * probe.x).sum(0)
    return (total / STEPS * probe.x).sum(-1)


def leave_one_out(probe: Probe) -> Tensor:
    """By how much each score falls without an input (K, S): removed, or where it has an output of its own, blanked."""
    S = len(probe.inputs)
    whole = torch.arange(S, device=probe.x.device)
    with torch.no_grad():
        full = probe.scores(probe.x[None], whole[None])
        if probe.removable and S > 1:
            kept = torch.stack([torch.cat([whole[:place], whole[place + 1 :]]) for place in range(S)])
            rows = [probe.scores(probe.x[part], part) for part in torch.split(kept, AT_ONCE)]
        else:
            blanks = torch.eye(S, device=probe.x.device, dtype=torch.bool)
            rows = [
                probe.scores(probe.x.masked_fill(part[..., None], 0.0), whole.expand(len(part), -1))
                for part in torch.split(blanks, AT_ONCE)
            ]
    return (full - torch.cat(rows)).T


def gradients(probe: Probe, x: Tensor) -> Tensor:
    """The gradient of each score at points x (B, S, D) -> (B, K, S, D)."""
    with torch.enable_grad():
        points = x.detach().requires_grad_()
        scores = probe.scores(points, places(probe, len(x)))
        last = scores.shape[1] - 1
        found = [
            torch.autograd.grad(scores[:, output].sum(), points, retain_graph=output < last)[0]
            for output in range(last + 1)
        ]
    return torch.stack(found, dim=1)


def places(probe: Probe, copies: int) -> Tensor:
    """All inputs in order, for so many copies of them (B, S)."""
    return torch.arange(len(probe.inputs), device=probe.x.device).expand(copies, -1)


def chunk(probe: Probe) -> int:
    """Copies whose gradients are kept at once: fewer for long inputs with many outputs."""
    return max(1, min(AT_ONCE, MOST_CELLS // (len(probe.inputs) * len(probe.outputs))))


METHODS: Mapping[str, Callable[[Probe], Tensor]] = {
    "gradient": gradient,
    "integrated": integrated,
    "leave-one-out": leave_one_out,
}
