"""Sif: checksums of the 50 characters that begin at chosen anchors.

Source: Manber, "Finding similar files in a large file system", USENIX Winter 1994.
"""

import re

import numpy as np
import xxhash
from numpy.typing import NDArray

from core.words import Words
from fingerprint.engines.chapters import CHAPTER_CHARS, chapter_entry
from fingerprint.engines.feature_engine import FeatureEngine
from fingerprint.engines.plain_characters import WITHOUT_MARKS, plain_characters

WINDOW_CHARS = 50  # published
# The source takes anchors from a list of strings that are neither rare nor everywhere. These two characters are the
# same in both scripts, in every genre, and one in some 35 characters of the development texts is one of them.
ANCHORS = ("不", "一")
MIN_SHARE = 0.25  # the source speaks of files that are 25 % alike as the lower end of what it finds


class Sif(FeatureEngine):
    """Chapters that share at least `min_share` of the fingerprints of the text that has fewer of them.

    Windows are taken of letters, digits and Chinese characters alone; a repeated window counts once.
    """

    def __init__(
        self,
        anchors: tuple[str, ...] = ANCHORS,
        window_chars: int = WINDOW_CHARS,
        min_share: float = MIN_SHARE,
        chapter_chars: int = CHAPTER_CHARS,
    ) -> None:
        super().__init__(chapter_chars)
        self._anchor = re.compile("(?=" + "|".join(map(re.escape, anchors)) + ")")
        self._window_chars, self._min_share = window_chars, min_share

    def _alike(
        self, shared: NDArray[np.int64], page_features: int, chapter_features: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        shares = shared / np.minimum(page_features, chapter_features)
        return shares, shares >= self._min_share

    def _features_of(self, text: str) -> NDArray[np.uint64]:
        codes = plain_characters(text)[0]
        last = codes.size - self._window_chars
        written = codes.tobytes().decode("utf-32-le", "surrogatepass")
        windows = {
            xxhash.xxh3_64_intdigest(codes[anchor.start() : anchor.start() + self._window_chars].tobytes())
            for anchor in self._anchor.finditer(written)
            if anchor.start() <= last
        }
        return np.array(sorted(windows), np.uint64)


ENTRIES = (
    chapter_entry(
        "sif",
        Sif,
        Words(
            "checksums of the 50 characters that begin at chosen anchors; a quarter has to be shared",
            "从选定锚字起的 50 字窗口的校验和，四分之一相同即为相似",
        ),
        "Manber, USENIX 1994",
        (
            WITHOUT_MARKS,
            Words(
                "The source's anchors are strings of English that are neither rare nor everywhere; here the characters "
                "不 and 一, one in some 35.",
                "原文的锚为既不罕见也不泛滥的英文字符串；此处取“不”和“一”，约每 35 字一个。",
            ),
            Words(
                "The source leaves the share to the user and speaks of 25 % as the lower end of what it finds.",
                "比例由使用者决定，原文以 25% 为其所能发现的下限。",
            ),
        ),
        {
            "anchors": Words("strings at which windows begin", "窗口起始处的锚"),
            "window_chars": Words("characters of a window", "窗口的字符数"),
            "min_share": Words(
                "similar from this share of the fingerprints of the text with fewer on",
                "相同指纹占指纹较少一方的比例达到此值即为相似",
            ),
        },
    ),
)
