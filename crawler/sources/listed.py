"""Facts of a page in a sitemap or a feed, before it is fetched."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from core.pages import Reading

MAX_TITLE_CHARS = 500  # of what a list says; a crawl keeps the entries of a hundred lists


@dataclass(frozen=True, slots=True)
class ListedPage:
    """One entry. modified: when the page last changed, as the site says; None if it does not."""

    url: str
    title: str = ""
    published: datetime | None = None
    modified: datetime | None = None
    author: str = ""


def newest_first(entries: "tuple[ListedPage, ...]") -> "tuple[ListedPage, ...]":
    """Sort entries by their stated time, the newest first; those without one keep their order, last."""
    return tuple(sorted(entries, key=_age))


def complete_reading(reading: Reading, listed: ListedPage | None) -> Reading:
    """Add what the page itself does not state to the reading: title, time, author."""
    if listed is None:
        return reading
    return replace(
        reading,
        title=reading.title or listed.title,
        published=reading.published or listed.published,
        author=reading.author or listed.author,
    )


def _age(entry: ListedPage) -> float:
    moment = entry.modified or entry.published
    return -moment.timestamp() if moment is not None else -datetime(1970, 1, 1, tzinfo=UTC).timestamp()
