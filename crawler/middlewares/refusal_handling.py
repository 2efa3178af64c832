"""Downloader middlewares that recognise refusals and wait as the site demands. A refusal is never read as a page."""

from typing import Any
from urllib.parse import urljoin

from scrapy import Request
from scrapy.http import Response

from core.states import Rejection
from core.wording import Message
from crawler.context import get_context
from crawler.fetching.capture import decode_headers
from crawler.fetching.proxies import PROXY_META, USER_AGENT_META
from crawler.frontier import ROBOTS
from crawler.opening import Rejected
from crawler.politeness.bans import (
    Ban,
    BanCheck,
    BanJudge,
    BanVerdict,
    JudgedResponse,
    describe,
    retry_after_s,
    without_selectors,
)
from crawler.politeness.extension import get_politeness
from crawler.politeness.refusals import Postponed, RequestRefused
from crawler.selectors import MAX_SLOW_PAGES
from crawler.stats import SLOW_RULES

TIMES_META = "zhuiwen_refusals"
MAX_TRIES = 3  # per page, the same as for a page that does not respond


class RefusalsMiddleware:
    """Judges complete responses. It is below redirects by meta tag and retries, and above decompression."""

    def __init__(self, crawler: Any) -> None:
        self._crawler = crawler
        self._reader = get_context(crawler).reader
        self._stats = get_context(crawler).stats
        plan = get_context(crawler).plan
        self._rules, self._encoding = plan.politeness.bans, plan.encoding
        self._judge = BanJudge(self._rules, self._encoding)
        self._slow_pages = 0

    @classmethod
    def from_crawler(cls, crawler: Any) -> "RefusalsMiddleware":
        return cls(crawler)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        target = request.cb_kwargs.get("target")
        if target is None or target.kind == ROBOTS:
            return response
        answer = self._judged_response(request, response)
        if answer is None:
            return response
        ban = await self._judge_answer(answer)
        if ban is None:
            if response.status < 400:
                get_politeness(self._crawler).refusals.note_page()
            return response
        return self._retry_or_refuse(request, answer, ban)

    async def _judge_answer(self, answer: JudgedResponse) -> Ban | None:
        """Return the ban that a response is, or None. Raises RequestRefused if it cannot be read within the limits."""
        judge = self._judge
        if judge.is_quick(answer):
            return judge.verdict(answer)
        verdict = await self._reader.run(BanCheck(self._rules, self._encoding, answer))
        if isinstance(verdict, Rejected):
            raise RequestRefused(verdict.reason, verdict.message)
        assert isinstance(verdict, BanVerdict)
        if verdict.has_slow_rules:
            self._note_slow_rules()
        return verdict.ban

    def _note_slow_rules(self) -> None:
        """Count a page on which rules with selectors were slow.

        After several pages, drop these rules and report that.
        """
        self._slow_pages += 1
        if self._slow_pages == MAX_SLOW_PAGES:
            selectors = [rule.selector for rule in self._rules if rule.selector]
            self._stats.add_first(Message(SLOW_RULES, selectors=selectors))
            self._rules = without_selectors(self._rules)
            self._judge = BanJudge(self._rules, self._encoding)

    def _judged_response(self, request: Request, response: Response) -> JudgedResponse | None:
        been = (*request.meta.get("redirect_urls", [])[1:], response.url) if "redirect_urls" in request.meta else ()
        return JudgedResponse(response.url, response.status, decode_headers(response), response.body, been)

    def _retry_or_refuse(self, request: Request, answer: JudgedResponse, ban: Ban) -> Request:
        """Return the request that is repeated when the crawl resumes.

        Raises RequestRefused after MAX_TRIES refusals of a page, Postponed if the crawl ends.
        """
        politeness = get_politeness(self._crawler)
        sentence = describe(ban, answer.url)
        wait_s = retry_after_s(answer.headers, politeness.now())
        meta = request.meta
        politeness.refusals.note_ban(ban, sentence, wait_s, meta.get(PROXY_META, ""), meta.get(USER_AGENT_META, ""))
        if politeness.is_ending:
            raise Postponed(sentence)
        times = meta.get(TIMES_META, 0) + 1
        if times >= MAX_TRIES:
            raise RequestRefused(Rejection.BANNED, sentence)
        kept = {key: value for key, value in meta.items() if not key.startswith("redirect_")}
        again = request.replace(url=request.cb_kwargs["target"].url, dont_filter=True, meta=kept)
        again.meta[TIMES_META] = times
        return again


class RedirectedRefusalsMiddleware(RefusalsMiddleware):
    """Judges the target of a redirect before it is followed."""

    def _judged_response(self, request: Request, response: Response) -> JudgedResponse | None:
        location = (response.headers.get("Location") or b"").decode("latin-1")
        if not 300 <= response.status < 400 or not location:
            return None
        return JudgedResponse(response.url, response.status, {}, b"", (urljoin(response.url, location),))
