"""Filling and deleting generations: buckets are written in one piece, from postings sorted outside Redis."""

from collections.abc import Callable
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from matcher.index.posting_runs import PARTS, PostingRuns
from matcher.index.redis.buckets import make_buckets
from matcher.index.redis.generation import Generation
from matcher.index.redis.keys import MAX_BUCKET_BITS, MIN_BUCKET_BITS, Keys
from matcher.index.redis.link import Command, Link, number, script
from matcher.index.redis.scripts import APPEND
from matcher.index.redis.text_table import Range, pack_id

# Postings of a bucket at least, and at most twice as many. A key of its own costs Redis some 110 bytes, 130 in a
# cluster. Tried at 25 M characters (2026-11): 20, 39, 79 and 158 postings take 2.81, 2.25, 1.96 and 1.82 bytes a
# character, and pages of 500 anchors that read 94, 172, 326 and 633 kB.
MIN_POSTINGS_OF_BUCKET = 32
BUCKETS_PER_COMMAND = 1_000
BUCKETS_PER_PIPELINE = 10_000  # some 3 MB
TEXTS_PER_CALL = 1_000
NAMES_PER_DELETE = 1_000


def bits_for(postings: int) -> int:
    """How many leading bits of a key name its bucket in an index of that size."""
    return min(MAX_BUCKET_BITS, max(MIN_BUCKET_BITS, (postings // MIN_POSTINGS_OF_BUCKET).bit_length() - 1))


def fill(
    link: Link,
    generation: Generation,
    texts: dict[WorkTextId, Range],
    runs: PostingRuns,
    heartbeat: Callable[[], None],
) -> None:
    """Write texts and their postings into an empty generation that is not in use yet.

    heartbeat: called at least every few seconds.
    """
    _write_texts(link, generation, texts)
    for keys, addresses in runs.parts():
        _write_buckets(link, generation, keys, addresses)
        heartbeat()


def _write_texts(link: Link, generation: Generation, texts: dict[WorkTextId, Range]) -> None:
    names, entries, written = generation.names, iter(texts.items()), 0
    while batch := [(pack_id(text_id), its.to_bytes()) for text_id, its in islice(entries, TEXTS_PER_CALL)]:
        link.one(*script(APPEND, [names.texts, names.log], [written, *(field for entry in batch for field in entry)]))
        written += len(batch)
    end = max((its.start + its.size for its in texts.values()), default=0)
    postings = sum(its.postings for its in texts.values())
    link.one("HSET", names.meta, "end", end, "postings", postings, "logged", len(texts))


def _write_buckets(link: Link, generation: Generation, keys: NDArray[np.uint64], addresses: NDArray[np.int64]) -> None:
    buckets = make_buckets(keys, addresses, generation.bucket_bits)
    for start in range(0, buckets.numbers.size, BUCKETS_PER_PIPELINE):
        numbers = buckets.numbers[start : start + BUCKETS_PER_PIPELINE]
        values = buckets.values[start : start + BUCKETS_PER_PIPELINE]
        names = generation.names.buckets(numbers, generation.bucket_bits)
        commands: list[Command] = []
        for group in generation.groups(numbers, BUCKETS_PER_COMMAND):
            pairs = zip(names[group.first : group.last], values[group.first : group.last], strict=True)
            commands.append(("MSET", *(field for pair in pairs for field in pair)))
        link.ask(commands)


def delete(link: Link, keys: Keys, retired: str) -> None:
    """Free every key of a generation: `retired` is its number and bucket_bits, or 0 where its meta names them."""
    generation, bits = map(int, retired.split(":"))
    doomed = Generation(link, keys, generation, bits)
    names = doomed.names
    doomed.bucket_bits = bits or number(link.one("HGET", names.meta, "bucket_bits"))
    # The markers first: without them the shards are neither written nor read.
    link.ask([("UNLINK", marker) for marker in names.markers])
    if doomed.bucket_bits:
        _delete_buckets(link, doomed)
    link.one("UNLINK", names.meta, names.texts, names.pending, names.log, names.dead)
    link.one("SREM", keys.retired, retired)


def _delete_buckets(link: Link, doomed: Generation) -> None:
    step = max(1, (1 << doomed.bucket_bits) // PARTS)
    for first in range(0, 1 << doomed.bucket_bits, step):
        numbers = np.arange(first, first + step)
        names = doomed.names.buckets(numbers, doomed.bucket_bits)
        link.ask([("UNLINK", *names[group.first : group.last]) for group in doomed.groups(numbers, NAMES_PER_DELETE)])
