"""Zones of a page: its main text and the lines outside it."""

from dataclasses import dataclass
from enum import StrEnum


class Zone(StrEnum):
    """The zone of a line on its page."""

    MAIN = "main"  # the page's text; all posts of a thread
    COMMENT = "comment"  # text that visitors wrote below the page's text
    TEASER = "teaser"  # announces another page by its title or the beginning of its text
    FRAME = "frame"  # the site's template: menus, notices, imprint


@dataclass(frozen=True, slots=True)
class ZonedLine:
    """A visible line of a page, and its zone."""

    zone: Zone
    text: str


@dataclass(frozen=True, slots=True)
class SurroundingLine:
    """A line outside the main text. after: the number of main text lines before it."""

    zone: Zone
    text: str
    after: int
