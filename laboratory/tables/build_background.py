"""Writes the background: the mean of the vectors of many texts, and a sample of their sentences and pairs.

    python -m laboratory.tables.build_background /path/to/corpora 2026

The folder contains the shared corpora (editions_dev.jsonl.gz and the others of SOURCES). SOURCES gives the number of
windows drawn from each file; each passage is from the next work in turn, and every second window is a pair. News are
left out, because their publisher allows study only. Prints the digest for `record.BACKGROUND_SHA256`.
"""

import gzip
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from matcher.reworded import background as kept
from matcher.reworded.background import centre_vectors, pack_background, unpack_background
from matcher.reworded.encoding import UseEncoder
from matcher.reworded.weights import Floats

SOURCES = {"editions": 1_200, "single": 800, "reuse_dev_docs": 300, "wiki": 700}  # number of windows
PASSAGE_CHARS = 400
SEED = 20261128


def passages(folder: Path, name: str, count: int) -> Iterator[str]:
    """Yield `count` passages of a file, from each work in turn, and from random chapters and places."""
    file = next(path for path in sorted(folder.glob(f"{name}*.jsonl.gz")) if "pairs" not in path.name)
    works: dict[str, list[str]] = defaultdict(list)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            works[record["work"]].append(record["text"])
    rng = random.Random(SEED)  # noqa: S311 - a sample that can be drawn again
    for number in range(count):
        text = rng.choice(works[sorted(works)[number % len(works)]])
        start = rng.randrange(max(1, len(text) - PASSAGE_CHARS))
        yield text[start : start + PASSAGE_CHARS]


def background(folder: Path, sources: dict[str, int]) -> tuple[Floats, Floats]:
    """Return the mean of all windows, and the sample.

    The first and the last sentence of a passage are left out, because they are truncated.
    """
    encoder = UseEncoder()
    drawn: list[Floats] = []
    means: list[Floats] = []
    rng = random.Random(SEED)  # noqa: S311
    for name, count in sources.items():
        for passage in passages(folder, name, count):
            encoded = encoder.encode([passage])[0]
            inner = (encoded.singles[1:-1], encoded.pairs[1:-1])
            kind = inner[len(drawn) % 2] if len(inner[1]) else inner[0]
            if len(kind):
                drawn.append(kind[rng.randrange(len(kind))])
                means.append(np.concatenate(inner).mean(axis=0))
    mean = np.asarray(np.mean(np.array(means), axis=0, dtype=np.float64), np.float32)
    return mean, centre_vectors(np.array(drawn), mean)


def main(folder: str, name: str) -> None:
    """Write the file with a name, and print its digest and size."""
    content = pack_background(*background(Path(folder), SOURCES))
    path = Path(kept.__file__).with_name(f"background_{name}.bin")
    path.write_bytes(content)
    built = unpack_background(content)
    print(f"{path.name}: {len(content)} bytes, {len(built.sample)} windows, SHA-256 {built.digest}")  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
