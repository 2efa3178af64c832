"""Sif: checksums of the 50 characters that begin at chosen anchors.

Source: Manber, "Finding similar files in a large file system", USENIX Winter 1994.
"""

import re
from dataclasses import dataclass

import numpy as np
import xxhash
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.engines.chapters import chapter_entry
from fingerprint.engines.feature_engine import FeatureEngine
from fingerprint.engines.plain_characters import WITHOUT_MARKS, plain_characters

WINDOW_CHARS = 50  # published
# The source takes anchors from a list of strings that are neither rare nor everywhere. These two characters are the
# same in both scripts and occur in every genre; one in some 35 characters of the development texts is one of them.
ANCHORS = ("不", "一")
MIN_SHARE = 0.25  # the source mentions files that are 25 % alike as the lower end of its results


@dataclass(eq=False)
class Sif(FeatureEngine):
    """Finds chapters that share at least `min_share` of the fingerprints of the text that has fewer.

    Windows contain only letters, digits and Chinese characters. Repeated windows count once.
    """

    anchors: tuple[str, ...] = ANCHORS
    window_chars: int = WINDOW_CHARS
    min_share: float = MIN_SHARE

    def _alike(
        self, shared: NDArray[np.int64], page_features: int, chapter_features: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        shares = shared / np.minimum(page_features, chapter_features)
        return shares, shares >= self.min_share

    def _extract_features(self, text: str) -> NDArray[np.uint64]:
        codes = plain_characters(text)[0]
        last = codes.size - self.window_chars
        anchor_start = "(?=" + "|".join(map(re.escape, self.anchors)) + ")"
        plain_text = codes.tobytes().decode("utf-32-le", "surrogatepass")
        windows = {
            xxhash.xxh3_64_intdigest(codes[anchor.start() : anchor.start() + self.window_chars].tobytes())
            for anchor in re.finditer(anchor_start, plain_text)
            if anchor.start() <= last
        }
        return np.array(sorted(windows), np.uint64)


ENTRIES = (
    chapter_entry(
        "sif",
        Sif,
        Message("engine.checksums-of-the-50-characters-that-begin"),
        "Manber, USENIX 1994",
        (
            WITHOUT_MARKS,
            Message("engine.the-source-s-anchors-are-strings-of"),
            Message("engine.the-source-leaves-the-share-to-the-user"),
        ),
        {
            "anchors": Message("engine.strings-at-which-windows-begin"),
            "window_chars": Message("engine.characters-of-a-window"),
            "min_share": Message("engine.similar-from-this-share-of-the"),
        },
    ),
)
