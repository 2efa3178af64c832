"""Merges the matches of the text outside a page's main text, which is compared separately, and sets their zones."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from core.ids import VersionId
from core.matches import Change, Match, MatchClass, Span
from core.pages import Reading
from core.text import TextRange
from core.zones import Zone

# Chosen: three announcements of at most 300 characters (crawler.main_text.zones). A page with more of a text outside
# its main text publishes the text.
MAX_CHARS_ANNOUNCED = 1_000


def surrounding_text_id(version: VersionId) -> str:
    """Return the id of the fingerprint of the text outside a version's main text."""
    return f"{version}/beside"


def merge_matches(main: Sequence[Match], surroundings: Iterable[Match], reading: Reading) -> tuple[Match, ...]:
    """Add to the matches of a main text the matches of the text outside it with other texts of works.

    beside: the matcher's result for `reading.surrounding_text`. A match in a comment keeps its class; a match only in
    announcements and the site's frame becomes a teaser, unless it is longer than MAX_CHARS_ANNOUNCED.
    """
    known = {text_id for match in main for text_id in (match.text_id, *match.also)}
    starts = list(accumulate((len(line.text) + 1 for line in reading.surroundings), initial=0))
    offset_chars = len(reading.text) + 1
    shifted = []
    for match in surroundings:
        if match.text_id in known:
            continue
        spans = tuple(_shift_span(span, offset_chars, _zone(span, starts, reading)) for span in match.spans)
        is_shown = any(span.zone is Zone.COMMENT for span in spans) or match.matched_chars > MAX_CHARS_ANNOUNCED
        shifted.append(replace(match, spans=spans, match_class=match.match_class if is_shown else MatchClass.TEASER))
    return (*main, *shifted)


def _zone(span: Span, starts: Sequence[int], reading: Reading) -> Zone:
    """Return the zone that contains most of a span."""
    chars: Counter[Zone] = Counter()
    for number in range(bisect_right(starts, span.page.start) - 1, len(reading.surroundings)):
        start, end = max(starts[number], span.page.start), min(starts[number + 1], span.page.end)
        if start >= end:
            break
        chars[reading.surroundings[number].zone] += end - start
    return chars.most_common(1)[0][0]


def _shift_span(span: Span, offset_chars: int, zone: Zone) -> Span:
    changes = [Change(change.kind, _shift_range(change.page, offset_chars), change.work) for change in span.changes]
    return replace(span, page=_shift_range(span.page, offset_chars), changes=changes, zone=zone)


def _shift_range(place: TextRange, offset_chars: int) -> TextRange:
    return TextRange(place.start + offset_chars, place.end + offset_chars)
