"""The generated pages are what they say they are, and the count of what was undone counts."""

import pytest

from laboratory.extraction.obfuscated_pages.page import Body
from laboratory.extraction.obfuscated_pages.ways import CLEAN, MARKUP_WAYS, Way
from laboratory.extraction.obfuscations import score_way, shown


@pytest.mark.parametrize("way", MARKUP_WAYS, ids=lambda way: way.name)
def test_every_way_is_undone_and_told_of(way: Way) -> None:
    result = score_way(way, 5, 6, None, None)
    assert (result.undone, result.told) == (6, 6), result.failures


def test_a_page_that_is_not_undone_is_counted_and_shown() -> None:
    never = Way("never", CLEAN.kind, lambda text, rng: Body(["<p>别的文字。</p>"], "\n".join(text)))
    result = score_way(never, 1, 2, None, None)
    assert (result.undone, len(result.failures)) == (0, 2)
    section = shown([result])
    assert section.tables[0].rows == (("never", "-", "2", "0.0%", "100.0%"),)
    assert section.record == {"never": {"pages": 2, "undone": 0, "told": 2}}
