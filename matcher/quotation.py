"""Whether a passage is a quotation: short, faithful, a small part of its page."""

from core.text import TextRange
from matcher.calibration import Calibration
from matcher.changes import Comparison
from matcher.sides import Side

OPENING = '“「『‘"〝﹁﹃'
CLOSING = '”」』’"〞﹂﹄'
MARK_REACH_CHARS = 3  # between the words and the mark stands at most a stop and a space
TITLE_REACH_CHARS = 30
TITLE_END = "》"
INTRODUCING = "：:“「『"


def are_quotations(
    page: Side, work: Side, comparisons: list[Comparison], containment: float, calibration: Calibration
) -> bool:
    """Whether all that a page has of a text is quoted; `containment`: share of the page."""
    if sum(found.matched for found in comparisons) > calibration.max_quoted_tokens:
        return False
    return all(_is_quotation(page, work, found, containment, calibration) for found in comparisons)


def _is_quotation(page: Side, work: Side, found: Comparison, containment: float, calibration: Calibration) -> bool:
    length = found.page_end - found.page_start
    is_short = length <= calibration.max_bare_quotation_tokens or found.matched <= calibration.max_bare_matched_tokens
    if is_short and containment <= calibration.max_bare_quotation_containment:
        return True
    if found.similarity < calibration.min_quotation_similarity:
        return False
    if length > calibration.max_marked_quotation_tokens or containment > calibration.max_marked_quotation_containment:
        return False
    on_page = page.range_of(found.page_start, found.page_end)
    in_work = work.range_of(found.work_start, found.work_end)
    is_marked = _is_in_marks(page.text, on_page) and not _is_in_marks(work.text, in_work)
    return is_marked or (_is_introduced(page.text, on_page) and not _is_introduced(work.text, in_work))


def _is_in_marks(text: str, place: TextRange) -> bool:
    before = text[max(0, place.start - MARK_REACH_CHARS) : place.start]
    after = text[place.end : place.end + MARK_REACH_CHARS]
    return any(mark in before for mark in OPENING) and any(mark in after for mark in CLOSING)


def _is_introduced(text: str, place: TextRange) -> bool:
    """Whether a title in 《》 and a colon or opening mark lead up to the passage."""
    before = text[max(0, place.start - TITLE_REACH_CHARS) : place.start]
    return TITLE_END in before and any(mark in before[-MARK_REACH_CHARS:] for mark in INTRODUCING)
