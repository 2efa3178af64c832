"""Quotations: short and faithful pieces of a text that are a small part of page and work."""

from core.text import TextRange
from matcher.align.changes import PassageComparison, compare_passage
from matcher.align.passages import AlignedPassage
from matcher.align.tokenized_text import TokenizedPage, TokenizedText
from matcher.calibration import Calibration
from matcher.judge.figures import Figures

OPENING = '“「『‘"〝﹁﹃'
CLOSING = '”」』’"〞﹂﹄'
MARK_REACH_CHARS = 3  # between the words and the mark stands at most a stop and a space; as much may agree by chance
TITLE_REACH_CHARS = 30
TITLE_END = "》"
INTRODUCING = "：:“「『"


def split_at_quotations(
    page: TokenizedPage, work: TokenizedText, comparisons: list[PassageComparison], calibration: Calibration
) -> list[PassageComparison]:
    """Split each passage whose segments are all quoted with marks: between them are the page's own words."""
    apart = []
    for one in comparisons:
        rows, parts = one.segments, []
        if len(rows) > 1 and one.matched <= calibration.max_quoted_tokens:
            parts = [
                compare_passage(page, work, AlignedPassage.from_segments(rows[[at]]), calibration)
                for at in range(len(rows))
            ]
        is_quoted = parts and all(_is_marked_quotation(page, work, part, calibration) for part in parts)
        apart += parts if is_quoted else [one]
    return apart


def are_quotations(
    page: TokenizedPage,
    work: TokenizedText,
    comparisons: list[PassageComparison],
    found: Figures,
    calibration: Calibration,
) -> bool:
    """Return whether all passages of a page from a text are quoted. found: the sum of its comparisons."""
    if not _is_little(found, calibration):
        return False
    may_be_marked = found.page_containment <= calibration.max_marked_quotation_containment
    bare = [one for one in comparisons if not (may_be_marked and _is_marked_quotation(page, work, one, calibration))]
    return (
        all(_is_bare_quotation(one, found, calibration) for one in bare)
        and sum(one.matched for one in bare) <= calibration.max_bare_quoted_tokens
    )


def _is_little(found: Figures, calibration: Calibration) -> bool:
    """Return whether it is short enough to be quoted: much of a work is a copy, in any number of marked pieces."""
    most = max(calibration.max_quoted_tokens, calibration.max_quoted_share_of_page * found.page_tokens)
    is_one_saying = found.matched <= calibration.max_bare_quotation_tokens
    return found.matched <= most and (
        is_one_saying or found.work_containment <= calibration.max_quoted_work_containment
    )


def _is_bare_quotation(comparison: PassageComparison, found: Figures, calibration: Calibration) -> bool:
    length = comparison.page_end - comparison.page_start
    is_short = length <= calibration.max_bare_quotation_tokens or (
        comparison.matched <= calibration.max_bare_matched_tokens
    )
    return is_short and found.page_containment <= calibration.max_bare_quotation_containment


def _is_marked_quotation(
    page: TokenizedPage, work: TokenizedText, found: PassageComparison, calibration: Calibration
) -> bool:
    length = found.page_end - found.page_start
    if length > calibration.max_marked_quotation_tokens or found.similarity < calibration.min_quotation_similarity:
        return False
    on_page = page.text_range(found.page_start, found.page_end)
    in_work = work.text_range(found.work_start, found.work_end)
    if _is_in_marks(page.text, on_page) and (
        not _is_in_marks(work.text, in_work) or _is_one_speech(page.text, on_page)
    ):
        return True
    return _is_introduced(page.text, on_page) and not _is_introduced(work.text, in_work)


def _is_in_marks(text: str, place: TextRange) -> bool:
    before = text[max(0, place.start - MARK_REACH_CHARS) : place.start + MARK_REACH_CHARS]
    after = text[max(0, place.end - MARK_REACH_CHARS) : place.end + MARK_REACH_CHARS]
    return any(mark in before for mark in OPENING) and any(mark in after for mark in CLOSING)


def _is_one_speech(text: str, place: TextRange) -> bool:
    """Return True if no quotation mark closes inside, so that the passage is one quoted speech and not a scene."""
    inside = text[place.start + MARK_REACH_CHARS : place.end - MARK_REACH_CHARS]
    return not any(mark in inside for mark in CLOSING)


def _is_introduced(text: str, place: TextRange) -> bool:
    """Return whether a title in 《》 and a colon or opening mark lead up to the passage."""
    before = text[max(0, place.start - TITLE_REACH_CHARS) : place.start]
    return TITLE_END in before and any(mark in before[-MARK_REACH_CHARS:] for mark in INTRODUCING)
