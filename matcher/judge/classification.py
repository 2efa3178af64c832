"""Classifies the passages that a page has from a text, by their figures.

A quotation is a short and faithful passage that is a small part of page and work. Common wording is wording that other
texts contain too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.matches import MatchClass
from core.text import TextRange
from fingerprint.compilation import as_int, kernel
from matcher.align.changes import PassageComparison, compare_passage, count_covered, unchanged_share
from matcher.align.passages import AlignedPassage
from matcher.align.segments import PHRASE_END, PHRASE_START, PHRASE_TEXT, Phrases
from matcher.align.tokenized_text import TokenizedPage, TokenizedText
from matcher.calibration import Calibration

RUN_TOKENS = 3
Starts = NDArray[np.int32]
OPENING = '“「『‘"〝﹁﹃'
CLOSING = '”」』’"〞﹂﹄'
MARK_REACH_CHARS = 3  # between the words and the mark stands at most a stop and a space; as much may agree by chance
TITLE_REACH_CHARS = 30
TITLE_END = "》"
INTRODUCING = "：:“「『"


@kernel()
def count_distinct_runs(tokens: NDArray[np.uint16], starts: Starts, ends: Starts, max_count: int) -> int:
    """Count the distinct runs of three tokens in the passages, at most `max_count`."""
    runs, count = np.empty(max_count, np.uint64), 0
    for passage in range(starts.size):
        for position in range(starts[passage], ends[passage] - RUN_TOKENS + 1):
            run = (
                np.uint64(tokens[position]) << 32
                | np.uint64(tokens[position + 1]) << 16
                | np.uint64(tokens[position + 2])
            )
            is_new = True
            for number in range(count):
                is_new &= runs[number] != run
            if is_new:
                runs[count] = run
                count += 1
                if count == max_count:
                    return count
    return count


@kernel()
def mark_offsets(tokens: NDArray[np.int32], offsets: NDArray[np.int32]) -> tuple[NDArray[np.uint8], int, int]:
    """Return a bit for each offset of a text at which one of these tokens begins; there must be at least one token.

    Returns the bits as uint8[b], the lowest bit of a byte first; the offset of the first bit, a multiple of 8; and the
    number of set bits.
    """
    first, last, count = as_int(offsets[tokens[0]]), 0, 0
    for token in tokens:
        first, last = min(first, as_int(offsets[token])), max(last, as_int(offsets[token]))
    first = first >> 3 << 3
    marked = np.zeros(((last - first) >> 3) + 1, np.uint8)
    for token in tokens:
        offset = as_int(offsets[token]) - first
        bit = np.uint8(1 << (offset & 7))
        count += not marked[offset >> 3] & bit
        marked[offset >> 3] |= bit
    return marked, first, count


class Figures(NamedTuple):
    """The figures of the passages of one text on one page, in tokens."""

    matched: int  # agree in sound or shape
    same: int  # are one character
    changed: int  # differ in wording
    longest_equal_run: int
    page_covered: int
    work_covered: int  # that have a counterpart on the page
    page_tokens: int
    work_tokens: int
    displaced: int

    @property
    def similarity(self) -> float:
        """The share of equal characters in the passages; the changed share is 1 minus this."""
        return unchanged_share(self.same, self.changed)

    @property
    def page_containment(self) -> float:
        """The share of the page that is in passages."""
        return self.page_covered / self.page_tokens if self.page_tokens else 0.0

    @property
    def work_containment(self) -> float:
        """The share of the work that has a counterpart on the page."""
        return self.work_covered / self.work_tokens if self.work_tokens else 0.0


def sum_figures(page: TokenizedText, work: TokenizedText, comparisons: Sequence[PassageComparison]) -> Figures:
    """Return the figures of one or more passages of a text. Parts that passages share are covered only once."""
    covered = comparisons[0].page_end - comparisons[0].page_start, comparisons[0].work_covered
    if len(comparisons) > 1:
        ranges = np.array([(found.page_start, found.page_end) for found in comparisons], np.int32)
        in_work = np.concatenate([found.work_ranges for found in comparisons])
        covered = count_covered(ranges), count_covered(in_work)
    return Figures(
        matched=sum(found.matched for found in comparisons),
        same=sum(found.same for found in comparisons),
        changed=sum(found.changed_tokens for found in comparisons),
        longest_equal_run=max(found.longest_equal_run for found in comparisons),
        page_covered=covered[0],
        work_covered=covered[1],
        page_tokens=page.fingerprint.tokens.size,
        work_tokens=work.fingerprint.tokens.size,
        displaced=sum(found.displaced for found in comparisons),
    )


def own_share(  # noqa: PLR0917 - all that decides about wording
    starts: Starts,
    ends: Starts,
    phrases: Phrases,
    own_texts: Sequence[int],
    capped: NDArray[np.int32],
    anchor_tokens: int,
) -> float:
    """Return the share of the passages' page tokens that are outside phrases of other texts and common anchors.

    starts, ends: the bounds of the passages. phrases: the phrases of all texts; same: texts whose phrases do not count.
    capped: the page positions of anchors that occur too often, each of `anchor_tokens` tokens. Returns 1.0 if there are
    no tokens.
    """
    other_phrases, total, own_tokens = without_texts(phrases, own_texts), 0, 0
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        common_anchors = capped[(capped >= start) & (capped < end)]
        first = np.append(other_phrases[:, PHRASE_START], common_anchors) - start
        last = np.append(other_phrases[:, PHRASE_END], common_anchors + anchor_tokens) - start
        own_tokens += end - start - np.count_nonzero(_cover_ranges(first, last, end - start))
        total += end - start
    return own_tokens / total if total else 1.0


def background_share(page_tokens: int, starts: Starts, ends: Starts, phrases: Phrases) -> float:
    """Return the share of the page outside all passages that other texts contain; 0.0 if nothing is outside."""
    is_rest = ~_cover_ranges(starts, ends, page_tokens)
    is_covered = _cover_ranges(phrases[:, PHRASE_START], phrases[:, PHRASE_END], page_tokens)
    rest = np.count_nonzero(is_rest)
    return np.count_nonzero(is_rest & is_covered) / rest if rest else 0.0


def _cover_ranges(starts: NDArray[np.int32], ends: NDArray[np.int32], size: int) -> NDArray[np.bool_]:
    """Return whether each of `size` positions is in one of the ranges, which are clipped to [0, size), bool[size]."""
    started = np.bincount(np.clip(starts, 0, size), minlength=size + 1)
    ended = np.bincount(np.clip(ends, 0, size), minlength=size + 1)
    return np.cumsum(started - ended)[:size] > 0


def is_common_wording(
    figures: Figures, unique_share: float, background: float, postings: int, calibration: Calibration
) -> bool:
    """Return whether the passages of a page from a text are common wording rather than a copy.

    unique_share: the share of the passages that no other text contains; background: `background_share` of the page;
    postings: the number of postings in the whole index.
    """
    if figures.page_containment >= calibration.most_of_page:
        return False
    if figures.page_containment >= calibration.much_of_page:
        return unique_share < calibration.min_own_share_of_much
    own_tokens = unique_share * figures.matched
    if unique_share < calibration.own_share(postings):
        return own_tokens < calibration.min_own_tokens_among_phrases
    return background > calibration.max_background and own_tokens < calibration.min_own_tokens


def without_texts(phrases: Phrases, texts: Sequence[int]) -> Phrases:
    """Return the phrases without those of the given texts."""
    return np.asarray(phrases[~np.isin(phrases[:, PHRASE_TEXT], texts)]) if texts else phrases


def split_at_quotations(
    page: TokenizedPage, work: TokenizedText, comparisons: list[PassageComparison], calibration: Calibration
) -> list[PassageComparison]:
    """Split each passage whose segments are all marked quotations: the text between them is the page's own."""
    split = []
    for comparison in comparisons:
        rows, parts = comparison.segments, []
        if len(rows) > 1 and comparison.matched <= calibration.max_quoted_tokens:
            parts = [
                compare_passage(page, work, AlignedPassage.from_segments(rows[[row]]), calibration)
                for row in range(len(rows))
            ]
        is_quoted = parts and all(_is_marked_quotation(page, work, part, calibration) for part in parts)
        split += parts if is_quoted else [comparison]
    return split


