"""Distinguishes pages of a site from refusals that look like pages, by rules that can be tested on any page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from lxml.html import HtmlElement

from core.errors import BadConfiguration
from core.pages import PageVersion
from core.politeness import BanRule
from core.states import Rejection
from core.wording import Message
from crawler.characters.decoding import decode
from crawler.markup import UNSEEN, parse
from crawler.opening import decode_page
from crawler.patterns import UnusablePattern, UrlPattern
from crawler.selectors import select

MAX_RETRY_AFTER_S = 86_400.0  # a longer delay is a refusal and not a pause; the crawl tries again after a day
# Chosen, not measured: enough for a notice with its styles, and less than a page of a news site.
_MAX_NOTICE_BYTES = 32_768
_MAX_SHOWN_CHARS = 60
_NOT_TEXT = UNSEEN - {"title", "head", "noscript"}

# The rules that always apply, after those of the site. The words are those of common Chinese and foreign firewalls. A
# page with more than 400 visible characters is too long for such a notice, but may be an article about one.
BUILT_IN = (
    BanRule("429", statuses=(429,)),
    BanRule("503", statuses=(503,)),
    BanRule(
        "captcha",
        words=(
            "请输入验证码",
            "請輸入驗證碼",
            "滑动验证",
            "人机验证",
            "完成安全验证",
            "访问过于频繁",
            "訪問過於頻繁",
            "请求过于频繁",
            "操作过于频繁",
            "您的访问被拒绝",
            "访问行为异常",
            "检测到异常流量",
            "您的IP已被",
            "Checking your browser before",
            "Verify you are human",
            "unusual traffic from your",
            "Too Many Requests",
        ),
        max_chars=400,
    ),
)


@dataclass(frozen=True, slots=True)
class JudgedResponse:
    """A response to be judged.

    redirects: the targets of its redirects, in order
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    redirects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ban:
    """The rule that recognised a refusal, and what its conditions matched."""

    rule: BanRule
    seen: Message


@dataclass(frozen=True, slots=True)
class BanVerdict:
    """A verdict.

    ban: None for a page of the site. has_slow_rules: True if rules with selectors were skipped because they are slow
    """

    ban: Ban | None
    has_slow_rules: bool = False


@dataclass(frozen=True, slots=True)
class BanCheck:
    """A task of the reading process: judges whether a response is a refusal.

    Implements crawler.readers.messages.HasSimplerReading.
    """

    rules: tuple[BanRule, ...]
    encoding: str
    answer: JudgedResponse
    has_slow_rules: bool = False

    @property
    def url(self) -> str:
        return self.answer.url

    def simplify(self, reason: Message) -> "BanCheck | None":
        """Return the check without the rules that have a selector.

        If there are none, return it without the body and the rules that need the body; None if it has no body.
        """
        if any(rule.selector for rule in self.rules):
            return replace(self, rules=without_selectors(self.rules), has_slow_rules=True)
        rules = tuple(rule for rule in self.rules if not (rule.words or rule.max_chars))
        return replace(self, rules=rules, answer=replace(self.answer, body=b"")) if self.answer.body else None

    def run(self, session: object) -> BanVerdict:
        ban = BanJudge(self.rules, self.encoding).verdict(self.answer)
        return BanVerdict(ban, self.has_slow_rules and bool(self.answer.body))


class BanJudge:
    """Applies the rules of a site in order, and then the built-in rules."""

    def __init__(self, rules: Sequence[BanRule] = (), encoding: str = "") -> None:
        """Create a judge. Raises BadConfiguration that names each invalid rule."""
        faults = [fault for rule in rules for fault in rule_faults(rule)]
        if faults:
            raise BadConfiguration(faults)
        self._rules = (*rules, *BUILT_IN)
        self._encoding = encoding
        self._redirects = {rule: UrlPattern(rule.redirect) for rule in rules if rule.redirect}
        self._reads_long_pages = any(rule.words or rule.selector for rule in rules)
        self._has_selectors = any(rule.selector for rule in rules)

    def is_quick(self, answer: JudgedResponse) -> bool:
        """Return True if the verdict takes negligible time: at most, a short page is parsed; no selector is applied."""
        is_long = len(answer.body) > _MAX_NOTICE_BYTES
        return not answer.body or not (self._reads_long_pages if is_long else self._has_selectors)

    def verdict(self, answer: JudgedResponse) -> Ban | None:
        """Return the first rule that a response matches, or None if the response is a page of the site."""
        page = _LazyPage(answer, self._encoding)
        for rule in self._rules:
            if rule in BUILT_IN and rule.words and len(answer.body) > _MAX_NOTICE_BYTES:
                continue
            seen = self._match_rule(rule, answer, page)
            if seen:
                return Ban(rule, seen)
        return None

    def _match_rule(self, rule: BanRule, answer: JudgedResponse, page: "_LazyPage") -> Message | None:
        """Return what the conditions of a rule matched, or None if any of them does not match."""
        seen: list[Message] = []
        looks: tuple[tuple[object, Callable[[], Message | None]], ...] = (
            (rule.statuses, lambda: _status_sign(rule, answer)),
            (rule.redirect, lambda: self._redirect_sign(rule, answer)),
            (rule.words, lambda: _word_sign(rule, page)),
            (rule.selector, lambda: _element_sign(rule, page)),
            (rule.max_chars, lambda: _shortness_sign(rule, page)),
        )
        for is_asked, look in looks:
            found = look() if is_asked else None
            if is_asked and found is None:
                return None
            seen += [found] if found else []
        return Message("refusal.seen", seen=seen) if seen else None

    def _redirect_sign(self, rule: BanRule, answer: JudgedResponse) -> Message | None:
        pattern = self._redirects[rule]
        url = next((url for url in answer.redirects if pattern.matches(url)), None)
        return Message("refusal.redirect", url=url) if url is not None else None


