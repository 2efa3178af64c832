"""A text that stands on several pages, while these are fetched one after another."""

from dataclasses import dataclass, field, replace

from core.pages import FollowingPart, Reading
from crawler.items import ReadPage
from crawler.sources.novel_pages import join_parts


@dataclass(slots=True)
class PartedText:
    """The first part as it would be stored alone, and the parts after it. urls: of the parts that were requested."""

    item: ReadPage
    first_url: str
    readings: list[Reading]
    parts: list[FollowingPart] = field(default_factory=list)
    urls: set[str] = field(default_factory=set)

    def add_part(self, reading: Reading, part: FollowingPart) -> None:
        self.readings.append(reading)
        self.parts.append(part)

    def whole(self) -> ReadPage:
        """Return all parts as one page, under the address of the first."""
        fetched = replace(self.item.fetched, parts=tuple(self.parts))
        return replace(self.item, fetched=fetched, reading=join_parts(self.readings))
