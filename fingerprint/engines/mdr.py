"""MDR: all long substrings that a page and a work share.

Source: Monostori, Zaslavsky, Schmidt, "MatchDetectReveal: finding overlapping and similar digital documents", 2000. The
source matches documents with the suffix tree of one of them; `common_substrings` finds the same substrings in another
way.
"""

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from core.wording import Message
from fingerprint.engines.chapters import best_works
from fingerprint.engines.common_substrings import SubstringIndex
from fingerprint.engines.engine import EngineEntry, EngineMatch, SharedSpan
from fingerprint.engines.plain_characters import WITHOUT_MARKS, plain_characters

# The source uses chunks of 60 characters of English, some ten words; ten English words are some 20 Chinese characters.
# Unrelated texts share shorter runs, and also longer ones if they quote the same poem or have the same site line.
MIN_CHARS = 20


class Mdr:
    """Finds works that share a substring of at least `min_chars` letters, digits and Chinese characters with the page.

    similarity: the share of these characters on the page that are in shared substrings.
    """

    def __init__(self, min_chars: int = MIN_CHARS) -> None:
        self._index = SubstringIndex(min_chars)
        self._works: list[tuple[str, NDArray[np.int32]]] = []  # each with the offsets of its characters

    def add_work(self, work_id: str, text: str) -> None:
        codes, offsets = plain_characters(text)
        self._index.add_codes(codes)
        self._works.append((work_id, offsets.astype(np.int32)))

    def find(self, text: str) -> list[EngineMatch]:
        codes, offsets = plain_characters(text)
        is_shared: defaultdict[int, NDArray[np.bool_]] = defaultdict(lambda: np.zeros(codes.size, np.bool_))
        spans: defaultdict[int, list[SharedSpan]] = defaultdict(list)
        for match in self._index.find(codes):
            is_shared[match.text][match.page : match.page + match.chars] = True
            in_work = _text_range(self._works[match.text][1], match.start, match.chars)
            spans[match.text].append(SharedSpan(_text_range(offsets, match.page, match.chars), in_work))
        return best_works(
            EngineMatch(self._works[work][0], float(is_shared[work].mean()), tuple(shared))
            for work, shared in spans.items()
        )


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
