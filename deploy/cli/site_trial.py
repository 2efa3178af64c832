"""The verb `site try`: what a site's rules make of one page from the web, or of the pages that are stored."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import BadInput
from core.ids import PageId, VersionId
from core.pages import CrawlCounts, CrawlPlan, Fetched, Reading, Stored
from deploy.cli.output import as_json, say, table
from deploy.cli.session import session

if TYPE_CHECKING:
    from core.messages import Message
    from webadmin.models import Site


def register(group: typer.Typer) -> None:
    """Add the verb to `site`."""
    group.command("try")(try_site)


def try_site(
    site: Annotated[str, typer.Argument(metavar="SITE", help="its number or name")],
    url: Annotated[str, typer.Argument(metavar="[URL]", help="one page of it; none: those stored")] = "",
    is_stored: Annotated[bool, typer.Option("--stored", help="take the page as it is stored, ask nobody")] = False,
    is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> int:
    """Try the rules for refusals, the proxies, the login and the browser of a site; nothing is stored."""
    with session() as settings:
        from webadmin import catalogue, crawls, politeness, stores

        found = catalogue.find_site(site)
        if not url or is_stored:
            rules = [politeness.ban_rule(rule) for rule in found.ban_rules.all()]
            return _say_tried(politeness.try_rules(found, rules, stores.page_store(), url), is_json)
        plan = _plan_of(found, url, crawls)
        _require_part(url, plan, settings.crawl)
        return _say_trial(_trial(plan, settings.crawl), plan, is_json)


@dataclass
class _Kept:
    """A store and outbox that forget at the end."""

    pages: list[tuple[Fetched, Reading]] = field(default_factory=list)

    def put(self, fetched: Fetched, reading: Reading) -> Stored:
        self.pages.append((fetched, reading))
        return Stored(PageId("try"), VersionId("try"), is_new_page=True, is_new_version=False)

    def put_many(self, pages: Sequence[tuple[Fetched, Reading]]) -> list[Stored]:
        return [self.put(fetched, reading) for fetched, reading in pages]

    def send(self, message: "Message") -> None:
        return


def _plan_of(site: "Site", url: str, crawls: Any) -> CrawlPlan:
    """The site's plan for this page alone. Hours and budgets are for crawls; a person asks for one page."""
    from webadmin.models import CrawlRun

    plan: CrawlPlan = crawls.plan_of(site, CrawlRun(site=site))
    polite = replace(plan.politeness, windows="", budget=type(plan.politeness.budget)())
    hosts = plan.allowed_hosts or tuple(each.split("/", 3)[2] for each in plan.start_urls if "://" in each)
    return replace(
        plan, run_id="try", start_urls=(url,), allowed_hosts=hosts, use_sitemap=False, sitemap_urls=(), max_depth=0,
        page_patterns=(), deny_patterns=(), max_pages=1, politeness=polite,
    )  # fmt: skip


def _require_part(url: str, plan: CrawlPlan, settings: Any) -> None:
    """Raises BadInput for what no crawl of the site would ask for."""
    from crawler.fetching.addresses import AddressGuard
    from crawler.urls import scope

    AddressGuard(settings.allow_private_hosts).check_url(url)
    if not scope(plan).is_on_site(url):
        raise BadInput(f"{url} is not part of the site; add its host to the site's domains if it is")


def _trial(plan: CrawlPlan, settings: Any) -> tuple[CrawlCounts, _Kept]:
    from crawler.run import run_crawl

    kept = _Kept()
    return run_crawl(plan, kept, kept, settings), kept  # type: ignore[arg-type]


def _say_trial(trial: tuple[CrawlCounts, _Kept], plan: CrawlPlan, is_json: bool) -> int:
    counts, kept = trial
    page = kept.pages[0] if kept.pages else None
    faults = list(dict.fromkeys([*counts.faults, *([counts.end_sentence] if counts.end_sentence else [])]))
    if page is None and not faults:
        faults = [f"{plan.start_urls[0]} has no main text that can be read"]
    record = {
        "is_read": page is not None,
        "title": page[1].title if page else "",
        "chars": len(page[1].text) if page else 0,
        "refusals": [fault for fault in faults if "is a refusal by the rule" in fault],
        "login": _login_said(plan, counts),
        "proxies": counts.proxies,
        "ended": counts.finish_reason,
        "faults": faults,
    }
    if is_json:
        as_json(record)
    else:
        say(f"read: {record['title']} ({record['chars']} characters)" if page else "no page was read")
        say(f"login: {record['login']}")
        for place, health in counts.proxies.items():
            say(f"proxy {place}: {health['successes']} answered, {health['failures']} failed")
        for fault in faults:
            say(fault)
    return 0 if page else 1


def _login_said(plan: CrawlPlan, counts: CrawlCounts) -> str:
    if not plan.politeness.login.steps:
        return "none"
    return "does not work" if counts.finish_reason == "login_failed" else "works"


def _say_tried(tried: list[Any], is_json: bool) -> int:
    if is_json:
        as_json([asdict(each) for each in tried])
        return 0
    if not tried:
        raise BadInput("no page of the site is stored yet; crawl it first, or give a URL")
    rows = [(t.url, t.title, t.rule or ("-" if t.is_stored else "not stored any more"), t.seen) for t in tried]
    with suppress(BrokenPipeError):
        table(("url", "title", "rule", "seen"), rows)
    refused = sum(bool(t.rule) for t in tried)
    say(f"{refused} of {len(tried)} pages are refusals by these rules")
    return 0
