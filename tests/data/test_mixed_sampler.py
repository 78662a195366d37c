from collections import Counter
from itertools import islice

import numpy as np
import pytest

from seqloom.data.bucket_sampler import BucketSampler
from seqloom.data.mixed_sampler import MixedSampler, mixed

SIZES = {0: 90, 1: 10}
SETS = np.repeat(list(SIZES), list(SIZES.values()))
LENGTHS = np.arange(100, dtype=np.int32) % 7 + 1


def rows_in_epoch(temperature: float, epoch: int = 0) -> list[int]:
    batches = MixedSampler(LENGTHS, 20, 3, SETS, temperature).batches(epoch)
    return [int(row) for batch in batches for row in batch]


def test_by_their_sizes_every_row_comes_once():
    assert sorted(rows_in_epoch(1.0)) == list(range(100))


@pytest.mark.parametrize("temperature", [2.0, 5.0, 1000.0])
def test_sets_are_drawn_by_a_root_of_their_size(temperature):
    rows = rows_in_epoch(temperature)
    small = 10 ** (1 / temperature) / (10 ** (1 / temperature) + 90 ** (1 / temperature))
    assert Counter(SETS[rows].tolist())[1] == round(100 * small)
    times = Counter(rows)
    for number in SIZES:  # every row of a set comes before one comes again
        of_set = [times[row] for row in np.flatnonzero(number == SETS).tolist()]
        assert max(of_set) - min(of_set) <= 1
    assert rows == rows_in_epoch(temperature) != rows_in_epoch(temperature, epoch=1)


def test_it_goes_on_where_it_was():
    def sampler() -> BucketSampler:
        return mixed(LENGTHS, 20, 3, SETS, 3.0)

    whole = [batch.tolist() for batch in islice(sampler(), 60)]
    first, second = sampler(), sampler()
    list(islice(first, 37))
    second.seek(first.position())
    assert [batch.tolist() for batch in islice(second, 23)] == whole[37:]
    assert type(mixed(LENGTHS, 20, 3, None, 3.0)) is BucketSampler
