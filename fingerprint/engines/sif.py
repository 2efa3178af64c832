"""Sif: checksums of the 50 characters that begin at chosen anchors.

Source: Manber, "Finding similar files in a large file system", USENIX Winter 1994.
"""

import re

import xxhash

from fingerprint.engines.chapters import CHAPTER_CHARS, ChapterOwners, chapters_of
from fingerprint.engines.engine import EngineEntry, Found
from fingerprint.engines.plain_characters import plain_characters

WINDOW_CHARS = 50  # published
# The source takes anchors from a list of strings that are neither rare nor everywhere. These two characters are the
# same in both scripts, in every genre, and one in some 35 characters of the development texts is one of them.
ANCHORS = ("不", "一")
MIN_SHARE = 0.25  # the source speaks of files that are 25 % alike as the lower end of what it finds


class Sif:
    """Chapters that share at least `min_share` of the fingerprints of the text that has fewer of them.

    Windows are taken of letters, digits and Chinese characters alone; a repeated window counts once.
    """

    gives_spans = False

    def __init__(
        self,
        anchors: tuple[str, ...] = ANCHORS,
        window_chars: int = WINDOW_CHARS,
        min_share: float = MIN_SHARE,
        chapter_chars: int = CHAPTER_CHARS,
    ) -> None:
        self._anchor = re.compile("(?=" + "|".join(map(re.escape, anchors)) + ")")
        self._window_chars, self._min_share, self._chapter_chars = window_chars, min_share, chapter_chars
        self._owners = ChapterOwners()
        self._counts: list[int] = []
        self._chapters: dict[int, list[int]] = {}

    def add(self, work_id: str, text: str) -> None:
        for chapter in chapters_of(text, self._chapter_chars):
            number = self._owners.add(work_id)
            fingerprints = self._fingerprints(chapter)
            self._counts.append(len(fingerprints))
            for fingerprint in fingerprints:
                self._chapters.setdefault(fingerprint, []).append(number)

    def find(self, text: str) -> list[Found]:
        fingerprints = self._fingerprints(text)
        shared: dict[int, int] = {}
        for fingerprint in fingerprints:
            for chapter in self._chapters.get(fingerprint, ()):
                shared[chapter] = shared.get(chapter, 0) + 1
        shares = ((chapter, count / min(len(fingerprints), self._counts[chapter])) for chapter, count in shared.items())
        return self._owners.best_works((chapter, share) for chapter, share in shares if share >= self._min_share)

    def _fingerprints(self, text: str) -> set[int]:
        codes = plain_characters(text)[0]
        last = codes.size - self._window_chars
        written = codes.tobytes().decode("utf-32-le", "surrogatepass")
        return {
            xxhash.xxh3_64_intdigest(codes[anchor.start() : anchor.start() + self._window_chars].tobytes())
            for anchor in self._anchor.finditer(written)
            if anchor.start() <= last
        }


ENTRIES = (
    EngineEntry(
        "sif",
        Sif,
        Sif.gives_spans,
        "checksums of the 50 characters that begin at chosen anchors; a quarter has to be shared",
        "从选定锚字起的 50 字窗口的校验和，四分之一相同即为相似",
        "Manber, USENIX 1994",
    ),
)
