"""Frees the postings of removed texts in one pass over all buckets, in small steps that may be interrupted."""

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class _CompactionPass:
    """One pass over the dead ranges first:last of the list; the next bucket is `bucket`."""

    first: int
    last: int
    bucket: int


def is_due(generation: Generation, postings: int, dead_postings: int) -> bool:
    """Return whether a pass is worthwhile."""
    is_cheap = generation.bucket_bits <= FEW_BUCKETS.bit_length() - 1
    return dead_postings > 0 and (is_cheap or dead_postings >= MIN_DEAD_SHARE * (postings + dead_postings))


def compact(link: RedisLink, generation: Generation) -> None:
    """Remove the postings of all texts removed so far from the buckets.

    Resumes an interrupted pass. Other processes may add, remove, look up and compact at the same time: a bucket is
    replaced only if it has not changed since it was read.
    """
    sweep = _begin_pass(link, generation)
    ranges = link.one("LRANGE", generation.names.dead, sweep.first, sweep.last - 1) if sweep.last > sweep.first else []
    if not ranges:
        return
    starts, sizes, postings = unpack_ranges(ranges)
    starts, firsts = np.unique(starts, return_index=True)
    ends = starts + sizes[firsts]
    for first in range(sweep.bucket, 1 << generation.bucket_bits, BUCKETS_PER_STEP):
        last = min(first + BUCKETS_PER_STEP, 1 << generation.bucket_bits)
        _clean_buckets(link, generation, np.arange(first, last), starts, ends)
        link.one("HSET", generation.names.meta, "sweep", f"{sweep.first}:{sweep.last}:{last}")
    link.one(*script(END_SWEEP, [generation.names.meta], [sweep.first, sweep.last, int(postings.sum())]))


def _begin_pass(link: RedisLink, generation: Generation) -> _CompactionPass:
    """Return the interrupted pass, or a new pass over the texts removed so far."""
    noted, freed, dead = link.one("HMGET", generation.names.meta, "sweep", "freed", "dead")
    if noted:
        first, last, bucket = map(int, noted.split(b":"))
        if first == number(freed):
            return _CompactionPass(first, last, bucket)
    return _CompactionPass(number(freed), number(dead), 0)


def _clean_buckets(
    link: RedisLink,
    generation: Generation,
    numbers: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> None:
    """Remove address ranges from some buckets; repeat for buckets that changed in the meantime."""
    while numbers.size:
        names = generation.names.buckets(numbers, generation.bucket_bits)
        groups = list(generation.groups(numbers, numbers.size))
        found = link.ask([("MGET", *names[group.first : group.last]) for group in groups])
        values: list[bytes | None] = [value for part in found for value in part]
        records, bounds = drop_ranges(*join_buckets(values), starts, ends)
        kept, bounds = records.astype("<u8").tobytes(), bounds * RECORD_BYTES
        rows = [
            row
            for row, value in enumerate(values)
            if value is not None and len(value) != int(bounds[row + 1] - bounds[row])
        ]
        wanted = {row: kept[bounds[row] : bounds[row + 1]] for row in rows}
        numbers = _replace_buckets(link, generation, numbers[rows], [(values[row] or b"", wanted[row]) for row in rows])


def _replace_buckets(
    link: RedisLink, generation: Generation, numbers: NDArray[np.int64], pairs: list[tuple[bytes, bytes]]
) -> NDArray[np.int64]:
    """Write the buckets unchanged since they were read, and return the numbers of the other buckets."""
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
    answers = link.ask(commands) if commands else []
    changed = [group.first + row - 1 for group, rows in zip(groups, answers, strict=True) for row in rows]
    return numbers[changed]
