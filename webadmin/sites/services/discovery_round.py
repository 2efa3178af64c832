"""Runs one round of searching for copies: sends sentences to the endpoint, and fetches and compares the results.

A round queries the endpoint at the operator's pace and within the daily budgets. It fetches a page only once, and only
if the site's robots.txt allows it.
"""

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

from protego import Protego

from core.errors import BadConfiguration, BadInput, RetryLater, ZhuiwenError
from core.ids import WorkTextId
from core.matches import Match, MatchClass
from core.pages import Reading
from core.settings import Settings
from core.wording import Message
from crawler.fetching.exchange import NoPage, fetch
from crawler.opening import Rejected
from crawler.readers.messages import Call
from crawler.readers.pages import SinglePage
from crawler.readers.reading_process import GivenUp, ReadingProcess
from crawler.sources.search import Result, SearchAnswer, require_answer, search
from crawler.sources.sitemaps import read_robots
from fingerprint.fingerprinting import fingerprint_text
from pipeline.steps import Ports
from webadmin.sites.models import DiscoveredPage, DiscoveryPlan, DiscoveryQuery
from webadmin.sites.services import discovery
from webadmin.sites.services.query_sentences import distinctive_sentences
from webadmin.works.models import Work

log = logging.getLogger("zhuiwen.discovery")

MAX_CANDIDATES = 10  # pages fetched for one query, the first screen of results
MAX_OF_HOST = 2  # pages fetched from one host for one query; the site's crawl fetches the others
CHAPTERS_LOOKED_AT = 20  # chapters tried until one has a suitable sentence
MAX_EXCERPT_CHARS = 300
# A round ends after this time, and the next one continues. It blocks a worker of the crawl queue for this time plus
# one page (two responses of 30 s and two readings). A step is stopped after 300 s (pipeline.app).
MAX_ROUND_S, MAX_READING_S = 150.0, 20.0


@dataclass(slots=True)
class Discovered:
    """The counts of one round. stopped: the reason why it ended before the budgets were spent, or None."""

    queries: int = 0
    results: int = 0
    fetched: int = 0
    proposed: int = 0
    stopped: Message | None = None


def discover(
    ports: Ports,
    settings: Settings,
    works: Collection[int] | None = None,
    on_progress: Callable[[Discovered], None] = lambda _: None,
    max_round_s: float = MAX_ROUND_S,
) -> Discovered:
    """Spend the remaining budgets of the plans, one query for each plan in turn, and return the counts.

    works: the keys of the works to search for, or None for all. on_progress: called with the counts after each query.
    Raises BadConfiguration if no endpoint is set or it returns no JSON, and IndexStale for an empty index. If the
    endpoint does not respond, the round ends, and `stopped` contains the reason.
    """
    if not settings.discovery.search_url:
        raise BadConfiguration("search.no-endpoint")
    with ReadingProcess(max_seconds=MAX_READING_S) as reader:
        return _SearchRun(ports, settings, reader, on_progress, time.monotonic() + max_round_s).run(works)