def are_quotations(
    page: TokenizedPage,
    work: TokenizedText,
    comparisons: list[PassageComparison],
    figures: Figures,
    calibration: Calibration,
) -> bool:
    """Return whether all passages of a page from a text are quotations.

    figures: the figures of all passages together.
    """
    if not _is_short_enough(figures, calibration):
        return False
    may_be_marked = figures.page_containment <= calibration.max_marked_quotation_containment
    unmarked = [
        comparison
        for comparison in comparisons
        if not (may_be_marked and _is_marked_quotation(page, work, comparison, calibration))
    ]
    return (
        all(_is_unmarked_quotation(comparison, figures, calibration) for comparison in unmarked)
        and sum(comparison.matched for comparison in unmarked) <= calibration.max_bare_quoted_tokens
    )


def _is_short_enough(figures: Figures, calibration: Calibration) -> bool:
    """Return whether the passages are short enough for quotations; much of a work is a copy, even if it is marked."""
    max_tokens = max(calibration.max_quoted_tokens, calibration.max_quoted_share_of_page * figures.page_tokens)
    is_one_saying = figures.matched <= calibration.max_bare_quotation_tokens
    return figures.matched <= max_tokens and (
        is_one_saying or figures.work_containment <= calibration.max_quoted_work_containment
    )


