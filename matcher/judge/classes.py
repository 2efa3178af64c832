"""What a match is called."""

from collections.abc import Sequence

from core.matches import MatchClass
from matcher.calibration import Calibration
from matcher.judge.figures import Figures


def classify(found: Figures, is_quotation: bool, is_patchwork: bool, calibration: Calibration) -> MatchClass:
    """Name a match: what it is first of all, then how far it was edited."""
    if is_quotation:
        return MatchClass.QUOTATION
    if is_patchwork:
        return MatchClass.PATCHWORK
    is_whole_page = (
        found.page_containment >= calibration.min_whole_page_containment
        and found.page_tokens >= calibration.min_whole_page_tokens
    )
    if not is_whole_page and found.work_containment < calibration.min_whole_work_containment:
        return MatchClass.EXCERPT
    if found.similarity >= 1 - calibration.max_changed_identical and not found.displaced:
        return MatchClass.IDENTICAL
    is_light = found.similarity >= 1 - calibration.max_changed_light and not found.displaced
    return MatchClass.LIGHTLY_EDITED if is_light else MatchClass.HEAVILY_EDITED


def find_patchwork(found: Sequence[Figures], works: Sequence[object], calibration: Calibration) -> list[bool]:
    """For each copy on a page, whether it is a piece of a patchwork of parts of several works.

    works: the work of each text; consecutive chapters of one work are not a patchwork.
    """
    pieces = [
        figures.matched >= calibration.min_patchwork_tokens
        and figures.work_containment < calibration.max_patchwork_work_containment
        and figures.page_containment < calibration.min_whole_page_containment
        for figures in found
    ]
    sources = {work for work, is_piece in zip(works, pieces, strict=True) if is_piece}
    return [is_piece and len(sources) > 1 for is_piece in pieces]
