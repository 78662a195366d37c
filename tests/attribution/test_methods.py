"""Methods of attribution, held to captum and to what they must add up to."""

from typing import Any

import pytest
import torch
from captum.attr import FeatureAblation, InputXGradient, IntegratedGradients
from torch import Tensor, nn

from seqloom.attribution import METHODS, Probe, attribute
from seqloom.attribution.methods import STEPS
from seqloom.errors import SeqloomError

S, D, K = 5, 3, 2


class Scorer(nn.Module):
    """Embeddings (B, S, D) -> scores (B, K), bent enough that the methods differ."""

    def __init__(self) -> None:
        super().__init__()
        self.W, self.v = nn.Parameter(torch.randn(D, 4)), nn.Parameter(torch.randn(4, K))

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh((x @ self.W).cumsum(1)).prod(1) @ self.v


@pytest.fixture
def scorer() -> Scorer:
    return Scorer().double()


@pytest.fixture
def probe(scorer: Scorer) -> Probe:
    x = torch.randn(S, D, dtype=torch.float64)
    return Probe("abcde", ["yes", "no"], x, lambda x, places: scorer(x), removable=False)


def by_captum(method: str, scorer: Scorer, x: Tensor, output: int) -> Any:
    match method:
        case "gradient":
            return InputXGradient(scorer).attribute(x[None], target=output)[0].sum(-1)
        case "integrated":
            found = IntegratedGradients(scorer).attribute(
                x[None], target=output, n_steps=STEPS, method="riemann_middle"
            )
            return found[0].sum(-1)
        case _:
            groups = torch.arange(S)[None, :, None].expand(1, S, D)
            return FeatureAblation(scorer).attribute(x[None], target=output, feature_mask=groups)[0, :, 0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("output", range(K))
def test_methods_compute_what_captum_does(method, output, scorer, probe):
    found = attribute(probe, method)
    expected = by_captum(method, scorer, probe.x.clone().requires_grad_(), output).detach()
    torch.testing.assert_close(torch.from_numpy(found.weights[output]), expected)


def test_integrated_gradients_add_up_to_what_the_score_gains(scorer, probe):
    found = attribute(probe, "integrated")
    gained = scorer(probe.x[None]) - scorer(torch.zeros(1, S, D, dtype=torch.float64))
    torch.testing.assert_close(torch.from_numpy(found.weights.sum(1)), gained[0].detach(), atol=5e-3, rtol=0)


def test_what_can_be_removed_is_removed():
    seen = []

    def scores(x: Tensor, places: Tensor) -> Tensor:
        seen.append(places.tolist())
        return x.sum((1, 2))[:, None]

    x = torch.arange(6.0).view(3, 2)
    found = attribute(Probe("abc", ["sum"], x, scores, removable=True), "leave-one-out")
    assert seen[-1] == [[1, 2], [0, 2], [0, 1]]
    assert found.weights.tolist() == [[1.0, 5.0, 9.0]]


@pytest.mark.parametrize(
    "inputs, outputs, method, message",
    [
        (3, 1, "shap", "no method of attribution"),
        (0, 1, "gradient", "there is nothing to attribute"),
        (513, 1, "gradient", "513 inputs and 1 outputs are too many"),
        (512, 65, "gradient", "512 inputs and 65 outputs are too many"),
    ],
)
def test_what_cannot_be_attributed_says_why(inputs, outputs, method, message):
    probe = Probe(["a"] * inputs, ["b"] * outputs, torch.zeros(inputs, 2), lambda x, places: x[:, 0], False)
    with pytest.raises(SeqloomError, match=message):
        attribute(probe, method)
