"""The generated pages are what they say they are, and the count of what was undone counts."""

import pytest

from laboratory.extraction.obfuscated_pages.ways import MARKUP_WAYS, Way
from laboratory.extraction.obfuscations import score_way


@pytest.mark.parametrize("way", MARKUP_WAYS, ids=lambda way: way.name)
def test_every_way_is_undone_and_told_of(way: Way) -> None:
    result = score_way(way, 5, 6, None, None)
    assert (result.undone, result.told) == (6, 6), result.failures
