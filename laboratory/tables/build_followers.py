"""Writes the table of characters that follow each other: `python -m laboratory.tables.build_followers [CORPORA]`.

The same corpora give the same bytes. Prints the digest that fingerprint.order.followers records.
"""

import lzma
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fingerprint.characters import Kind
from fingerprint.order.followers import (
    BIT_MASK,
    FIRST_SHIFT,
    FOLLOWERS_2026,
    MULTIPLIER,
    SECOND_SHIFT,
    THIRD_SHIFT,
    WORD_SHIFT,
    WORDS,
)
from fingerprint.readings import code_points, payload_digest
from fingerprint.tables import TABLES_2026
from laboratory.cases.build import SHARED_CORPORA
from laboratory.cases.corpora import Record, read

# Each file with the weight of its pairs. Encyclopaedia and news are small compared to the novels of former centuries.
FILES = {"editions": 1, "single": 1, "reuse_dev_docs": 1, "wiki": 4, "news_xwlb": 2}
BY_RECORD = ("wiki", "news_xwlb")  # their records are articles, not chapters
HELD_OUT_ONE_IN = 4
# Of 2 to 5 occurrences, gains of 0 to 1, and .3 to 8 expected occurrences added to all (so that two rare characters
# that met are no pair) those that part prose from its characters shuffled best without parting genres as well: by .91
# of a pair's deviation in novels, 1.22 in news (held-out works; November 2026).
MIN_COUNT, MIN_GAIN, SMOOTHING = 3, 0.4, 2.0

Sequence = NDArray[np.uint16]
Pairs = NDArray[np.uint32]  # the first character in the upper 16 bits, the second in the lower


def is_held_out(name: str) -> bool:
    """Return True if a work, or an article, is kept out of the table for measurements."""
    return zlib.crc32(name.encode()) % HELD_OUT_ONE_IN == 0


def read_records(corpora: Path, name: str) -> Iterator[tuple[Record, bool]]:
    """Yield the records of one file and True if held out. Of a chapter in several editions, only the first is used."""
    stem = name if name.endswith("_docs") else f"{name}_dev"
    seen = set()
    for record in read(corpora, f"{stem}.jsonl.gz"):
        chapter = (record["work"], record["chapter"]) if name == "editions" else record["id"]
        if chapter not in seen:
            seen.add(chapter)
            yield record, is_held_out(record["id"] if name in BY_RECORD else record["work"])


def folded_han(text: str) -> NDArray[np.uint16]:
    """Return uint16[n], the Chinese characters of the basic plane in a text, in simplified form."""
    codes = code_points(text)
    folded = TABLES_2026.readings.folding[codes[TABLES_2026.kinds[codes] == Kind.HAN]]
    return np.asarray(folded[folded < 1 << 16], np.uint16)


def build(corpora: Path) -> bytes:
    """Return the table before compression."""
    texts = [
        (record["text"], weight)
        for name, weight in FILES.items()
        for record, is_out in read_records(corpora, name)
        if not is_out
    ]
    words = np.zeros(WORDS, np.uint32)
    _enter(words, _followers([(folded_han(text), weight) for text, weight in texts]))
    return bytes(words.astype("<u4").tobytes())


def _followers(texts: list[tuple[Sequence, int]]) -> Pairs:
    """Return the pairs that occur in these weighted texts more often than by chance."""
    pairs = [codes[:-1].astype(np.uint32) << np.uint32(16) | codes[1:] for codes, _ in texts]
    weights = [np.full(each.size, weight, np.int32) for each, (_, weight) in zip(pairs, texts, strict=True)]
    found, numbers = np.unique(np.concatenate(pairs), return_inverse=True)
    counts = np.bincount(numbers, weights=np.concatenate(weights))
    first, second = found >> np.uint32(16), found & np.uint32(0xFFFF)
    of_first, of_second = (np.bincount(codes, weights=counts, minlength=1 << 16) for codes in (first, second))
    gains = np.log(counts / (of_first[first] * of_second[second] / counts.sum() + SMOOTHING))
    return np.asarray(found[(counts >= MIN_COUNT) & (gains > MIN_GAIN)])


def _enter(words: NDArray[np.uint32], pairs: Pairs) -> None:
    products = pairs * MULTIPLIER
    for shift in (FIRST_SHIFT, SECOND_SHIFT, THIRD_SHIFT):
        bits = np.uint32(1) << (products >> np.uint32(shift) & BIT_MASK)
        np.bitwise_or.at(words, products >> np.uint32(WORD_SHIFT), bits)


def main() -> int:
    """Run the command."""
    payload = build(Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED_CORPORA)
    FOLLOWERS_2026.path.write_bytes(lzma.compress(payload, preset=9 | lzma.PRESET_EXTREME))
    sys.stdout.write(f"{payload_digest(payload)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
