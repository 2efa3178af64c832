"""KOALA: selects a fixed number of substrings in every text, those whose beginnings are rarest in the corpus.

Source: Heintze, "Scalable document fingerprinting", USENIX Electronic Commerce 1996.
"""

import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import xxhash
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.engines.chapters import ChapterEngine, chapter_entry
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.plain_characters import WITHOUT_MARKS, plain_characters

CODE_POINT_BITS = 21
SUBSTRINGS = 100  # published
# The source judges rarity by the first five letters of a substring of 20. Five letters make 26 ^ 5 = 12 M strings, and
# so do two of the 3,500 common characters; in the same ratio 20 letters are 8 characters.
SUBSTRING_CHARS = 8
# Out of 100. On 8,600 pages against 14.6 M characters (November 2026; tried 1 to 10) three and more name no innocent
# page.
MIN_SHARED = 3


@dataclass(eq=False)
class Koala(ChapterEngine):
    """Finds chapters that share at least `min_shared` of their rarest substrings with the page.

    The rarities are recomputed after works are added. Substrings whose beginning occurs in no work are ignored: they
    match nothing, and on an edited page they would displace all others. similarity: the shared number divided by
    `substrings`.
    """

    substrings: int = SUBSTRINGS
    substring_chars: int = SUBSTRING_CHARS
    min_shared: int = MIN_SHARED
    _texts: list[NDArray[np.uint32]] = field(init=False, repr=False, default_factory=list)
    _is_built: bool = field(init=False, default=False)

    def _add_chapter(self, work_id: str, text: str) -> None:
        self._owners.add_chapter(work_id)
        self._texts.append(plain_characters(text)[0])
        self._is_built = False

    def _find_chapter(self, text: str) -> Iterator[EngineMatch]:
        self._count_prefixes()
        substrings = self._choose_substrings(plain_characters(text)[0])
        shared = Counter(chapter for substring in substrings for chapter in self._chapters.get(substring, ()))
        return self._owners.works(
            (chapter, count / self.substrings) for chapter, count in shared.items() if count >= self.min_shared
        )

    def _count_prefixes(self) -> None:
        if self._is_built:
            return
        all_prefixes = np.concatenate([*map(self._substring_prefixes, self._texts), np.zeros(0, np.uint64)])
        self._prefix_kinds, self._prefix_counts = np.unique(all_prefixes, return_counts=True)
        self._chapters: dict[int, list[int]] = {}
        for number, codes in enumerate(self._texts):
            for substring in self._choose_substrings(codes):
                self._chapters.setdefault(substring, []).append(number)
        self._is_built = True

    def _substring_prefixes(self, codes: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """Return the first two characters of every substring as one number, uint64[n]."""
        places = max(0, codes.size - self.substring_chars + 1)
        wide = codes.astype(np.uint64)
        return (wide[:places] << np.uint64(CODE_POINT_BITS)) | wide[1 : places + 1]

    def _choose_substrings(self, codes: NDArray[np.uint32]) -> set[int]:
        """Return the hashes of the substrings with the rarest beginnings; of equally rare ones, the lowest hashes.

        Equal rarities are common. If the position decided, all substrings would come from the beginning of a chapter.
        """
        prefixes = self._substring_prefixes(codes)
        if not prefixes.size or not self._prefix_kinds.size:
            return set()
        kinds = np.minimum(np.searchsorted(self._prefix_kinds, prefixes), self._prefix_kinds.size - 1)
        known = np.flatnonzero(self._prefix_kinds[kinds] == prefixes)
        rarities = self._prefix_counts[kinds[known]]
        if known.size > self.substrings:
            limit = np.partition(rarities, self.substrings - 1)[self.substrings - 1]
            known, rarities = known[rarities <= limit], rarities[rarities <= limit]
        hashes = [
            xxhash.xxh3_64_intdigest(codes[position : position + self.substring_chars].tobytes())
            for position in known.tolist()
        ]
        ranked = heapq.nsmallest(self.substrings, set(zip(rarities.tolist(), hashes, strict=True)))
        return {value for _, value in ranked}


ENTRIES = (
    chapter_entry(
        "koala",
        Koala,
        Message("engine.the-100-substrings-of-a-chapter-that"),
        "Heintze, USENIX 1996",
        (
            WITHOUT_MARKS,
            Message("engine.substrings-have-8-characters-and-rarity"),
            Message("engine.what-is-rare-is-counted-over-the-works"),
            Message("engine.3-of-100-in-common-are-a-copy-the-source"),
        ),
        {
            "substrings": Message("engine.substrings-of-a-text"),
            "substring_chars": Message("engine.characters-of-each"),
            "min_shared": Message("engine.a-copy-from-so-many-in-common-on"),
        },
    ),
)
