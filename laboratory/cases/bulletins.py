"""Short news texts as works of their own, and pages on which four of them stand: what is copied whole, and set wording.

Each work comes of one item: a short item as it is, of every second longer one its first sentences behind the opening
that are as long as a band says, the other longer ones whole.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fingerprint.fingerprinting import fingerprint_text
from laboratory.cases.news import NewsItem

# Tokens, half-open. Below 20 nothing is reported; a bulletin of the archive has 60 and more.
BANDS = ((20, 25), (25, 30), (30, 35), (35, 40), (40, 50), (50, 60), (60, 80), (80, 100), (100, 150), (150, 300))
CUT_BANDS = tuple(band for band in BANDS if band[0] < 100)
WORKS_ON_A_PAGE = 4
_SENTENCE = re.compile("[^。！？\n]+[。！？\n]*")


@dataclass(frozen=True, slots=True)
class Bulletin:
    """A work, and the band that it is of; None for a longer item that stands whole."""

    item_id: str
    text: str
    band: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class BulletinPage:
    """Bulletins of one band, one behind the other."""

    page_id: str
    bulletins: tuple[Bulletin, ...]

    @property
    def text(self) -> str:
        return "\n".join(bulletin.text for bulletin in self.bulletins)


def bulletins(items: Sequence[NewsItem]) -> list[Bulletin]:
    """One of each item."""
    return [_bulletin(item, number) for number, item in enumerate(items)]


def pages(of: Sequence[Bulletin]) -> Iterator[BulletinPage]:
    """Each bulletin of a band on one page, beside some of other days."""
    by_band: dict[tuple[int, int], list[Bulletin]] = defaultdict(list)
    for bulletin in of:
        if bulletin.band is not None:
            by_band[bulletin.band].append(bulletin)
    for band, own in sorted(by_band.items()):
        step = len(own) // WORKS_ON_A_PAGE
        for number in range(step):
            chosen = tuple(own[number + place * step] for place in range(WORKS_ON_A_PAGE))
            yield BulletinPage(f"{band[0]}/{number}", chosen)


def _bulletin(item: NewsItem, number: int) -> Bulletin:
    chars = _tokens(item.text)
    band = next((band for band in BANDS if band[0] <= chars < band[1]), None)
    if band is None and number % 2:
        band = CUT_BANDS[number // 2 % len(CUT_BANDS)]
        if text := _cut(item.text, *band):
            return Bulletin(item.item_id, text, band)
        band = None
    return Bulletin(item.item_id, item.text, band)


def _cut(text: str, least: int, end: int) -> str:
    """The first whole sentences behind the first one that have at least so many tokens, and fewer than `end`; or ""."""
    sentences: list[str] = _SENTENCE.findall(text)
    for first in range(1, len(sentences)):
        taken = ""
        for sentence in sentences[first:]:
            taken += sentence
            tokens = _tokens(taken)
            if tokens >= end:
                break
            if tokens >= least:
                return taken
    return ""


def _tokens(text: str) -> int:
    return fingerprint_text(text).tokens.size
