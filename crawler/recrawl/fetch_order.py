"""Orders the fetches of a run: lists come before the known pages, because lists may contain their dates."""

import asyncio
from collections.abc import Callable, Iterable

from core.pages import CrawlPlan
from core.visits import AddressKind, Visit
from crawler.frontier import FEED, PAGE, CrawlTarget, Frontier
from crawler.recrawl import policy
from crawler.recrawl.site_visits import SiteVisits

LIST_SHARE = 0.5  # of the page limit; further known lists wait for the next run, so that texts can be fetched
POLL_S, QUIET_POLLS = 0.05, 10  # while waiting for lists; if no request is made for half a second, a list has been lost


class FetchOrder:
    """Orders the URLs of a run, and waits for the lists that determine whether other URLs are due."""

    def __init__(self, visits: SiteVisits, plan: CrawlPlan) -> None:
        self._visits, self._plan = visits, plan
        self._lists: set[str] = set()  # the known lists in this run that have not been read

    def add_due(self, frontier: Frontier, follows: Callable[[str], bool]) -> None:
        """Add the due URLs of earlier runs to a new frontier, even if no page links to them.

        follows: returns True if the plan allows a URL
        """
        for visit in self._list_due_visits():
            if follows(visit.url):
                frontier.add_address(visit.url, visit.depth, PAGE)

    def split(self, targets: list[CrawlTarget]) -> tuple[list[CrawlTarget], list[CrawlTarget]]:
        """Return the URLs to fetch first, and the pages that wait for them.

        Known pages wait because lists may link to new pages, which are fetched before them. All pages wait for feeds,
        which may contain their texts.
        """
        first: list[CrawlTarget] = []
        later: list[CrawlTarget] = []
        has_feeds = any(target.kind == FEED for target in targets)
        for target in targets:
            (later if self._is_text(target) or (has_feeds and target.kind == PAGE) else first).append(target)
        self._lists = {target.url for target in first} if later else set()
        return first, later

    def expect_lists(self, targets: Iterable[CrawlTarget]) -> None:
        """Let `await_lists` also wait for these sitemaps and feeds, whose dates determine which known pages are due."""
        if self._lists:
            self._lists |= {target.url for target in targets if target.kind != PAGE}

    async def await_lists(self, is_quiet: Callable[[], bool]) -> None:
        """Wait until all URLs of the first part of `split` are read.

        is_quiet: returns True if no request is in progress.
        """
        quiet_polls = 0
        while self._lists and quiet_polls < QUIET_POLLS:
            await asyncio.sleep(POLL_S)
            quiet_polls = quiet_polls + 1 if is_quiet() else 0

    def settle(self, target: CrawlTarget) -> None:
        """Record that a URL failed, or was read with all its links."""
        self._lists.discard(target.url)

    def still_due(self, targets: list[CrawlTarget], frontier: Frontier) -> list[CrawlTarget]:
        """Return the `targets` to fetch now that the lists have been read: all but the known texts that are not due."""
        due = [target for target in targets if not self._is_text(target) or self._visits.should_fetch(target.url)]
        for target in {*targets} - {*due}:
            frontier.finish(target.url)
        return due

    def note_left(self, frontier: Frontier) -> None:
        """Record the pages that were found but not fetched, so that the next run begins with them."""
        for target in (target for target in frontier.pending() if target.kind == PAGE):
            self._visits.note_found(target.url, target.depth)

    def _is_text(self, target: CrawlTarget) -> bool:
        """Return True if earlier runs read the page of a target as a text and not as a list."""
        visit = self._visits.get(target.url) if target.kind == PAGE else None
        return visit is not None and visit.kind is AddressKind.DETAIL and target.url not in self._plan.start_urls

    def _list_due_visits(self) -> list[Visit]:
        """Return the known URLs that are due, the most important first."""
        visits = self._visits
        due = [visit for visit in visits.known.values() if policy.is_due(visit, visits.began_at, visits.rules)]
        due.sort(key=lambda each: (-visits.priority(each.url, each.depth), each.seen_at or each.found_at, each.id))
        lists = [visit for visit in due if visit.kind is AddressKind.LIST]
        lists.sort(key=lambda visit: (visit.seen_at or visit.found_at, visit.id))
        late = {visit.id for visit in lists[max(1, int(self._plan.max_pages * LIST_SHARE)) :]}
        return [visit for visit in due if visit.id not in late]
