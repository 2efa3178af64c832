"""Whether a text stands whole on a page: then it is copied, however formulaic it is.

A page that stands whole in a text needs no rule: nothing that fills a page is a quotation or set wording.
"""

from collections.abc import Sequence

import numpy as np

from matcher.align.changes import Comparison
from matcher.calibration import Calibration


def stands_whole(work_tokens: int, comparisons: Sequence[Comparison], calibration: Calibration) -> bool:
    """Whether one passage has nearly all of a text, and the text is long enough to say something.

    work_tokens: of the whole text.
    """
    if work_tokens < calibration.min_whole_text_tokens:
        return False
    least = calibration.min_whole_text_share * work_tokens
    return any(np.unique(found.work_matched).size >= least for found in comparisons)
