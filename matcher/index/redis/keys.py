"""The names of the index's keys.

All begin with zw:<algorithm>: and have in braces the part that determines the slot in a cluster.

zw:<algorithm>:{index}:        everything except buckets; one slot, so that scripts may touch several keys
  generation, building, counter  the generation in use, the one being built, the last number assigned
  filling                        the generation being built, as long as its builder sends heartbeats
  origin                         random, new for every generation that comes into use
  revision                       counts every text added or removed
  journal                        list: texts added and removed while a generation is built (`journal`)
  retired                        set: generations whose keys are to be deleted, with their bucket_bits
  <g>:meta                       hash: bucket_bits, end (of the assigned addresses), postings, dead_postings, logged,
                                 dead, freed (the dead ranges already removed from buckets), servers (of the cluster
                                 it was written to)
  <g>:texts                      hash: text id -> range, of the texts in the generation
  <g>:pending                    hash: text id -> range, of texts being added
  <g>:log                        list: range and text id of every text ever added; its index is the ordinal
  <g>:dead                       list: ranges of removed texts
zw:<algorithm>:{<g>:s<shard>-<n>}:   the buckets of one shard
  open                           exists as long as the shard is complete
  b:<3 bytes>                    postings of one bucket (matcher.index.redis.buckets)
"""

import numpy as np
from numpy.typing import NDArray
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from matcher.index.posting_runs import PART_BITS

SHARD_BITS = 5  # 32 shards: evenly spread over up to some ten servers, with few commands per page
SHARDS = 1 << SHARD_BITS
MIN_BUCKET_BITS = PART_BITS  # a bucket is written in one piece, so no part of the sorted postings may end within it
BUCKET_BYTES = 3  # the length of a bucket's number within its shard
MAX_BUCKET_BITS = SHARD_BITS + 8 * BUCKET_BYTES


class Keys:
    """The keys outside any generation."""

    def __init__(self, algorithm_id: int) -> None:
        self.algorithm = f"zw:{algorithm_id}:"
        self.prefix = self.algorithm + "{index}:"
        self.generation = self.prefix + "generation"
        self.building = self.prefix + "building"
        self.filling = self.prefix + "filling"
        self.counter = self.prefix + "counter"
        self.origin = self.prefix + "origin"
        self.revision = self.prefix + "revision"
        self.journal = self.prefix + "journal"
        self.retired = self.prefix + "retired"


class GenerationKeys:
    """The keys of one generation."""

    def __init__(self, keys: Keys, number: int) -> None:
        prefix = f"{keys.prefix}{number}:"
        self.meta, self.texts, self.pending = prefix + "meta", prefix + "texts", prefix + "pending"
        self.log, self.dead = prefix + "log", prefix + "dead"
        shards = [f"{keys.algorithm}{{{_hash_tag(number, shard)}}}:" for shard in range(SHARDS)]
        self.markers = [shard + "open" for shard in shards]
        prefixes = [(shard + "b:").encode() for shard in shards]
        self._prefixes = np.frombuffer(b"".join(prefixes), np.uint8).reshape(SHARDS, -1)

    def buckets(self, numbers: NDArray[np.int64], bits: int) -> list[bytes]:
        """Return the keys of buckets with these numbers.

        bits: the number of leading bits of a posting's key that number its bucket.
        """
        prefixes = self._prefixes[shard_numbers(numbers, bits)]
        within = numbers & ((1 << (bits - SHARD_BITS)) - 1)
        numbered = within.astype(">u4").view(np.uint8).reshape(-1, 4)[:, 4 - BUCKET_BYTES :]
        raw = np.concatenate([prefixes, numbered], axis=1)
        return raw.view(f"V{raw.shape[1]}").reshape(-1).tolist()


def shard_numbers(numbers: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Return the shard of each bucket, int64[n]."""
    return numbers >> (bits - SHARD_BITS)


def _hash_tag(generation: int, shard: int) -> str:
    """Return the hash tag of a shard: the first tag whose slot is in the shard's part of all slots.

    Spreads the shards as evenly over the servers as the slots. With random tags, one server would store a third too
    much.
    """
    tags = (f"{generation}:s{shard:02d}-{number:03d}" for number in range(1000))
    in_its_slots = (tag for tag in tags if key_slot(tag.encode()) * SHARDS // REDIS_CLUSTER_HASH_SLOTS == shard)
    return next(in_its_slots, f"{generation}:s{shard:02d}-000")  # once in 10^13 times the fallback: uneven, not wrong
