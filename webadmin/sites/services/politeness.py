"""Converts the crawl rules of a site to the crawler's form, tries them, and stores statistics about proxies."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import F

from core.errors import BadConfiguration, BadInput
from core.ids import VersionId
from core.pages import CrawlCounts
from core.politeness import BanAction, BanRule, BrowserMode, CrawlBudget, Login, Politeness, Proxy
from core.ports import PageStore
from core.wording import Message
from crawler.readers.reading_process import ReadingProcess
from crawler.rule_checks import checking_process
from webadmin.accounts.models import User
from webadmin.sites.models import PageRecord, RobotsSwitch, Site, SiteBanRule, SiteProxy, SiteRules
from webadmin.sites.services.encrypted_secrets import unseal

_MEGABYTE = 1_000_000
PAGES_TRIED = 50
MAX_TRIAL_S = 10.0  # chosen, because a longer trial would block a thread of the admin
MAX_SHOWN_CHARS = 60  # characters of the input that an error message quotes
_STATUS = re.compile(r"[0-9]{3}")


def site_politeness(site: Site, *, by_second_route: bool = False) -> Politeness:
    """Return the crawl rules of a site in the crawler's form.

    by_second_route: use the proxies reserved for rechecks instead of the others. Raises KeyLost if a secret cannot be
    decrypted.
    """
    rules = SiteRules.objects.filter(site=site).first() or SiteRules(site=site)
    return Politeness(
        windows=rules.windows,
        zone=rules.zone or settings.TIME_ZONE,
        budget=CrawlBudget(
            bytes_a_run=rules.megabytes_a_run * _MEGABYTE,
            pages_a_day=rules.pages_a_day,
            bytes_a_day=rules.megabytes_a_day * _MEGABYTE,
        ),
        bans=tuple(convert_ban_rule(each) for each in site.ban_rules.all()),
        proxies=tuple(
            Proxy(each.place, each.scheme, each.user, unseal(each.sealed_password), each.cools_until)
            for each in site.proxies.filter(is_enabled=True, is_second_route=by_second_route)
        ),
        user_agents=tuple(line.strip() for line in rules.user_agents.splitlines() if line.strip()),
        login=Login(
            rules.login_steps, parse_pairs(unseal(rules.sealed_values)), parse_pairs(unseal(rules.sealed_cookies))
        ),
        browser=BrowserMode(rules.browser),
    )


def has_second_route(site: Site) -> bool:
    """Return True if the site has an enabled proxy reserved for rechecks."""
    return site.proxies.filter(is_enabled=True, is_second_route=True).exists()


def convert_ban_rule(rule: SiteBanRule) -> BanRule:
    """Return a refusal rule in the crawler's form. Raises BadConfiguration for an invalid HTTP status."""
    return BanRule(
        name=rule.name,
        statuses=parse_statuses(rule.statuses),
        words=tuple(line.strip() for line in rule.words.splitlines() if line.strip()),
        selector=rule.selector,
        redirect=rule.redirect,
        max_chars=rule.max_chars,
        action=BanAction(rule.action),
    )


def parse_statuses(text: str) -> tuple[int, ...]:
    """Return the HTTP statuses in a text, separated by commas or spaces. Raises BadConfiguration for other text."""
    parts = [part for part in text.replace("，", ",").replace(" ", ",").split(",") if part]
    wrong = next((part for part in parts if not _STATUS.fullmatch(part)), None)
    if wrong is not None:
        raise BadConfiguration("watch.no-status", status=wrong[:MAX_SHOWN_CHARS])
    return tuple(int(part) for part in parts)


def parse_pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Return the names and values in lines of `name = value`. Blank lines are ignored.

    Raises BadConfiguration, which does not quote the text, for any other line.

    >>> parse_pairs("user = 读者")
    (('user', '读者'),)
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        name, equals, value = line.partition("=")
        if line.strip() and not (equals and name.strip()):
            raise BadConfiguration("watch.no-pair", number=number)
        if line.strip():
            found.append((name.strip(), value.strip()))
    return tuple(found)


def note_robots_switch(site: Site, reason: str, user: User | None = None) -> RobotsSwitch:
    """Record whether robots.txt is obeyed from now on. Raises BadInput if it is not and `reason` is blank."""
    if not reason.strip() and not site.obey_robots:
        raise BadInput("watch.robots-reason")
    return RobotsSwitch.objects.create(site=site, obeys=site.obey_robots, reason=reason.strip()[:500], switched_by=user)


def keep_health(site: Site, counts: CrawlCounts) -> None:
    """Add the proxy statistics in the counts of a run to those of the site's proxies."""
    for place, health in counts.proxies.items():
        until = str(health["cools_until"])
        SiteProxy.objects.filter(site=site, place=place).update(
            successes=F("successes") + int(str(health["successes"])),
            failures=F("failures") + int(str(health["failures"])),
            cools_until=datetime.fromisoformat(until) if until else None,
        )


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of the refusal rules for a stored page.

    rule: the name of the first rule that applies, or "". seen: what the rule recognized, or None. is_stored: False if
    the body of the response is missing.
    """

    url: str
    title: str
    rule: str
    seen: Message | None
    is_stored: bool = True


def try_rules(site: Site, rules: Sequence[BanRule], store: PageStore, url: str = "") -> list[Tried]:
    """Return the results of the rules for the PAGES_TRIED newest stored pages of a site, or for the one at `url`.

    Raises BadConfiguration for an invalid rule, BadInput if no page is stored at `url` or the rules take too long, and
    RetryLater while another trial runs.
    """
    from crawler.politeness.bans import BanJudge  # imported here, because it loads fingerprint

    BanJudge(rules, site.encoding)  # raises for invalid rules
    pages = PageRecord.objects.filter(site=site).order_by("-last_seen", "page_id")
    chosen = list(pages.filter(url=url) if url else pages[:PAGES_TRIED])
    if url and not chosen:
        raise BadInput("watch.no-page", site=site.name, url=url)
    tried: list[Tried] = []
    with checking_process() as process:
        end = time.monotonic() + MAX_TRIAL_S
        for page in chosen:
            found = _outcome_of_rules(page, tuple(rules), site.encoding, store, process)
            if found is None or time.monotonic() > end:
                raise BadInput("watch.rules-too-slow", count=len(tried))
            tried.append(found)
    return tried


def _outcome_of_rules(
    page: PageRecord, rules: tuple[BanRule, ...], encoding: str, store: PageStore, process: ReadingProcess
) -> Tried | None:
    """Return the result of the rules for a page, or None if they take too long."""
    from crawler.politeness.bans import BanCheck, stored_answer

    version = store.version(VersionId(page.version_id))
    body = store.raw(version.raw_digest) if version is not None else None
    if version is None or body is None:
        return Tried(page.url, page.title, "", None, is_stored=False)
    verdict = process.run_task(BanCheck(rules, encoding, stored_answer(version, body)))
    ban = verdict.ban
    if verdict.has_slow_rules:
        return None
    return Tried(page.url, page.title, ban.rule.name if ban else "", ban.seen if ban else None)
