"""What it costs to keep raw responses: `python -m laboratory.speed.raw_bodies --mongo URL --raw s3://BUCKET/PREFIX`.

Bodies of 30 kB in Chinese letters, new in each run, one at a time and 32 at once as a crawl hands them over. They stay
where they were put: take a database and a prefix that may be thrown away. The S3 store is that of the settings
(ZHUIWEN_S3_…).
"""

import argparse
import os
import secrets
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.batches import batches
from core.errors import ZhuiwenError
from core.ids import digest
from core.settings_loading import load
from pagestore.blobs import INLINE_BYTES, Blobs
from pagestore.connection import connect
from pagestore.objects.opening import open_objects
from pagestore.raw_bodies import ObjectBodies, RawBodies

CHARS = 10_000  # 30 kB in UTF-8: a page of a novel with what stands around it
DIFFERENT_CHARS = 2_500  # what a novel uses
TOGETHER = (1, 32)


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one body, in milliseconds: passed, and of this process's processor."""

    passed_ms: float
    processor_ms: float


def measure(store: RawBodies, bodies: Mapping[str, bytes], together: int) -> Cost:
    """What keeping `bodies` cost, so many at once."""
    began, used = time.perf_counter(), time.process_time()
    for names in batches(bodies, together):
        store.put_many({name: bodies[name] for name in names})
    passed, processor = time.perf_counter() - began, time.process_time() - used
    return Cost(passed / len(bodies) * 1e3, processor / len(bodies) * 1e3)


def new_bodies(count: int) -> dict[str, bytes]:
    """Bodies that nobody has, by their digest."""
    found: dict[str, bytes] = {}
    for _ in range(count):
        chance = secrets.token_bytes(2 * CHARS)
        codes = (0x4E00 + int.from_bytes(chance[at : at + 2]) % DIFFERENT_CHARS for at in range(0, 2 * CHARS, 2))
        body = "".join(map(chr, codes)).encode()
        found[digest(body)] = body
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each place and number at once."""
    options = argparse.ArgumentParser(prog="python -m laboratory.speed.raw_bodies", description=__doc__)
    options.add_argument("--mongo", help="page store to compare with")
    options.add_argument("--raw", help="file:///FOLDER or s3://BUCKET/PREFIX")
    options.add_argument("--bodies", type=int, default=200)
    given = options.parse_args(arguments)
    try:
        stores: dict[str, RawBodies] = {}
        if given.mongo:
            stores["database"] = Blobs(connect(given.mongo), "raw_bodies", INLINE_BYTES)
        if given.raw:
            stores[given.raw] = ObjectBodies(open_objects(given.raw, load(os.environ).s3, "--raw"))
        for name, store in stores.items():
            measure(store, new_bodies(1), 1)  # connections, and what the store can, are not part of it
            for together in TOGETHER:
                cost = measure(store, new_bodies(given.bodies), together)
                costs = f"{cost.passed_ms:.1f} ms a body, {cost.processor_ms:.1f} of processor"
                print(f"{name}, {together} at once: {costs}")  # noqa: T201
    except ZhuiwenError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
