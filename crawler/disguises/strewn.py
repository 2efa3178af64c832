"""A main text with noise and advertisements gone: the disguises that stand in the text itself, not in its markup."""

from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

from core.pages import DisguiseFound
from crawler.disguises.advertisements import without_advertisements
from crawler.disguises.text_noise import BEFORE_ADVERTISEMENTS, STEPS, CleanText, undone_by
from crawler.disguises.undone import EXAMPLE_CHARS


def cleaned(text: str, url: str = "") -> CleanText:
    """Undo what stands between the characters of a text; one without noise comes back as it is."""
    strip = partial(without_advertisements, host=_host(url))
    seen, found = undone_by(BEFORE_ADVERTISEMENTS, text)
    text, more = undone_by((strip, *STEPS[len(BEFORE_ADVERTISEMENTS) :]), seen)
    found += more
    if text != seen:  # twice: an address may be hidden by noise, and noise may look like a part of an address
        text, more = undone_by((strip,), text)
        found += more
    return CleanText(text, merged(found))


def merged(found: Sequence[DisguiseFound]) -> tuple[DisguiseFound, ...]:
    """One entry a kind, in order of the first; counts added, the first example kept."""
    result: dict[str, DisguiseFound] = {}
    for one in found:
        before = result.get(one.kind)
        count = one.count + (before.count if before else 0)
        example = before.example if before and before.example else one.example
        result[one.kind] = DisguiseFound(one.kind, count, example[:EXAMPLE_CHARS])
    return tuple(result.values())


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""
