"""Frees the postings of removed texts in one pass over all buckets, in small steps."""

import numpy as np
from numpy.typing import NDArray

from matcher.index.redis.buckets import RECORD_BYTES, drop_ranges, join_buckets
from matcher.index.redis.generation import Generation, ShardGroup
from matcher.index.redis.link import RedisLink, number, script
from matcher.index.redis.scripts import END_SWEEP, REPLACE
from matcher.index.redis.text_table import unpack_ranges

BUCKETS_PER_STEP = 4_000  # read at once: 1 MB at 32 postings a bucket
# A pass reads every bucket: 0.5 s at 25 M characters, some 20 s at 10^9. It is due if it frees this share of all
# postings...
MIN_DEAD_SHARE = 1 / 200
# ...or if there are so few buckets that it takes hardly any time.
FEW_BUCKETS = 1 << 18


def is_due(generation: Generation, postings: int, dead_postings: int) -> bool:
    """Return whether a pass is worthwhile: it frees enough postings, or the index is small."""
    is_cheap = generation.bucket_bits <= FEW_BUCKETS.bit_length() - 1
    return dead_postings > 0 and (is_cheap or dead_postings >= MIN_DEAD_SHARE * (postings + dead_postings))


def compact(link: RedisLink, generation: Generation) -> None:
    """Remove the postings of all removed texts from the buckets.

    An interrupted pass must be repeated from the start. Other processes may add, remove, look up and compact at the
    same time: a bucket is replaced only if it has not changed since it was read.
    """
    names = generation.names
    first, last = _begin_pass(link, generation)
    ranges = link.one("LRANGE", names.dead, first, last - 1) if last > first else []
    if not ranges:
        return
    starts, sizes, postings = unpack_ranges(ranges)
    starts, firsts = np.unique(starts, return_index=True)
    ends, buckets = starts + sizes[firsts], np.arange(1 << generation.bucket_bits)
    for begin in range(0, buckets.size, BUCKETS_PER_STEP):
        _clean_buckets(link, generation, buckets[begin : begin + BUCKETS_PER_STEP], starts, ends)
    link.one(*script(END_SWEEP, [names.meta], [first, last, int(postings.sum())]))


def _begin_pass(link: RedisLink, generation: Generation) -> tuple[int, int]:
    """Return the range of the list of dead ranges that no pass has freed yet."""
    freed, dead = link.one("HMGET", generation.names.meta, "freed", "dead")
    return number(freed), number(dead)


def _clean_buckets(
    link: RedisLink,
    generation: Generation,
    numbers: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> None:
    """Remove ranges of addresses from some buckets; repeat this for buckets that changed in the meantime."""
    while numbers.size:
        names = generation.names.buckets(numbers, generation.bucket_bits)
        groups = list(generation.groups(numbers, numbers.size))
        responses = link.ask([("MGET", *names[group.first : group.last]) for group in groups])
        values: list[bytes | None] = [value for part in responses for value in part]
        records, bounds = drop_ranges(*join_buckets(values), starts, ends)
        kept, bounds = records.astype("<u8").tobytes(), bounds * RECORD_BYTES
        rows = [
            row
            for row, value in enumerate(values)
            if value is not None and len(value) != int(bounds[row + 1] - bounds[row])
        ]
        replacements = {row: kept[bounds[row] : bounds[row + 1]] for row in rows}
        numbers = _replace_buckets(
            link, generation, numbers[rows], [(values[row] or b"", replacements[row]) for row in rows]
        )


def _replace_buckets(
    link: RedisLink, generation: Generation, numbers: NDArray[np.int64], pairs: list[tuple[bytes, bytes]]
) -> NDArray[np.int64]:
    """Write the buckets that have not changed since they were read; return the numbers of the others.

    pairs: the value that was read and the new value of each bucket.
    """
    names = generation.names.buckets(numbers, generation.bucket_bits)
    groups: list[ShardGroup] = list(generation.groups(numbers))
    commands = [
        script(
            REPLACE,
            [group.marker, *names[group.first : group.last]],
            [field for pair in pairs[group.first : group.last] for field in pair],
        )
        for group in groups
    ]
    responses = link.ask(commands) if commands else []
    changed = [group.first + row - 1 for group, rows in zip(groups, responses, strict=True) for row in rows]
    return numbers[changed]
