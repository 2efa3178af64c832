"""Feature strings: the characters around the punctuation of a text, compared by the longest common substring.

Source: the feature strings of Chinese web pages by Wu, Chen and Ma (2003): five characters on each side of every full
stop. The variant takes the character before every punctuation mark.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from core.wording import Message
from fingerprint.characters import Kind
from fingerprint.engines.chapters import ChapterEngine, chapter_entry
from fingerprint.engines.common_substrings import SubstringIndex
from fingerprint.engines.engine import EngineMatch
from fingerprint.readings import code_points
from fingerprint.tables import TABLES_2026

CHARS_EACH_SIDE = 5  # published
BLANKS = re.compile(r"\s+")
FULL_STOP = re.compile("[。．]")
# The character before a mark; of consecutive marks (。” or ……) the first one counts.
MARKED = re.compile(r"([^\W_])[。．，、；：！？…—“”‘’「」『』（）《》〈〉,.;:!?\"'()]")
# The sufficient length was not published; "exact copies: precision 100 %, low recall" was. On 8,600 pages against 14.6
# M characters (November 2026; tried 20 to 150 characters, shares .05 to .5) twelve consecutive full stops and a tenth
# of the string give the known recall: pages across two chapters .97, 5 % homophones .02, all .175.
MIN_CHARS_AROUND_STOPS = 120
MIN_SHARE_AROUND_STOPS = 0.1
# The variant has a tenth of the characters; at this share no innocent page is named (0.1 % at .05).
MIN_CHARS_AT_MARKS = 12
MIN_SHARE_AT_MARKS = 0.2

FeatureString = Callable[[str], str]


def around_full_stops(text: str, each_side: int = CHARS_EACH_SIDE) -> str:
    """Return the characters on each side of every full stop, without blanks, in order.

    A stop without a Chinese character near it is skipped, because rows of marks are the same in all texts.

    >>> around_full_stops("他在桥上走过去。雨停了，天亮了。")
    '桥上走过去雨停了，天了，天亮了'
    >>> around_full_stops("……，。！？")
    ''
    """
    joined = BLANKS.sub("", text)
    around = ((max(0, stop.start() - each_side), stop) for stop in FULL_STOP.finditer(joined))
    han_before = np.concatenate(([0], np.cumsum(TABLES_2026.kinds[code_points(joined)] == Kind.HAN)))
    return "".join(
        joined[start : stop.start()] + joined[stop.end() : stop.end() + each_side]
        for start, stop in around
        if han_before[start] < han_before[min(stop.end() + each_side, len(joined))]
    )


def at_marks(text: str) -> str:
    """Return the character before each punctuation mark, in order.

    >>> at_marks("他在桥上走过去。雨停了，“天亮了！”")
    '去了了'
    """
    return "".join(MARKED.findall(BLANKS.sub("", text)))


@dataclass(eq=False)
class PunctuationStrings(ChapterEngine):
    """Finds chapters whose feature string shares a long substring with the page's feature string.

    similarity: the longest common substring as a share of the shorter feature string.
    """

    feature_string: FeatureString
    min_share: float = MIN_SHARE_AROUND_STOPS
    min_chars: int = MIN_CHARS_AROUND_STOPS

    def __post_init__(self) -> None:
        self._index = SubstringIndex(self.min_chars)
        self._lengths: list[int] = []

    def _add_chapter(self, work_id: str, text: str) -> None:
        string = self.feature_string(text)
        self._index.add_codes(code_points(string))
        self._owners.add_chapter(work_id)
        self._lengths.append(len(string))

    def _find_chapter(self, text: str) -> Iterator[EngineMatch]:
        string = self.feature_string(text)
        shares = (
            (chapter, chars / min(len(string), self._lengths[chapter]))
            for chapter, chars in self._index.longest_lengths(code_points(string)).items()
        )
        return self._owners.works((chapter, share) for chapter, share in shares if share >= self.min_share)


DEPARTURES = (
    Message("engine.how-long-a-common-substring-has-to-be-was"),
    Message("engine.common-substrings-are-found-by-an-index"),
)
PARAMETERS = {
    "min_share": Message("engine.share-of-the-shorter-string-that-the"),
    "min_chars": Message("engine.characters-that-it-has-at-least"),
}
ENTRIES = (
    chapter_entry(
        "punctuation-stops",
        partial(PunctuationStrings, around_full_stops),
        Message("engine.5-characters-on-each-side-of-every-full"),
        "Wu, Chen, Ma, 2003",
        (Message("engine.a-full-stop-without-a-chinese-character"), *DEPARTURES),
        PARAMETERS,
    ),
    chapter_entry(
        "punctuation-marks",
        partial(PunctuationStrings, at_marks, min_share=MIN_SHARE_AT_MARKS, min_chars=MIN_CHARS_AT_MARKS),
        Message("engine.the-character-before-every-punctuation"),
        "Wu, Chen, Ma, 2003",
        (Message("engine.a-variant-of-the-source-of-one-character"), *DEPARTURES),
        PARAMETERS,
    ),
)
