"""Shingles of three words as CRC-32 checksums: which share of the page's shingles a chapter has too."""

import zlib

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
        chapters, shared = self._index.shared(features)
        shares = shared / max(1, features.size)
        same = shares > self._above_share
        return self._owners.best(zip(chapters[same].tolist(), shares[same].tolist(), strict=True))


def crc_shingles(text: str, words: int = 3) -> list[int]:
    """The CRC-32 of every run of so many words, joined by spaces, in order.

    >>> len(crc_shingles("a rose is a rose", 3)), crc_shingles("a rose", 3)
    (3, [])
    """
    tokens, read = tokens_of(text), canonical(text)
    names = [read[start:end] for start, end in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)]
    first, is_pair = word_pairs(tokens)
    found = [
        names[place] + names[place + 1] if reaches_on else names[place]
        for place, reaches_on in zip(first.tolist(), is_pair.tolist(), strict=True)
    ]
    return [zlib.crc32(" ".join(found[place : place + words]).encode()) for place in range(len(found) - words + 1)]


def _features(text: str, words: int) -> NDArray[np.uint64]:
    checksums = np.array(crc_shingles(text, words), np.uint64)
    return np.unique(checksums) << np.uint64(CRC_BITS)  # the index wants its leading bits to differ


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
