"""The `site try` command: tries a site's rules on one page from the web, or on its stored pages."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.counting import count_characters
from core.errors import BadInput
from core.ids import PageId, VersionId
from core.pages import CrawlCounts, CrawlPlan, Fetched, Reading, Stored
from core.wording import Message
from webadmin.ui.console.output import as_json, print_line, print_table
from webadmin.ui.console.session import session

if TYPE_CHECKING:
    from core import messages
    from crawler.readers.pages import WholePage
    from webadmin.sites.models import Site

LINKS_SHOWN = 3  # links printed for each position on the page; --json prints all
_TEXT_BY = {
    "scripts": "tracking.text-by-scripts",
    "data": "tracking.text-by-data",
    "selector": "tracking.text-by-selector",
    "thread": "tracking.text-by-thread",
}


def try_site(
    site: Annotated[str, typer.Argument(metavar="SITE")],
    url: Annotated[str, typer.Argument(metavar="[URL]")] = "",
    is_stored: Annotated[bool, typer.Option("--stored")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> int:
    """Try the refusal rules, proxies, login and browser of a site on one page. Nothing is stored."""
    with session() as settings:
        from webadmin import stores
        from webadmin.sites.services import politeness, watchlist
        from webadmin.sites.services import runs as crawls

        found = watchlist.find_site(site)
        if not url or is_stored:
            rules = [politeness.convert_ban_rule(rule) for rule in found.ban_rules.all()]
            return _print_tried(politeness.try_rules(found, rules, stores.page_store(), url), is_json)
        plan = _single_page_plan(found, url, crawls)
        _require_part(url, plan, settings.crawl)
        return _print_trial(*_run_trial(plan, settings.crawl), plan, is_json)


@dataclass
class _Kept:
    """A page store and outbox that only records the pages in memory."""

    pages: list[tuple[Fetched, Reading]] = field(default_factory=list)
    read: list["WholePage"] = field(default_factory=list)  # a page without text, then the rendered page

    def put(self, fetched: Fetched, reading: Reading) -> Stored:
        self.pages.append((fetched, reading))
        return Stored(PageId("try"), VersionId("try"), is_new_version=False)

    def put_many(self, pages: Sequence[tuple[Fetched, Reading]]) -> list[Stored]:
        return [self.put(fetched, reading) for fetched, reading in pages]

    def put_absence(self, fetched: Fetched, reason: object, *, is_gone: bool) -> None:
        return

    def send(self, message: "messages.StepMessage") -> None:
        return


def _single_page_plan(site: "Site", url: str, crawls: Any) -> CrawlPlan:
    """Return the crawl plan of a site for a single page, without hours and budgets, because a person requests it."""
    from webadmin.sites.models import CrawlRun

    plan: CrawlPlan = crawls.crawl_plan(site, CrawlRun(site=site))
    polite = replace(plan.politeness, windows="", budget=type(plan.politeness.budget)())
    hosts = plan.allowed_hosts or tuple(each.split("/", 3)[2] for each in plan.start_urls if "://" in each)
    return replace(
        plan, run_id="try", start_urls=(url,), allowed_hosts=hosts, use_sitemap=False, max_depth=0,
        page_patterns=(), deny_patterns=(), max_pages=1, politeness=polite,
    )  # fmt: skip


def _require_part(url: str, plan: CrawlPlan, settings: Any) -> None:
    """Raise BadInput if no crawl of the site would fetch the URL."""
    from crawler.fetching.addresses import AddressGuard
    from crawler.urls import scope

    AddressGuard(settings.allow_private_hosts).check_url(url)
    if not scope(plan).is_on_site(url):
        raise BadInput("tracking.not-part", url=url)


def _run_trial(plan: CrawlPlan, settings: Any) -> tuple[CrawlCounts, _Kept]:
    from crawler.run import CrawlServices, run_crawl

    kept = _Kept()
    services = CrawlServices(kept, kept)  # type: ignore[arg-type]
    counts = run_crawl(plan, services, settings, on_read=lambda url, page: kept.read.append(page))
    return counts, kept


def _print_trial(counts: CrawlCounts, kept: _Kept, plan: CrawlPlan, is_json: bool) -> int:
    page = kept.pages[0] if kept.pages else None
    faults: list[Message | str] = list(
        dict.fromkeys([*counts.faults, *([counts.end_sentence] if counts.end_sentence else [])])
    )
    if page is None and not faults:
        faults = [Message("tracking.no-main-text", url=plan.start_urls[0])]
    whole = next((each for each in kept.read if not each.is_shell), kept.read[-1] if kept.read else None)
    record = {
        "is_read": page is not None,
        "title": page[1].title if page else "",
        "chars": count_characters(page[1].text) if page else 0,
        "text_by": page[1].extractor if page else "",
        "is_rendered": whole is not None and whole.is_rendered,
        "parts": 1 + len(page[0].parts) if page else 0,
        "links": _link_records(whole),
        "refusals": counts.refusals,
        "login": _describe_login(plan, counts),
        "proxies": counts.proxies,
        "ended": counts.finish_reason,
        "faults": faults,
    }
    if is_json:
        as_json(record)
    else:
        read = Message("tracking.read", title=record["title"], chars=record["chars"])
        print_line(read if page else Message("tracking.none-read"))
        for line in _describe_reading(record):
            print_line(line)
        print_line(Message("tracking.login", state=record["login"]))
        for place, health in counts.proxies.items():
            print_line(
                Message("tracking.proxy", place=place, successes=health["successes"], failures=health["failures"])
            )
        for fault in faults:
            print_line(fault)
    return 0 if page else 1


def _link_records(page: "WholePage | None") -> list[dict[str, str]]:
    """Return the links on a page as records of URL and position; [] if there are none."""
    if page is None or page.links is None:
        return []
    found = page.links
    return [{"url": url, "place": found.place(url)} for url in (*found.next_pages, *found.chapters, *found.others)]


def _describe_reading(record: dict[str, Any]) -> list[Message]:
    """Return messages on how the text was extracted, and on the number of links in each position with the first few."""
    said = [Message("tracking.rendered")] if record["is_rendered"] else []
    if record["text_by"]:
        way = Message(_TEXT_BY.get(record["text_by"], "tracking.text-by-markup"))
        said.append(Message("tracking.text-by", way=way, extractor=record["text_by"]))
    if record["parts"] > 1:
        said.append(Message("tracking.parts", count=record["parts"]))
    for place in dict.fromkeys(link["place"] for link in record["links"]):
        urls = [link["url"] for link in record["links"] if link["place"] == place]
        said.append(
            Message(
                "tracking.links", place=Message(f"tracking.links-{place}"), count=len(urls), urls=urls[:LINKS_SHOWN]
            )
        )
    return said


def _describe_login(plan: CrawlPlan, counts: CrawlCounts) -> Message:
    if not plan.politeness.login.steps:
        return Message("tracking.login-none")
    return Message("tracking.login-fails" if counts.finish_reason == "login_failed" else "tracking.login-works")


def _print_tried(tried: list[Any], is_json: bool) -> int:
    if is_json:
        as_json([{**asdict(each), "seen": str(each.seen or "")} for each in tried])
        return 0
    if not tried:
        raise BadInput("tracking.none-stored")
    gone = Message("tracking.page-gone")
    rows = [(t.url, t.title, t.rule or ("-" if t.is_stored else gone), t.seen or "") for t in tried]
    with suppress(BrokenPipeError):
        print_table(("column.url", "column.title", "column.rule", "column.seen"), rows)
    refused = sum(bool(t.rule) for t in tried)
    print_line(Message("tracking.refusals", refused=refused, pages=len(tried)))
    return 0
