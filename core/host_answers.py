"""An answer of a host that several sites watch: it is fetched once, and each site reads it by its own rules."""

from dataclasses import dataclass
from datetime import datetime

from core.captures import Capture
from core.ids import SiteId


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """One answer as it came, its body still coded as it was sent, without the cookies that it set.

    key: of the request. site_id: for whose crawl it was fetched. headers: names and values in their order.
    capture: how it was fetched, without the redirects before it; the machine that fetched it is in it.
    """

    key: str
    site_id: SiteId
    fetched_at: datetime
    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    capture: Capture
