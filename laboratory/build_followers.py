"""Writes the table of which characters follow each other in Chinese: `python -m laboratory.build_followers [CORPORA]`.

The same corpora give the same bytes. Prints the digest that fingerprint.order.followers records.
"""

import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fingerprint.characters import Kind
from fingerprint.order.followers import (
    FOLLOWERS_2026,
    LEVELS_A_BYTE,
    SLOT_BITS,
    SYLLABLE_BITS,
    slots_of,
    slots_of_syllables,
)
from fingerprint.readings import code_points, payload_digest
from fingerprint.stages import normalize
from fingerprint.stream import WILDCARD
from fingerprint.tables import TABLES_2026
from laboratory.cases.build import SHARED_CORPORA
from laboratory.cases.corpora import Record, read

# Each file with the weight of its pairs: encyclopaedia and news are small beside novels of former centuries.
FILES = {"editions": 1, "single": 1, "reuse_dev_docs": 1, "wiki": 4, "news_xwlb": 2}
BY_RECORD = ("wiki", "news_xwlb")  # whose records are articles and no chapters
HELD_OUT_ONE_IN = 4
# Of 2 to 10 occurrences and a gain of .5 to 1 those that part prose from its characters shuffled best in 2^20 slots: by
# .61 of a pair's deviation in novels, 1.01 in news (held-out works, 400 characters each; November 2026).
MIN_COUNT, MIN_GAIN = 3, 0.7
# Of .2, .4, .7 and 1.0 (400 syllables of held-out works in order .36 and more, in disorder .14; November 2026).
MIN_GAIN_OF_SYLLABLES = 0.4
MAX_LEVEL = 3
SMOOTHING = 0.3  # expected occurrences added to all, so that two rare characters that met once are no pair

Sequence = NDArray[np.uint16]
Slots = Callable[[Sequence, Sequence], NDArray[np.uint64]]


def is_held_out(name: str) -> bool:
    """Whether a work, or an article by its id, stays out of the table, to measure on."""
    return zlib.crc32(name.encode()) % HELD_OUT_ONE_IN == 0


def read_records(corpora: Path, name: str) -> Iterator[tuple[Record, bool]]:
    """The records of one file, of a chapter in several editions the first, each with whether it is held out."""
    stem = name if name.endswith("_docs") else f"{name}_dev"
    seen = set()
    for record in read(corpora, f"{stem}.jsonl.gz"):
        chapter = (record["work"], record["chapter"]) if name == "editions" else record["id"]
        if chapter not in seen:
            seen.add(chapter)
            yield record, is_held_out(record["id"] if name in BY_RECORD else record["work"])


def folded_han(text: str) -> NDArray[np.uint16]:
    """uint16[n]: the Chinese characters of a text in their simplified forms, those of the basic plane."""
    codes = code_points(text)
    folded = TABLES_2026.readings.folding[codes[TABLES_2026.kinds[codes] == Kind.HAN]]
    return np.asarray(folded[folded < 1 << 16], np.uint16)


def syllables(text: str) -> Sequence:
    """uint16[n]: the syllables of a text by their ids."""
    tokens = normalize(text, TABLES_2026).tokens
    return np.asarray(tokens[tokens != WILDCARD])


def build(corpora: Path) -> bytes:
    """The table before compression."""
    texts = [
        (record["text"], weight)
        for name, weight in FILES.items()
        for record, is_out in read_records(corpora, name)
        if not is_out
    ]
    levels = np.zeros((1 << SLOT_BITS) + (1 << 2 * SYLLABLE_BITS), np.uint8)
    _enter(levels, [(folded_han(text), weight) for text, weight in texts], slots_of, MIN_GAIN)
    _enter(levels, [(syllables(text), weight) for text, weight in texts], slots_of_syllables, MIN_GAIN_OF_SYLLABLES)
    shifted = levels.reshape(-1, LEVELS_A_BYTE) << np.arange(0, 8, 2, dtype=np.uint8)
    return bytes(np.bitwise_or.reduce(shifted, axis=1).tobytes())


def _enter(levels: NDArray[np.uint8], texts: list[tuple[Sequence, int]], slots: Slots, min_gain: float) -> None:
    """Count the pairs of these texts, each with a weight, and enter the levels of those that follow each other."""
    pairs = [codes[:-1].astype(np.uint32) << np.uint32(16) | codes[1:] for codes, _ in texts]
    weights = [np.full(each.size, weight, np.int32) for each, (_, weight) in zip(pairs, texts, strict=True)]
    found, numbers = np.unique(np.concatenate(pairs), return_inverse=True)
    counts = np.bincount(numbers, weights=np.concatenate(weights))
    first, second = found >> np.uint32(16), found & np.uint32(0xFFFF)
    of_first, of_second = (np.bincount(codes, weights=counts, minlength=1 << 16) for codes in (first, second))
    expected = of_first[first] * of_second[second] / counts.sum()
    gains = np.log(counts / (expected + SMOOTHING))
    is_kept = (counts >= MIN_COUNT) & (gains > min_gain)
    kept_slots = slots(first[is_kept].astype(np.uint16), second[is_kept].astype(np.uint16))
    np.maximum.at(levels, kept_slots, np.clip(gains[is_kept], 1, MAX_LEVEL).astype(np.uint8))


def main() -> int:
    """The command."""
    payload = build(Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED_CORPORA)
    FOLLOWERS_2026.path.write_bytes(lzma.compress(payload, preset=9 | lzma.PRESET_EXTREME))
    sys.stdout.write(f"{payload_digest(payload)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
