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
    """The passages compared; as one where most of what lies between them in the work stands between them on the page."""
    compared = [compare_passage(page, work, passage, calibration) for passage in passages]
    if len(passages) < calibration.min_pieces_of_whole:
        return compared
    segments = np.concatenate([passage.segments for passage in passages])
    whole = Passage.of(segments[np.argsort(segments[:, PAGE_START], kind="stable")])
    taken = sum(found.matched for found in compared)
    length, missing = whole.page_end - whole.page_start, whole.work_end - whole.work_start - taken
    most = calibration.max_tokens_of_whole
    if not calibration.min_exact_tokens <= missing <= most or length > most:
        return compared
    if taken + missing < calibration.min_density_of_whole * length:
        return compared
    wide = compare_passage(page, work, whole, calibration, margin=length)
    places = {name: getattr(wide, name) for name in ("page_start", "page_end", "work_start", "work_end")}
    as_one = compare_passage(page, work, whole._replace(**places), calibration)
    is_dense = as_one.matched >= calibration.min_density_of_whole * (as_one.page_end - as_one.page_start)
    least = max(calibration.min_exact_tokens, calibration.min_found_between * missing)
    return [as_one] if is_dense and as_one.matched - taken >= least else compared