class _SearchRun:
    """A running round, with its counts and the rules of robots.txt that it has read."""

    def __init__(
        self,
        ports: Ports,
        settings: Settings,
        reader: ReadingProcess,
        on_progress: Callable[[Discovered], None],
        deadline: float,
    ) -> None:
        self._ports, self._settings, self._reader = ports, settings, reader
        self._on_progress, self._deadline = on_progress, deadline
        self._robots: dict[str, Protego | None] = {}
        self._exhausted: set[int] = set()
        self.done = Discovered()

    def run(self, works: Collection[int] | None) -> Discovered:
        while not self.done.stopped:
            now = self._ports.clock.now()
            if discovery.left_today_over_all(now) <= 0:
                break
            plans = [plan for plan in discovery.plans_with_budget(now, works) if plan.pk not in self._exhausted]
            if not plans:
                break
            self._send_query(plans[0])
            self._on_progress(self.done)
            if time.monotonic() > self._deadline:
                self.done.stopped = Message("search.time")
        return self.done

    def _send_query(self, plan: DiscoveryPlan) -> None:
        query = self._begin_query(plan)
        if query is None:
            self._exhausted.add(plan.pk)
            return
        self.done.queries += 1
        try:
            answer = search(self._settings.discovery.search_url, query.sentence, self._settings.crawl)
            require_answer(answer)
        except ZhuiwenError as error:
            discovery.end_query(query, 0, {}, error.message)
            if not isinstance(error, RetryLater):
                raise
            self.done.stopped = error.message
            return
        self.done.results += len(answer.results)
        left_out = self._check_candidates(plan, query, answer)
        discovery.end_query(query, len(answer.results), left_out)

    def _begin_query(self, plan: DiscoveryPlan) -> DiscoveryQuery | None:
        """Begin and return a query for the rarest unsent sentence of a chapter.

        Returns None if there is no suitable sentence or a budget is spent.
        """
        asked = discovery.asked_sentences(plan.work, self._ports.clock.now())
        for chapter in discovery.chapters_to_ask(plan.work, CHAPTERS_LOOKED_AT):
            text = self._ports.works.text(WorkTextId(chapter.text_id))
            if text and (found := distinctive_sentences(text, self._ports.index, self._ports.algorithm, 1, asked)):
                self._keep_pace()
                return discovery.begin_query(plan, chapter.number, found[0].text, self._ports.clock.now())
        return None

    def _keep_pace(self) -> None:
        """Sleep until the operator's delay has passed since the last query of any process."""
        last = discovery.last_query_time()
        if last is not None:
            since_s = (self._ports.clock.now() - last).total_seconds()
            time.sleep(min(max(0.0, self._settings.discovery.delay_s - since_s), self._settings.discovery.delay_s))

    def _check_candidates(self, plan: DiscoveryPlan, query: DiscoveryQuery, answer: SearchAnswer) -> dict[str, int]:
        """Fetch, compare and record the results of a query. Returns the numbers of results left out, by reason."""
        left_out: Counter[str] = Counter()
        of_host: Counter[str] = Counter()
        for result in answer.results:
            reason = discovery.reason_to_leave_out(plan.work, result.url, self._ports.clock.now())
            host = urlsplit(result.url).netloc
            if reason is None and (of_host[host] >= MAX_OF_HOST or of_host.total() >= MAX_CANDIDATES):
                reason = discovery.LeftOutReason.TOO_MANY
            if reason is None and time.monotonic() > self._deadline:
                reason = discovery.LeftOutReason.NO_TIME
            if reason is not None:
                left_out[reason.value] += 1
                continue
            of_host[host] += 1
            self._record_finding(plan.work, query, self._compare_result(plan.work, result))
        return dict(left_out)

    def _record_finding(self, work: Work, query: DiscoveryQuery, finding: discovery.CandidateMatch) -> None:
        page = discovery.record_finding(work, query, finding, self._ports.clock.now())
        if page is not None and page.state == DiscoveredPage.State.PROPOSED:
            self.done.proposed += 1

    def _compare_result(self, work: Work, result: Result) -> discovery.CandidateMatch:
        """Return the comparison of a result's page with the work, with a fault if the page cannot be read."""
        try:
            reading = self._read_result_page(work, result.url)
        except (BadInput, RetryLater) as error:
            return discovery.CandidateMatch(result.url, result.title, fault=error.message)
        title = reading.title or result.title
        best = self._best_match(work, reading.text)
        if best is None:
            return discovery.CandidateMatch(result.url, title)
        span = best.spans[0].page
        excerpt = reading.text[span.start : span.end][:MAX_EXCERPT_CHARS]
        return discovery.CandidateMatch(
            result.url, title, str(best.match_class), best.similarity, best.matched_chars, excerpt
        )

    def _read_result_page(self, work: Work, url: str) -> Reading:
        """Fetch and read a page. Raises BadInput or RetryLater if it cannot be read, or BadInput if it must not be."""
        if not self._may_fetch(url):
            raise BadInput("search.robots")
        self.done.fetched += 1
        page = fetch(url, self._settings.crawl)
        if urlsplit(page.url).netloc != urlsplit(url).netloc:
            reason = discovery.reason_to_leave_out(work, page.url, self._ports.clock.now())
            if reason is not None:
                raise BadInput("search.redirect", url=page.url, reason=reason.value)
        reading = self._reader.run_task(SinglePage(page.body, page.headers, page.url))
        if isinstance(reading, Rejected):
            raise BadInput(reading.message)
        return reading

    def _best_match(self, work: Work, text: str) -> Match | None:
        """Return the largest match of a page's text with a chapter of the work, or None. Quotations are ignored."""
        matches = self._ports.matcher.match(text, fingerprint_text(text, self._ports.algorithm))
        ours = set(work.chapters.values_list("text_id", flat=True))
        of_work = [
            match
            for match in matches
            if ours.intersection((match.text_id, *match.also)) and match.match_class is not MatchClass.QUOTATION
        ]
        return max(of_work, key=lambda match: match.matched_chars, default=None)

    def _may_fetch(self, url: str) -> bool:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots:
            self._robots[origin] = self._robots_rules(origin)
        rules = self._robots[origin]
        return rules is not None and bool(rules.can_fetch(url, self._settings.crawl.user_agent))

    def _robots_rules(self, origin: str) -> Protego | None:
        """Return the rules of robots.txt, or None if it cannot be read, which forbids all URLs (RFC 9309, 2.3.1.4)."""
        try:
            answer = fetch(f"{origin}/robots.txt", self._settings.crawl, "text/plain")
        except RetryLater:
            return None
        except NoPage:
            return Protego.parse("")
        try:
            rules: Protego = self._reader.run_task(Call(answer.url, read_robots, (answer.body,)))
        except GivenUp:
            return None
        return rules
