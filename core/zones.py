"""Where on its page a line stands: the text of the page, or beside it."""

from dataclasses import dataclass
from enum import StrEnum


class Zone(StrEnum):
    """What a line is to the page that it stands on."""

    MAIN = "main"  # the page's text; of a thread all of its posts
    COMMENT = "comment"  # what visitors wrote below it
    TEASER = "teaser"  # announces another page: a title that leads there, the beginning of its text
    FRAME = "frame"  # the site's own: menus, notices, imprint


@dataclass(frozen=True, slots=True)
class ZonedLine:
    """One line as a visitor sees it."""

    zone: Zone
    text: str


@dataclass(frozen=True, slots=True)
class LineBeside:
    """A line that is no part of the main text. after: of how many lines of the main text it stands behind."""

    zone: Zone
    text: str
    after: int
