"""Sif: checksums of the 50 characters that begin at chosen anchors.

Source: Manber, "Finding similar files in a large file system", USENIX Winter 1994.
"""

import re
from collections.abc import Iterator

import xxhash

from core.words import Words
from fingerprint.engines.chapters import (
    CHAPTER_CHARS,
    CHAPTER_PARAMETERS,
    IN_CHAPTERS,
    ChapterEngine,
    ChapterOwners,
)
from fingerprint.engines.engine import EngineEntry, Found
from fingerprint.engines.plain_characters import WITHOUT_MARKS, plain_characters

WINDOW_CHARS = 50  # published
# The source takes anchors from a list of strings that are neither rare nor everywhere. These two characters are the
# same in both scripts, in every genre, and one in some 35 characters of the development texts is one of them.
ANCHORS = ("不", "一")
MIN_SHARE = 0.25  # the source speaks of files that are 25 % alike as the lower end of what it finds


class Sif(ChapterEngine):
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
        self._owners = ChapterOwners()
        self._counts: list[int] = []
        self._chapters: dict[int, list[int]] = {}

    def _add_chapter(self, work_id: str, text: str) -> None:
        number = self._owners.add(work_id)
        fingerprints = self._fingerprints(text)
        self._counts.append(len(fingerprints))
        for fingerprint in fingerprints:
            self._chapters.setdefault(fingerprint, []).append(number)

    def _find_chapter(self, text: str) -> Iterator[Found]:
        fingerprints = self._fingerprints(text)
        shared: dict[int, int] = {}
        for fingerprint in fingerprints:
            for chapter in self._chapters.get(fingerprint, ()):
                shared[chapter] = shared.get(chapter, 0) + 1
        shares = ((chapter, count / min(len(fingerprints), self._counts[chapter])) for chapter, count in shared.items())
        return self._owners.works((chapter, share) for chapter, share in shares if share >= self._min_share)

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
            IN_CHAPTERS,
        ),
        {
            "anchors": Words("strings at which windows begin", "窗口起始处的锚"),
            "window_chars": Words("characters of a window", "窗口的字符数"),
            "min_share": Words(
                "similar from this share of the fingerprints of the text with fewer on",
                "相同指纹占指纹较少一方的比例达到此值即为相似",
            ),
            **CHAPTER_PARAMETERS,
        },
    ),
)
