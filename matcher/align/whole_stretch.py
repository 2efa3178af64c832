"""Passages of one text that are pieces of one: the stretch that holds them all is compared as a whole.

What repeats itself (divinations, litanies, songs) has few seeds of its own: with other sentences put in between, only
some of it is found and joined. The walk along page and work finds the rest, if it is there.
"""

from collections.abc import Sequence

import numpy as np

from matcher.align.changes import Comparison, compare_passage
from matcher.align.passages import Passage
from matcher.align.segments import PAGE_START
from matcher.align.tokenized_text import TokenizedPage, TokenizedText
from matcher.calibration import Calibration


def compare_passages(
    page: TokenizedPage, work: TokenizedText, passages: Sequence[Passage], calibration: Calibration
) -> list[Comparison]:
    """The passages compared; as one where nearly all that the work has between them stands among them on the page."""
    compared = [compare_passage(page, work, passage, calibration) for passage in passages]
    if len(passages) < calibration.min_pieces_of_whole:
        return compared
    segments = np.concatenate([passage.segments for passage in passages])
    whole = Passage.of(segments[np.argsort(segments[:, PAGE_START], kind="stable")])
    length, work_length = whole.page_end - whole.page_start, whole.work_end - whole.work_start
    taken = sum(found.matched for found in compared)
    can_gain = work_length - taken >= calibration.min_gain_of_whole
    if not can_gain or max(length, work_length) > calibration.max_tokens_of_whole:
        return compared
    as_one = compare_passage(page, work, whole, calibration)
    is_found = as_one.work_covered >= calibration.min_share_of_whole * (as_one.work_end - as_one.work_start)
    if not is_found or as_one.matched - taken < calibration.min_gain_of_whole:
        return compared
    # What stands at its ends is of the same kind, and was found no better.
    wide = compare_passage(page, work, whole, calibration, margin=length)
    places = {name: getattr(wide, name) for name in ("page_start", "page_end", "work_start", "work_end")}
    return [compare_passage(page, work, whole._replace(**places), calibration)]
