"""Look-up in sorted postings against its definition, and sorting with more than memory holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matcher.index import posting_runs
from matcher.index.posting_runs import PARTS, PostingRuns
from matcher.index.postings import Postings, PostingTable
from matcher.index.redis.buckets import (
    MAX_ADDRESSES,
    bucket_numbers,
    drop_ranges,
    join_buckets,
    key_checks,
    make_buckets,
    occurrences,
)
from tests.support.index_texts import IDS

# Few leading bits and few distinct keys, so that buckets are empty, short and long, and keys occur many times.
KEYS = st.lists(st.integers(0, 40).map(lambda number: number * 0x0421_0000_0000_1001 % (1 << 64)), max_size=200)


@given(st.lists(KEYS, max_size=4), KEYS, st.integers(0, 60))
def test_a_table_finds_what_a_loop_finds(held: list[list[int]], asked: list[int], cap: int) -> None:
    texts = [Postings(np.array(keys, np.uint64), 3000 * np.arange(len(keys)), 3000 * len(keys)) for keys in held]
    hits = PostingTable.from_postings(texts).look_up(np.array(asked, np.uint64), cap, IDS.__getitem__)
    expected = []
    for query, wanted in enumerate(asked):
        places = [(text, 3000 * at) for text, keys in enumerate(held) for at, key in enumerate(keys) if key == wanted]
        assert hits.counts[query] == len(places)
        expected += [(query, *place) for place in places if len(places) <= cap]
    found = zip(hits.queries.tolist(), hits.ordinals.tolist(), hits.positions.tolist(), strict=True)
    assert sorted(found) == sorted(expected)
    assert hits.capped == sum(count > cap for count in hits.counts)


@given(KEYS, KEYS, st.integers(8, 29))
def test_buckets_find_what_a_loop_finds(held: list[int], asked: list[int], bits: int) -> None:
    keys = np.sort(np.array(held, np.uint64))
    addresses = MAX_ADDRESSES - 1 - 17 * np.arange(keys.size, dtype=np.int64)
    buckets = make_buckets(keys, addresses, bits)
    values = dict(zip(buckets.numbers.tolist(), buckets.values, strict=True))
    wanted = np.array(asked, np.uint64)
    numbers, own = np.unique(bucket_numbers(wanted, bits), return_inverse=True)
    found = occurrences(
        key_checks(wanted, bits), own, *join_buckets([values.get(number) for number in numbers.tolist()])
    )
    expected = [(q, int(a)) for q, key in enumerate(asked) for a in addresses[keys == np.uint64(key)]]
    assert sorted(zip(found[0].tolist(), found[1].tolist(), strict=True)) == sorted(expected)


@given(st.lists(st.integers(0, 999), max_size=60), st.lists(st.integers(0, 9), max_size=6, unique=True))
def test_what_is_taken_out_of_buckets_is_what_lies_in_a_range(held: list[int], dead: list[int]) -> None:
    records = np.array(held, np.uint64) | np.uint64(5 << 36)
    bounds = np.array([0, len(held) // 3, len(held) // 3, len(held)])
    starts = np.sort(np.array(dead, np.int64)) * 100
    kept, new_bounds = drop_ranges(records, bounds, starts, starts + 50)
    is_kept = [each // 100 not in dead or each % 100 >= 50 for each in held]
    assert kept.tolist() == records[np.array(is_kept, np.bool_)].tolist()
    assert new_bounds.tolist() == [sum(is_kept[: int(bound)]) for bound in bounds]


@given(KEYS)
def test_runs_give_everything_in_order_of_its_key(held: list[int]) -> None:
    keys, addresses = np.array(held, np.uint64), np.arange(len(held), dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch, PostingRuns() as runs:
        patch.setattr(posting_runs, "RUN_POSTINGS", 16)
        for start in range(0, len(held), 7):
            runs.add_postings(keys[start : start + 7], addresses[start : start + 7])
        parts = list(runs.parts())
    assert runs.size == len(held)
    assert len(parts) == PARTS
    assert all(np.all(part[0] >> np.uint64(56) == number) for number, part in enumerate(parts))
    read = [(int(key), int(address)) for part in parts for key, address in zip(*part, strict=True)]
    assert [key for key, _ in read] == sorted(held)
    assert sorted(address for _, address in read) == addresses.tolist()
    assert all(held[address] == key for key, address in read)
