"""How a site is to be crawled beyond its plan: when, how much, under which name, and what its refusals look like.

Secrets (a proxy's password, cookies, the values of a login) are in fields that no repr shows.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class BanAction(StrEnum):
    """What a crawl does about a page that says "not you"."""

    SLOW = "slow"  # wait, then ask more slowly
    ROTATE = "rotate"  # go on through another proxy and under another user agent
    LOGIN = "login"  # the session is over: log in again
    STOP = "stop"  # end the crawl, with the reason; the pages left stay to be done


class BrowserMode(StrEnum):
    """Which pages are loaded in a browser."""

    NEVER = "never"
    AUTO = "auto"  # a page that has scripts and no text of its own, where there is a browser
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class BanRule:
    """How one kind of refusal is recognised: every condition that is given must hold, and one at least is given."""

    name: str
    statuses: tuple[int, ...] = ()  # any of them
    words: tuple[str, ...] = ()  # any of them in the title or the visible text
    selector: str = ""  # CSS or XPath (begins with /): what it finds is there
    redirect: str = ""  # regular expression on the address that the page redirects to
    max_chars: int = 0  # of the visible text, 0 for any: a page that says little is not a text about robots
    action: BanAction = BanAction.SLOW


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that the operator set: `place` is host:port, and what is shown."""

    place: str
    scheme: str = "http"  # how the proxy itself is spoken to
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    cools_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Login:
    """How a session is opened: the steps, the secret values that they name, and cookies that are there before."""

    steps: str = ""  # one a line: crawler.politeness.sessions
    values: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    cookies: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class CrawlBudget:
    """How much may be fetched; 0 is no limit. A day is one of the site's own zone."""

    bytes_a_run: int = 0
    pages_a_day: int = 0
    bytes_a_day: int = 0


@dataclass(frozen=True, slots=True)
class Politeness:
    """All of it; the defaults ask nothing special."""

    windows: str = ""  # like "01:00-06:00, 23:30-00:30"; empty: at any time
    zone: str = "UTC"  # of the windows and of the budget's day
    budget: CrawlBudget = CrawlBudget()
    bans: tuple[BanRule, ...] = ()
    proxies: tuple[Proxy, ...] = ()
    user_agents: tuple[str, ...] = ()
    login: Login = Login()
    browser: BrowserMode = BrowserMode.AUTO
    first_wait_s: float = 5.0  # after a refusal that names no time; doubles with each that follows, up to 10 minutes
