"""What a sitemap or a feed says of a page before it is fetched."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from core.pages import Reading

MAX_TITLE_CHARS = 500  # of what a list says; a crawl keeps the entries of a hundred lists


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry. modified: when the page last changed, as the site says; None where it does not."""

    url: str
    title: str = ""
    published: datetime | None = None
    modified: datetime | None = None
    author: str = ""


def newest_first(entries: "tuple[Listed, ...]") -> "tuple[Listed, ...]":
    """The entries by what they say of their time, the newest first; those that say nothing keep their order, last."""
    return tuple(sorted(entries, key=_age))


def complete_reading(reading: Reading, listed: Listed | None) -> Reading:
    """The reading with what the page itself does not state: title, time, author."""
    if listed is None:
        return reading
    return replace(
        reading,
        title=reading.title or listed.title,
        published=reading.published or listed.published,
        author=reading.author or listed.author,
    )


def _age(entry: Listed) -> float:
    moment = entry.modified or entry.published
    return -moment.timestamp() if moment is not None else -datetime(1970, 1, 1, tzinfo=UTC).timestamp()
