"""The response of a host that several sites share: it is fetched once, and each site reads it by its own rules."""

from dataclasses import dataclass
from datetime import datetime

from core.captures import Capture
from core.ids import SiteId


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """One response as received, with its content coding but without the cookies that it set.

    key: the key of the request. site_id: the site whose crawl fetched it. headers: names and values in order of
    receipt.
    capture: the capture of this response with its machine, without the redirects before it.
    """

    key: str
    site_id: SiteId
    fetched_at: datetime
    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    capture: Capture
