"""robots.txt, read by protego as a task of the reading process: agents times rules can be more than memory holds."""

from dataclasses import dataclass, field

from protego import Protego

MAX_ROBOTS_BYTES = 500 * 1024  # what RFC 9309, 2.5, wants to be read at least; Google reads no more


@dataclass(frozen=True, slots=True)
class RobotsToRead:
    """A task of the reading process: crawler.readers.task.Task."""

    url: str
    body: bytes = field(repr=False)

    def read(self, desk: object) -> Protego:
        return Protego.parse(self.body[:MAX_ROBOTS_BYTES].decode("utf-8-sig", "ignore"))
