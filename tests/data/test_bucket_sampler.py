"""The order of training: everything once an epoch, little padding, and a position that can be gone back to."""

from itertools import islice

import numpy as np
import pytest

from seqloom.data.bucket_sampler import BucketSampler

LENGTHS = np.random.default_rng(0).integers(1, 40, size=997).astype(np.int32)


def epoch_of(stream: BucketSampler, epoch: int = 0) -> list[np.ndarray]:
    return list(stream.batches(epoch))


def test_every_row_comes_once_in_an_epoch():
    batches = epoch_of(BucketSampler(LENGTHS, batch_tokens=300, seed=1, pool=3))
    assert sorted(np.concatenate(batches).tolist()) == list(range(len(LENGTHS)))


def test_no_batch_has_more_tokens_than_it_may():
    for batch in epoch_of(BucketSampler(LENGTHS, batch_tokens=300, seed=1, pool=5)):
        assert len(batch) * LENGTHS[batch].max() <= 300


def test_a_row_longer_than_a_batch_comes_alone():
    lengths = np.array([3, 500, 4], dtype=np.int32)
    batches = epoch_of(BucketSampler(lengths, batch_tokens=10, seed=1))
    assert sorted(map(len, batches)) == [1, 2]


def test_little_of_a_batch_is_padding():
    batches = epoch_of(BucketSampler(LENGTHS, batch_tokens=600, seed=1, pool=20))
    padded = sum(len(batch) * int(LENGTHS[batch].max()) for batch in batches)
    assert LENGTHS.sum() / padded > 0.9


def test_epochs_and_seeds_differ_and_the_same_ones_do_not():
    orders = {
        (seed, epoch): np.concatenate(epoch_of(BucketSampler(LENGTHS, 300, seed), epoch)).tolist()
        for seed in (1, 2)
        for epoch in (0, 1)
    }
    assert len({tuple(order) for order in orders.values()}) == 4
    assert orders[1, 1] == np.concatenate(epoch_of(BucketSampler(LENGTHS, 300, 1), 1)).tolist()


def test_rows_of_a_batch_come_from_the_whole_corpus():
    first = next(iter(BucketSampler(LENGTHS, batch_tokens=2000, seed=1, pool=4)))
    assert np.ptp(first) > len(LENGTHS) / 2


@pytest.mark.parametrize("stop", [1, 7, 70, 150])
def test_a_stream_goes_on_where_it_was(stop):
    whole = [batch.tolist() for batch in islice(BucketSampler(LENGTHS, 300, seed=3, pool=5), 200)]
    first = BucketSampler(LENGTHS, 300, seed=3, pool=5)
    taken = [batch.tolist() for batch in islice(first, stop)]
    second = BucketSampler(LENGTHS, 300, seed=3, pool=5)
    second.seek(first.position())
    taken += [batch.tolist() for batch in islice(second, 200 - stop)]
    assert taken == whole
    assert second.epochs() > 1
