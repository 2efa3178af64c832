"""robots.txt, read by protego as a task of the reading process: agents times rules can be more than memory holds."""

import re
from collections.abc import Iterator

from protego import Protego

MAX_ROBOTS_BYTES = 500 * 1024  # what RFC 9309, 2.5, wants to be read at least; Google reads no more
# The lines that protego knows, with the misspellings that it takes.
_AGENT = re.compile(r"\s*user[- ]?agent\s*[:\s]\s*(?P<value>[^#]*)", re.IGNORECASE)
_RULE = re.compile(
    r"\s*(?:allow|dis{1,2}al{1,2}ow|diasllow|disallaw|site-?map|sitemaps|host|crawl[- ]delay|request[- ]rate"
    r"|visit[- ]time)\s*[:\s]",
    re.IGNORECASE,
)


def read_robots(body: bytes) -> Protego:
    """Return the rules of a robots.txt, as far as they are read."""
    text = body[:MAX_ROBOTS_BYTES].decode("utf-8-sig", "ignore")
    return Protego.parse("\n".join(_known_lines(text)))


def _known_lines(text: str) -> Iterator[str]:
    """Yield the lines that protego knows. Of any other, a group would end: RFC 9309, 2.2.4, has them ignored.

    An agent is named by one word (RFC 9309, 2.2.1): what stands behind it is left out, but for a whole header.
    """
    for line in text.splitlines():
        agent = _AGENT.match(line)
        if agent is not None:
            value = agent["value"]
            yield "User-agent: " + (value if "(" in value else "".join(value.split()[:1]))
        elif _RULE.match(line):
            yield line
