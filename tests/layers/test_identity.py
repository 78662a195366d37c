from seqloom.layers.identity import Identity, identity
from tests.layers.lifted import lifted
from tests.layers.scan import assert_same, randn


def test_identity_computes_the_equations_and_copies_nothing():
    layer, x = Identity(), randn(2, 3, 4)
    assert_same([layer(x)], [lifted(identity, layer.symbols(), 0, 0)(x)], [x])
    assert layer(x) is x
    assert identity.layer is Identity
