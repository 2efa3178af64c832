"""What is wrong with how a plan is to be crawled."""

from collections.abc import Callable

from core.errors import BadConfiguration
from core.pages import CrawlPlan
from core.politeness import Proxy
from core.wording import Message
from crawler.politeness.bans import BanJudge
from crawler.politeness.login_steps import parse_steps
from crawler.politeness.windows import Windows

PROXY_SCHEMES = ("http", "https")


def faults_of(plan: CrawlPlan) -> list[Message]:
    """All that is wrong with how a plan is to be crawled."""
    polite, faults = plan.politeness, list[Message]()
    checks: tuple[Callable[[], object], ...] = (
        lambda: Windows(polite.windows, polite.zone),
        lambda: BanJudge(polite.bans, plan.encoding),
        lambda: parse_steps(polite.login.steps, dict(polite.login.values)),
    )
    faults += [_proxy_fault(proxy) for proxy in polite.proxies if proxy.scheme not in PROXY_SCHEMES]
    for check in checks:
        try:
            check()
        except BadConfiguration as fault:
            faults.extend(fault.faults)
    return faults


def _proxy_fault(proxy: Proxy) -> Message:
    return Message("site.proxy-scheme", place=proxy.place, scheme=proxy.scheme)