def _is_unmarked_quotation(comparison: PassageComparison, figures: Figures, calibration: Calibration) -> bool:
    length = comparison.page_end - comparison.page_start
    is_short = length <= calibration.max_bare_quotation_tokens or (
        comparison.matched <= calibration.max_bare_matched_tokens
    )
    return is_short and figures.page_containment <= calibration.max_bare_quotation_containment


def _is_marked_quotation(
    page: TokenizedPage, work: TokenizedText, comparison: PassageComparison, calibration: Calibration
) -> bool:
    length = comparison.page_end - comparison.page_start
    if length > calibration.max_marked_quotation_tokens or comparison.similarity < calibration.min_quotation_similarity:
        return False
    on_page = page.text_range(comparison.page_start, comparison.page_end)
    in_work = work.text_range(comparison.work_start, comparison.work_end)
    if _is_in_marks(page.text, on_page) and (
        not _is_in_marks(work.text, in_work) or _is_one_speech(page.text, on_page)
    ):
        return True
    return _is_introduced(page.text, on_page) and not _is_introduced(work.text, in_work)


def _is_in_marks(text: str, passage: TextRange) -> bool:
    before = text[max(0, passage.start - MARK_REACH_CHARS) : passage.start + MARK_REACH_CHARS]
    after = text[max(0, passage.end - MARK_REACH_CHARS) : passage.end + MARK_REACH_CHARS]
    return any(mark in before for mark in OPENING) and any(mark in after for mark in CLOSING)


def _is_one_speech(text: str, passage: TextRange) -> bool:
    """Return whether no quotation mark closes inside a passage, so that it is one quoted speech and not a scene."""
    inside = text[passage.start + MARK_REACH_CHARS : passage.end - MARK_REACH_CHARS]
    return not any(mark in inside for mark in CLOSING)


def _is_introduced(text: str, passage: TextRange) -> bool:
    """Return whether a title in 《》, followed by a colon or an opening mark, introduces the passage."""
    before = text[max(0, passage.start - TITLE_REACH_CHARS) : passage.start]
    return TITLE_END in before and any(mark in before[-MARK_REACH_CHARS:] for mark in INTRODUCING)


def classify(figures: Figures, is_quotation: bool, is_patchwork: bool, calibration: Calibration) -> MatchClass:
    """Return the class of a match: by its kind, then by the extent of its edits."""
    if is_quotation:
        return MatchClass.QUOTATION
    if is_patchwork:
        return MatchClass.PATCHWORK
    is_whole_page = (
        figures.page_containment >= calibration.min_whole_page_containment
        and figures.page_tokens >= calibration.min_whole_page_tokens
    )
    if not is_whole_page and figures.work_containment < calibration.min_whole_work_containment:
        return MatchClass.EXCERPT
    if figures.similarity >= 1 - calibration.max_changed_identical and not figures.displaced:
        return MatchClass.IDENTICAL
    is_light = figures.similarity >= 1 - calibration.max_changed_light and not figures.displaced
    return MatchClass.LIGHTLY_EDITED if is_light else MatchClass.HEAVILY_EDITED


def find_patchwork(copies: Sequence[Figures], works: Sequence[object], calibration: Calibration) -> list[bool]:
    """Return whether each copy on a page is one of the parts of several works that make up a patchwork.

    copies: the figures of each copied text; works: the work of each text. Consecutive chapters of one work are not a
    patchwork.
    """
    pieces = [
        figures.matched >= calibration.min_patchwork_tokens
        and figures.work_containment < calibration.max_patchwork_work_containment
        and figures.page_containment < calibration.min_whole_page_containment
        for figures in copies
    ]
    sources = {work for work, is_piece in zip(works, pieces, strict=True) if is_piece}
    return [is_piece and len(sources) > 1 for is_piece in pieces]


def contains_whole_text(work_tokens: int, comparisons: Sequence[PassageComparison], calibration: Calibration) -> bool:
    """Return whether one passage contains nearly all of a text that is long enough: a copy, however common its wording.

    work_tokens: the length of the whole text.
    """
    if work_tokens < calibration.min_whole_text_tokens:
        return False
    min_tokens = calibration.min_whole_text_share * work_tokens
    candidates = (comparison.work_matched for comparison in comparisons if comparison.work_matched.size >= min_tokens)
    return any(np.unique(matched).size >= min_tokens for matched in candidates)
