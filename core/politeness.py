"""The crawl limits of a site: times, budgets, identities, proxies, logins and the signs of a refusal.

Secrets (proxy passwords, cookies, login values) are in fields that `repr` omits.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class BanAction(StrEnum):
    """The reaction of a crawl to a refusal."""

    SLOW = "slow"  # wait, then fetch more slowly
    ROTATE = "rotate"  # switch to another proxy and another user agent
    LOGIN = "login"  # the session has expired: log in again
    STOP = "stop"  # end the crawl with the reason; the remaining pages stay due


class BrowserMode(StrEnum):
    """The choice of pages that are loaded in a browser."""

    NEVER = "never"
    AUTO = "auto"  # a page with scripts but no text, if a browser is installed
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class BanRule:
    """A rule that recognises a kind of refusal. All of its conditions must hold; it must have at least one."""

    name: str
    statuses: tuple[int, ...] = ()  # any of them
    words: tuple[str, ...] = ()  # any of them in the title or the visible text
    selector: str = ""  # CSS or XPath (begins with /) that matches an element
    redirect: str = ""  # regular expression on the target of a redirect
    max_chars: int = 0  # of the visible text, 0 for any; prevents matches of long texts about robots
    action: BanAction = BanAction.SLOW


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy configured by the operator. place: host:port, which may be displayed."""

    place: str
    scheme: str = "http"  # of the connection to the proxy
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    cools_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Login:
    """The login of a site: its steps, the secret values that they use, and the initial cookies."""

    steps: str = ""  # one on each line: crawler.politeness.sessions
    values: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    cookies: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class CrawlBudget:
    """The limits of fetching; 0 for no limit. A day is a day in the site's time zone."""

    bytes_a_run: int = 0
    pages_a_day: int = 0
    bytes_a_day: int = 0


@dataclass(frozen=True, slots=True)
class Politeness:
    """The crawl limits of a site; the defaults limit nothing."""

    windows: str = ""  # like "01:00-06:00, 23:30-00:30"; empty: at any time
    zone: str = "UTC"  # of the windows and of the budget's day
    budget: CrawlBudget = CrawlBudget()
    bans: tuple[BanRule, ...] = ()
    proxies: tuple[Proxy, ...] = ()
    user_agents: tuple[str, ...] = ()
    login: Login = Login()
    browser: BrowserMode = BrowserMode.AUTO
    first_wait_s: float = 5.0  # after a refusal that names no time; doubles with each further refusal, up to 10 minutes