class _LazyPage:
    """The text and tree of a response. It is parsed when a rule first needs them."""

    def __init__(self, answer: JudgedResponse, encoding: str) -> None:
        self._answer, self._encoding = answer, encoding
        self._tree: HtmlElement | None = None
        self._text: str | None = None

    @property
    def tree(self) -> HtmlElement | None:
        self._read_page()
        return self._tree

    @property
    def text(self) -> str:
        self._read_page()
        return self._text or ""

    def _read_page(self) -> None:
        if self._text is not None:
            return
        answer = self._answer
        content_type = next((value for name, value in answer.headers.items() if name.lower() == "content-type"), "")
        decoded = decode_page(answer.body, content_type, answer.url, self._encoding)
        markup = getattr(decoded, "text", "")
        if not markup:  # a notice of a few Latin words may be too short for the detection of its charset
            again = decode(answer.body, "utf-8", self._encoding)
            markup = "" if isinstance(again, Rejection) else again.text
        self._tree = parse(markup) if "<" in markup else None
        self._text = markup if self._tree is None else _visible_text(self._tree)


def stored_answer(version: PageVersion, body: bytes) -> JudgedResponse:
    """Convert a stored page to the response that it was."""
    is_redirected = str(version.final_url) != str(version.requested_url)
    redirects = (str(version.final_url),) if is_redirected else ()
    return JudgedResponse(version.final_url, version.status, dict(version.headers), body, redirects)


def without_selectors(rules: Sequence[BanRule]) -> tuple[BanRule, ...]:
    """Return the rules that have no selector."""
    return tuple(rule for rule in rules if not rule.selector)


def rule_faults(rule: BanRule) -> list[Message]:
    """Return the errors in a rule, except that it is slow (crawler.rule_checks)."""
    faults: list[Message] = []
    if not (rule.statuses or rule.words or rule.selector or rule.redirect):
        faults.append(Message("refusal.no-condition", rule=rule.name))
    wrong = [status for status in rule.statuses if not 100 <= status <= 599]
    if wrong:
        faults.append(Message("refusal.no-such-status", rule=rule.name, status=wrong[0]))
    try:
        if rule.redirect:
            UrlPattern(rule.redirect)
    except UnusablePattern as fault:
        faults.append(Message("refusal.pattern", rule=rule.name, fault=fault))
    empty = parse("<html><body></body></html>")
    try:
        if rule.selector and empty is not None:
            select(empty, rule.selector)
    except BadConfiguration as fault:
        faults.append(Message("refusal.rule", rule=rule.name, fault=fault))
    return faults


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the pause that a response requests, in seconds from `now` (RFC 9110, 10.2.3); None if it requests none.

    >>> retry_after_s({"Retry-After": "120"}, datetime(2026, 11, 1, tzinfo=UTC))
    120.0
    >>> retry_after_s({"retry-after": "Sun, 01 Nov 2026 00:01:00 GMT"}, datetime(2026, 11, 1, tzinfo=UTC))
    60.0
    >>> retry_after_s({"Retry-After": "soon"}, datetime(2026, 11, 1, tzinfo=UTC)) is None
    True
    """
    value = next((text.strip() for name, text in headers.items() if name.lower() == "retry-after"), "")
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), MAX_RETRY_AFTER_S)
    try:
        at = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    moment = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max((moment - now).total_seconds(), 0.0), MAX_RETRY_AFTER_S)


def describe(ban: Ban, url: str) -> Message:
    """Return a message about a refusal for the operator. url: the URL that was refused."""
    return Message("refusal.by-rule", url=url, rule=ban.rule.name, seen=ban.seen)


def _status_sign(rule: BanRule, answer: JudgedResponse) -> Message | None:
    return Message("refusal.status", status=answer.status) if answer.status in rule.statuses else None


def _word_sign(rule: BanRule, page: _LazyPage) -> Message | None:
    text = page.text.casefold()
    found = next((word for word in rule.words if word.casefold() in text), "")
    return Message("refusal.word", word=found) if found else None


def _element_sign(rule: BanRule, page: _LazyPage) -> Message | None:
    if page.tree is None or not select(page.tree, rule.selector):
        return None
    return Message("refusal.element", selector=rule.selector[:_MAX_SHOWN_CHARS])


def _shortness_sign(rule: BanRule, page: _LazyPage) -> Message | None:
    size = len("".join(page.text.split()))
    return Message("refusal.shortness", chars=size) if size <= rule.max_chars else None


def _visible_text(tree: HtmlElement) -> str:
    """Return the title and the text of a page, without scripts and styles."""
    pieces: list[str] = []
    for element in tree.iter():
        if isinstance(element.tag, str) and element.tag not in _NOT_TEXT and element.text:
            pieces.append(element.text)
        if element.tail:
            pieces.append(element.tail)
    return " ".join(pieces)
