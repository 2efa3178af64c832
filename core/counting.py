"""Counts characters, and recomputes the figures of a match without excluded passages.

An excluded passage is recognized by its letters (Han characters, letters and digits in any width and case), regardless
of punctuation and spaces between them. The spans of the match are not changed.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.equal_runs import longest_equal_run
from core.matches import Change, ChangeKind, Match, Span
from core.taken import NO_PLACES, Places
from core.text import TextRange

# Chinese characters and digits, which are the tokens of a fingerprint. Of 2,005 texts (wiki, news, literature; 2026-11)
# 1,926 have as many tokens, the others have up to 3 % more, because some Latin letters are read as pinyin.
_HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_COUNTED, _CHINESE = re.compile(f"[0-9\uff10-\uff19{_HAN}]+"), re.compile(f"[{_HAN}]")
_LIKE = (ChangeKind.HOMOPHONE, ChangeKind.SHAPE, ChangeKind.PINYIN)  # copied, but not as the same character
_UNCOUNTED = (ChangeKind.NOISE, ChangeKind.MOVED, ChangeKind.SCRIPT)


def count_characters(text: str) -> int:
    """Count the characters of a text without punctuation, spaces and foreign words; all figures count this way.

    In a text without Chinese characters, letters and digits are counted.

    >>> count_characters("2026年，渡口 (Ferry)……"), count_characters("A ferry.")
    (7, 6)
    """
    return sum(map(len, _COUNTED.findall(text))) if _CHINESE.search(text) else sum(map(str.isalnum, text))


@dataclass(frozen=True, slots=True)
class TextLetters:
    """The letters of a text, and the offset of each in code points."""

    text: str
    places: Sequence[int]

    @classmethod
    def from_text(cls, text: str) -> "TextLetters":
        """Return the letters and digits of `text`, with width and case folded.

        >>> TextLetters.from_text("Ａ，渡")
        TextLetters(text='a渡', places=[0, 2])
        """
        places = [place for place, char in enumerate(text) if char.isalnum()]
        return cls("".join(_fold_character(text[place]) for place in places), places)

    def __len__(self) -> int:
        return len(self.text)

    def find(self, passages: Iterable["TextLetters"]) -> Places:
        """Return the offsets of all letters in full occurrences of these passages.

        >>> text, passage = TextLetters.from_text("江，面。江面"), TextLetters.from_text("江面")
        >>> len(text.find([passage]))
        4
        """
        starts: list[int] = []
        for passage in passages:
            position = self.text.find(passage.text) if passage.text else -1
            while position >= 0:
                starts += self.places[position : position + len(passage)]
                position = self.text.find(passage.text, position + len(passage))
        return Places.from_starts(starts)


def _fold_character(char: str) -> str:
    """Fold a character to exactly one character, so that offsets stay valid."""
    for folded in (unicodedata.normalize("NFKC", char).casefold(), char.casefold()):
        if len(folded) == 1:
            return folded
    return char


@dataclass(frozen=True, slots=True)
class MatchSides:
    """The letters of a page and of a work that match, and the offsets that are excluded in each of them."""

    page: TextLetters
    work: TextLetters
    page_left_out: Places = NO_PLACES
    work_left_out: Places = NO_PLACES


def deduct_excluded(match: Match, sides: MatchSides) -> Match:
    """Return the match with its figures computed without the excluded passages.

    If nothing in the match is excluded, the match itself is returned. The spans are not changed. An excluded passage on
    the page removes all matches in it. An insertion into an excluded passage does not affect the similarity.
    """
    if not (sides.page_left_out.bits or sides.work_left_out.bits & match.taken.bits):
        return match
    before = _Tally(MatchSides(sides.page, sides.work))
    after = _Tally(sides)
    before.add_spans(match.spans)
    after.add_spans(match.spans)
    taken = Places(match.taken.bits & after.in_work & ~sides.work_left_out.bits)
    matched = _scale_amount(match.matched_chars, after.matched, before.matched)
    return replace(
        match,
        similarity=_clamp_share(match.similarity + after.similarity - before.similarity) if matched else 0.0,
        page_containment=_clamp_share(match.page_containment * after.share_of_page / (before.share_of_page or 1.0)),
        work_containment=_clamp_share(match.work_containment * len(taken) / max(1, len(match.taken))),
        matched_chars=matched,
        taken=taken,
        longest_equal_run_chars=min(match.longest_equal_run_chars, matched, _longest_equal_run(match.spans, sides)),
    )


def _longest_equal_run(spans: Iterable[Span], sides: MatchSides) -> int:
    texts, left_out = (sides.page.places, sides.work.places), (sides.page_left_out, sides.work_left_out)
    return max((longest_equal_run(span, *texts, *left_out) for span in spans), default=0)


class _Tally:
    """A running count of the letters in a match that are not excluded."""

    def __init__(self, sides: MatchSides) -> None:
        self._all_work = Places.from_starts(sides.work.places)
        self._work = Places(self._all_work.bits & ~sides.work_left_out.bits)
        self._page = Places(Places.from_starts(sides.page.places).bits & ~sides.page_left_out.bits)
        self._excluded_work_bits = sides.work_left_out.bits
        self.matched, self._places, self._differing, self._covered = 0, 0, 0, 0.0
        self.in_work = 0  # bits: ranges of the work in page passages that are not excluded

    @property
    def similarity(self) -> float:
        return 1 - self._differing / self._places if self._places else 0.0

    @property
    def share_of_page(self) -> float:
        return self._covered / (len(self._page) or 1)

    def add_spans(self, spans: Iterable[Span]) -> None:
        for span in spans:
            on_page = self._page.count_range(span.page)
            if not on_page:
                continue
            self.in_work |= _range_size(span.work)
            in_work = self._work.count_range(span.work)
            self._places += in_work
            self.matched += in_work
            self._covered += on_page * in_work / max(1, self._all_work.count_range(span.work))
            for change in span.changes:
                self._count_change(change)

    def _count_change(self, change: Change) -> None:
        if change.kind in _UNCOUNTED:
            return
        on_page, in_work = self._page.count_range(change.page), self._work.count_range(change.work)
        if change.kind in _LIKE:
            self._differing += in_work
            return
        if change.work.start < change.work.end:
            if not in_work:
                return
        elif self._excluded_work_bits >> change.work.start & 1:  # inserted into an excluded passage
            return
        self.matched -= in_work
        self._places += max(0, on_page - in_work)
        self._differing += max(on_page, in_work)


def _range_size(place: TextRange) -> int:
    return ((1 << max(0, place.end - place.start)) - 1) << place.start


def _scale_amount(amount: int, after: int, before: int) -> int:
    return max(0, round(amount * after / before)) if before else 0


def _clamp_share(share: float) -> float:
    return min(1.0, max(0.0, share))
