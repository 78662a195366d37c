"""A conditional random field against its equations, and against all paths that there are."""

from itertools import pairwise, product

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from seqloom.equations.trace import trace
from seqloom.models.crf import FORBIDDEN, LinearChainCRF
from seqloom.testing import assert_same

T, V = 4, 3
LENGTHS = torch.tensor([4, 2, 1, 0])


@pytest.fixture(autouse=True)
def in_double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def drawn(allowed: Tensor | None = None) -> tuple[LinearChainCRF, Tensor]:
    torch.manual_seed(5)
    crf = LinearChainCRF(V, allowed)
    with torch.no_grad():
        crf.scores.normal_()
    return crf, torch.randn(len(LENGTHS), T, V, requires_grad=True)


def paths(crf: LinearChainCRF, z: Tensor) -> dict[tuple[int, ...], Tensor]:
    """The score of every path through one sentence z (T, V)."""
    a, A, b = crf.symbols().values()
    found = {}
    for path in product(range(V), repeat=len(z)):
        steps = sum(A[i, j] for i, j in pairwise(path))
        found[path] = a[path[0]] + b[path[-1]] + steps + sum(z[t, tag] for t, tag in enumerate(path))
    return found


def test_the_loss_is_that_of_all_paths():
    crf, z = drawn()
    y = torch.randint(V, (4, T))
    slow = torch.zeros(())
    for row, length in enumerate(LENGTHS.tolist()[:3]):
        scores = paths(crf, z[row, :length])
        slow = slow + torch.logsumexp(torch.stack(list(scores.values())), 0) - scores[tuple(y[row, :length].tolist())]
    assert_same([crf.loss(z, y, LENGTHS)], [slow], [z, crf.scores])


def test_the_loss_computes_its_equations():
    crf, z = drawn()
    y = torch.randint(V, (1, T))
    part = crf.loss_part()
    slow = part(z[0], y[0])
    assert_same([crf.loss(z[:1], y, LENGTHS[:1])], [slow], [z, crf.scores])
    assert torch.equal(trace(part.definition, z[0], y[0], **part.weights).results[0], slow)


def test_probabilities_are_shares_of_all_paths_and_compute_their_equations():
    crf, z = drawn()
    fast = crf(z, LENGTHS)
    for row, length in enumerate(LENGTHS.tolist()[:3]):
        scores = paths(crf, z[row, :length])
        shares = torch.softmax(torch.stack(list(scores.values())), 0)
        for t, tag in product(range(length), range(V)):
            through = torch.tensor([path[t] == tag for path in scores])
            assert_close(fast[row, t, tag], shares[through].sum())
        assert_same([fast[row, :length]], [crf.part()(z[row, :length])], [z, crf.scores])
        assert fast[row, length:].eq(0).all()


def test_decoding_finds_the_best_of_all_paths_as_its_equations_do():
    crf, z = drawn()
    crf.requires_grad_(False)
    z.requires_grad_(False)
    found = crf.decode(z, LENGTHS)
    assert [len(path) for path in found] == LENGTHS.tolist()
    for row, length in enumerate(LENGTHS.tolist()[:3]):
        scores = paths(crf, z[row, :length])
        assert tuple(found[row]) == max(scores, key=lambda path: float(scores[path]))
        through = crf.viterbi_part()(z[row, :length])
        assert through.argmax(-1).tolist() == found[row]
        assert_close(through.amax(-1), torch.stack(list(scores.values())).max().expand(length))


def test_what_may_not_follow_has_no_probability_and_is_never_chosen():
    allowed = torch.ones(V + 1, V + 1, dtype=torch.bool)
    allowed[0, 1] = allowed[-1, 1] = allowed[2, -1] = False  # 1 neither behind 0 nor first; 2 not last
    crf, z = drawn(allowed)
    z = 3 * z
    with torch.no_grad():
        fast, found = crf(z, LENGTHS), crf.decode(z, LENGTHS)
    assert fast[:3, 0, 1].max() < 1e-300 and fast[0, 3, 2] < 1e-300
    assert all((i, j) != (0, 1) for path in found for i, j in pairwise(path))
    assert all(path[0] != 1 and path[-1] != 2 for path in found[:3])
    legal = {path for path, score in paths(crf, z[0]).items() if score > FORBIDDEN / 2}
    assert tuple(found[0]) in legal
    crf.loss(z, torch.zeros(4, T, dtype=torch.int64), LENGTHS).backward()
    assert crf.scores.grad is not None and crf.scores.grad.isfinite().all()


def test_half_precision_and_nothing_at_all():
    crf = LinearChainCRF(V).float()
    z = torch.randn(2, T, V, dtype=torch.bfloat16)
    assert crf(z, torch.tensor([4, 1])).dtype == torch.float32
    nothing = torch.zeros(1, 0, V)
    assert crf.decode(nothing, torch.tensor([0])) == [[]]
    assert crf(nothing, torch.tensor([0])).shape == (1, 0, V)
    assert crf.loss(nothing, torch.zeros(1, 0, dtype=torch.int64), torch.tensor([0])) == 0
