"""Shingles of three words as CRC-32 checksums: which share of the page's shingles a chapter has too."""

import zlib
from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fingerprint.engines.chapters import CHAPTER_CHARS, ChapterOwners, chapters_of
from fingerprint.engines.engine import EngineEntry, Found
from fingerprint.engines.feature_index import FeatureIndex
from fingerprint.engines.tokens import canonical, tokens_of, word_pairs

CRC_BITS = 32


class CrcShingleEngine:
    """The same story where more than `above_share` of the page's shingles stand in a chapter.

    words: the length of a shingle; of Chinese a word is two neighbouring characters, so that three words are four
    characters in a row.
    """

    gives_spans = False

    def __init__(self, words: int = 3, above_share: float = 0.10, chapter_chars: int = CHAPTER_CHARS) -> None:
        self._words, self._above_share, self._chapter_chars = words, above_share, chapter_chars
        self._index, self._owners = FeatureIndex(), ChapterOwners()

    def add(self, work_id: str, text: str) -> None:
        for chapter in chapters_of(text, self._chapter_chars):
            features = _features(chapter, self._words)
            if features.size:
                self._owners.add(work_id)
                self._index.add(features)

    def find(self, text: str) -> list[Found]:
        features = _features(text, self._words)
        chapters, shared = self._index.count_shared(features)
        shares = shared / max(1, features.size)
        same = shares > self._above_share
        return self._owners.best_works(zip(chapters[same].tolist(), shares[same].tolist(), strict=True))


def crc_shingles(text: str, words: int = 3) -> NDArray[np.uint32]:
    """uint32[n]: the CRC-32 of every run of so many words, joined by spaces, in order.

    >>> crc_shingles("a rose is a rose", 3).size, crc_shingles("a rose", 3).size
    (3, 0)
    """
    return np.fromiter(_checksums(text, words), np.uint32)


def _checksums(text: str, words: int) -> Iterator[int]:
    run: deque[str] = deque(maxlen=words)
    for word in _spelled_words(text):
        run.append(word)
        if len(run) == words:
            yield zlib.crc32(" ".join(run).encode())


def _spelled_words(text: str) -> Iterator[str]:
    tokens, read = tokens_of(text), canonical(text)
    first, is_pair = word_pairs(tokens)
    second = first + is_pair
    columns = (tokens.starts[first], tokens.ends[first], tokens.starts[second], tokens.ends[second], is_pair)
    for start, end, next_start, next_end, reaches_on in zip(*columns, strict=True):
        yield read[start:end] + read[next_start:next_end] if reaches_on else read[start:end]


def _features(text: str, words: int) -> NDArray[np.uint64]:
    checksums = np.unique(crc_shingles(text, words)).astype(np.uint64)
    return checksums << np.uint64(CRC_BITS)  # the index wants its leading bits to differ


ENTRIES = (
    EngineEntry(
        "crc-shingles",
        CrcShingleEngine,
        CrcShingleEngine.gives_spans,
        "CRC-32 of runs of 3 words; more than 10 % of the page's stand in a chapter",
        "3 个词的连续片段的 CRC-32，页面片段超过 10% 与某一章相同",
        "the shingle test of web forums; Zelenkov and Segalovich 2007 describe its parent",
    ),
)
