"""MDR: every long substring that page and work share.

Source: Monostori, Zaslavsky, Schmidt, "MatchDetectReveal: finding overlapping and similar digital documents", 2000. The
source builds a suffix tree of one document and matches the others against it; `common_substrings` finds the same
substrings in another way.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from core.wording import Message
from fingerprint.engines.common_substrings import CommonSubstring, SubstringIndex
from fingerprint.engines.engine import EngineEntry, EngineMatch, SharedSpan
from fingerprint.engines.plain_characters import WITHOUT_MARKS, plain_characters

# The source uses chunks of 60 characters of English, some ten words; ten English words are some 20 Chinese characters.
# Unrelated texts share shorter runs, and also longer ones if they quote the same poem or have the same site line.
MIN_CHARS = 20


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    work_id: str
    offsets: NDArray[np.int32]


class Mdr:
    """Finds works that share a substring of at least `min_chars` letters, digits and Chinese characters with the page.

    similarity: the share of these characters of the page that are in shared substrings.
    """

    def __init__(self, min_chars: int = MIN_CHARS) -> None:
        self._index = SubstringIndex(min_chars)
        self._works: list[_Work] = []

    def add_work(self, work_id: str, text: str) -> None:
        codes, offsets = plain_characters(text)
        self._index.add_codes(codes)
        self._works.append(_Work(work_id, offsets.astype(np.int32)))

    def find(self, text: str) -> list[EngineMatch]:
        codes, offsets = plain_characters(text)
        matches: dict[int, list[CommonSubstring]] = {}
        for match in self._index.find(codes):
            matches.setdefault(match.text, []).append(match)
        found = [self._work_match(number, shared, offsets) for number, shared in matches.items()]
        return sorted(found, key=lambda work: (-work.similarity, work.work_id))

    def _work_match(self, number: int, matches: list[CommonSubstring], page_offsets: NDArray[np.int64]) -> EngineMatch:
        work = self._works[number]
        is_shared = np.zeros(page_offsets.size, np.bool_)
        spans = []
        for match in matches:
            is_shared[match.page : match.page + match.chars] = True
            spans.append(
                SharedSpan(
                    _text_range(page_offsets, match.page, match.chars),
                    _text_range(work.offsets, match.start, match.chars),
                )
            )
        return EngineMatch(work.work_id, float(is_shared.mean()), tuple(spans))


def _text_range(offsets: NDArray[np.integer], first: int, chars: int) -> TextRange:
    return TextRange(int(offsets[first]), int(offsets[first + chars - 1]) + 1)


ENTRIES = (
    EngineEntry(
        "mdr",
        Mdr,
        Message("engine.every-common-substring-of-at-least-20"),
        "Monostori, Zaslavsky, Schmidt, 2000",
        (
            WITHOUT_MARKS,
            Message("engine.the-source-runs-documents-through-a"),
            Message("engine.20-characters-stand-for-the-60-letters-of"),
        ),
        {"min_chars": Message("engine.characters-of-a-common-substring")},
        gives_spans=True,
    ),
)
