"""Creates checks of a case's page from the observations of a crawl."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from core.ids import Digest, VersionId
from core.pages import PageVersion
from core.ports import KeptPages
from core.visits import Absence, AbsenceReason
from core.wording import Message
from crawler.recrawl.absences import plain_text, redirect_target
from crawler.urls import canonical
from matcher.calibration import DEFAULT as CALIBRATION
from webadmin.cases.models import Case
from webadmin.notices.models import RemovalLook
from webadmin.notices.services.removals.passage_finder import PassageFinder, source_text
from webadmin.sites.models import Address
from webadmin.sites.services.runs import site_start_urls

# A longer page is more than a wall or a takedown note, as in crawler.politeness.bans.
MAX_NOTICE_CHARS = 400
# A shorter page cannot match, so that the absence of passages proves nothing.
MIN_CHARS = CALIBRATION.min_matched_tokens
# All lists are chosen, not measured. They contain phrases that Chinese and foreign sites display in place of a text
# that they withhold or have taken down.
WALLS = (
    *("登录", "登錄", "登入", "登陆", "注册", "註冊", "验证", "驗證", "订阅", "訂閱", "会员", "會員", "付费", "付費"),
    *("购买", "購買", "充值", "解锁", "解鎖", "下载app", "vip", "log in", "login", "sign in", "captcha", "subscribe"),
    *("繁忙", "稍后", "稍後", "维护", "維護", "数据库", "資料庫", "maintenance", "try again", "internal error"),
)
# Phrases that occur in no menu or footer. They indicate a wall even on a page that says that its content is absent.
DEMANDS = (
    *("请登录", "請登錄", "请先登录", "登录后", "登錄後", "登入后", "登入後", "验证码", "驗證碼", "安全验证"),
    *("订阅后", "付费", "付費", "购买", "購買", "充值", "解锁", "解鎖", "please log in", "sign in to", "captcha"),
    *("繁忙", "稍后", "稍後", "维护", "維護", "暂停", "数据库", "maintenance", "try again", "internal error"),
    "suspended",
)
# Whole phrases, because footers say "版权所有" or "copyright" on every page.
TAKEN_DOWN = (
    *("下架", "已删除", "已刪除", "被删除", "被刪除", "已移除", "已屏蔽", "因版权", "因版權", "版权原因", "版權原因"),
    *("版权方", "版權方", "涉嫌侵权", "涉嫌侵權", "侵权投诉", "侵權投訴", "has been removed", "been deleted"),
    *("no longer available", "copyright claim", "copyright infring"),
)
NOT_THERE = (
    *TAKEN_DOWN,
    *("不存在", "找不到", "未找到", "没有找到", "沒有找到", "无法找到", "無法找到", "已失效", "404", "not found"),
    "not exist",
)
Seen = RemovalLook.Seen
# Another page on the site must have been fetched within this time of a check, or the site counts as down. Chosen: a
# crawl fetches a page every few seconds, and a crawl of a single page fetches a second one.
WORKS_WITHIN = timedelta(hours=1)
# The process that records a visit has stored the page's response shortly before.
KEPT_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of page checks: the stored pages, and the finder of passages in them."""

    pages: KeptPages
    finder: PassageFinder


@dataclass(frozen=True, slots=True)
class PageOfCase:
    """The page of a case after a crawl. Its methods return checks without a case, which the caller must set."""

    case: Case
    address: Address
    sources: Sources

    def failed_look(self) -> RemovalLook:
        """Return the check for a failed visit."""
        assert self.address.failed_at is not None
        fault = self.address.sentence
        status = fault.params.get("status") if fault is not None else None
        return _unseen_look(self.address.failed_at, fault, status if isinstance(status, int) else None)

    def absence_look(self, answer: Absence) -> RemovalLook:
        """Return the check for a response that says that the page is absent.

        A response that the site also gives for nonexistent URLs may be a wall in front of all pages.
        """
        look = self._make_look(answer, answer.fetched_at, answer=answer)
        if answer.reason is AbsenceReason.NOT_FOUND_PAGE and not self._says_absent(answer):
            return _mark_unseen(look, Message("removal.may-be-wall"))
        return self._doubt_if_site_down(look)

    def _says_absent(self, answer: Absence) -> bool:
        """Return True if a response says that the page is absent, or redirects to a start page of the site."""
        if 300 <= answer.status < 400:
            target = redirect_target(dict(answer.headers), answer.final_url)
            start_urls = {canonical(url) for url in site_start_urls(self.case.site)}
            return target is not None and (urlsplit(target).path in {"", "/"} or target in start_urls)
        return says_absent(self._visible_text(answer))

    def _visible_text(self, answer: Absence) -> str:
        """Return the visible text of a response, or "" if it cannot be read."""
        source = self._source_text(answer.raw_digest, answer.headers, answer.final_url)
        body = self.sources.pages.raw(answer.raw_digest) or b""
        return plain_text(body, dict(answer.headers), answer.final_url) if source is not None else ""

    def unchanged_look(self) -> RemovalLook:
        """Return the check for a page whose version has a match of the case."""
        assert self.address.seen_at is not None
        return RemovalLook(at=self.address.seen_at, seen=Seen.STANDS, version_id=self.address.version_id)

    def cleared_look(self, answer: Absence | None, since: datetime) -> RemovalLook | None:
        """Return the check for a page without a match, or None if the crawl stored nothing to examine.

        answer: the stored response to a request for only this page, or None. since: a version fetched before this time
        proves nothing.
        """
        seen_at = self.address.seen_at
        assert seen_at is not None
        if answer is not None and seen_at - answer.fetched_at > KEPT_WITHIN:
            answer = None
        if not self.address.page_id and answer is not None:
            return self._look_without_text(answer)
        if self.address.page_id != self.case.page_id:
            led = Message("removal.led-elsewhere", url=self.address.page_url)
            return _unseen_look(seen_at, led if self.address.page_id else Message("removal.no-text"))
        version = self.sources.pages.version(VersionId(self.address.version_id))
        if version is None or (answer is None and version.fetched_at <= since):
            return None  # unchanged, so no response was stored as proof
        return self._look_without_passages(version, answer)

    def _look_without_passages(self, version: PageVersion, answer: Absence | None) -> RemovalLook:
        """Return the check for a page in which the comparison with all works found no passages.

        It searches the whole text and the responses for the passages again.
        """
        kept = answer if answer is not None else version
        look = self._make_look(kept, kept.fetched_at, Seen.CLEARED, answer, version.id)
        # The response of this check, and the responses of the text's following pages.
        sources = [self._source_text(kept.raw_digest, kept.headers, kept.final_url)]
        sources += [self._source_text(part.raw_digest, part.headers, part.url) for part in version.parts]
        why = find_wall(version.reading.text, version.text_digest, self.case.site_id, self.case.page_id)
        if len(version.parts) < self._decided_part_count():  # A missing part may contain the passages.
            why = Message("removal.part-missing")
        return self._search_texts(look, [version.reading.whole_text, *sources], why)

    def _decided_part_count(self) -> int:
        """Return the number of following pages that the text had when the case was decided."""
        decided = self.case.decided_version
        version = self.sources.pages.version(VersionId(decided)) if decided else None
        return len(version.parts) if version is not None else 0

    def _look_without_text(self, answer: Absence) -> RemovalLook:
        """Return the check for a response without a main text, such as a note that the text was taken down."""
        look = self._make_look(answer, answer.fetched_at, Seen.CLEARED, answer)
        source = self._source_text(answer.raw_digest, answer.headers, answer.final_url)
        shown = self._visible_text(answer)
        why = find_wall(shown, "", self.case.site_id, self.case.page_id)
        if why is None and not says_absent(shown):  # An error page has no text either.
            why = Message("removal.no-text")
        return self._search_texts(look, [source], why)

    def _search_texts(self, look: RemovalLook, texts: Iterable[str | None], why: Message | None) -> RemovalLook:
        """Search the texts for the passages, and return the check with the result.

        texts: None for each unreadable text. why: the reason why the page may not show its content, or None.
        """
        texts = list(texts)
        if self.sources.finder.count_characters(self.case, [text for text in texts if text]):
            look.seen = Seen.STANDS
            return look
        if None in texts:
            return _mark_unseen(look, Message("removal.unreadable"))
        if not self.sources.finder.has_all_texts(self.case):
            return _mark_unseen(look, Message("removal.no-work-text"))
        return _mark_unseen(look, why) if why is not None else self._doubt_if_site_down(look)

    def _doubt_if_site_down(self, look: RemovalLook) -> RemovalLook:
        """Return the check unchanged if another page on the site was available at the time, otherwise as not seen."""
        times = (look.at - WORKS_WITHIN, look.at + WORKS_WITHIN)
        others = Address.objects.filter(site=self.case.site_id, seen_at__range=times, absent_since=None)
        works = others.exclude(pk=self.address.pk).exclude(page_id=self.case.page_id).exists()
        return look if works else _mark_unseen(look, Message("removal.site-away"))

    def _source_text(self, digest: Digest, headers: Sequence[tuple[str, str]], url: str) -> str | None:
        body = self.sources.pages.raw(digest)
        return source_text(body, dict(headers), url, self.case.site.encoding) if body is not None else None

    @staticmethod
    def _make_look(
        kept: Absence | PageVersion,
        at: datetime,
        seen: str = Seen.GONE,
        answer: Absence | None = None,
        version: str = "",
    ) -> RemovalLook:
        named = {"answer_id": answer.id if answer is not None else "", "version_id": version}
        return RemovalLook(at=at, seen=seen, status=kept.status, final_url=kept.final_url, **named)


def _unseen_look(at: datetime, fault: Message | None, status: int | None = None) -> RemovalLook:
    return RemovalLook(at=at, seen=Seen.NOT_SEEN, fault=fault, status=status)


def _mark_unseen(look: RemovalLook, fault: Message) -> RemovalLook:
    look.seen, look.fault = Seen.NOT_SEEN, fault
    return look


def says_absent(text: str) -> bool:
    """Return True if a page's text says that its content is absent, without demanding a login or the like."""
    said = text.casefold()
    return any(word in said for word in NOT_THERE) and not any(word in said for word in DEMANDS)


def find_wall(text: str, text_digest: str, site: int, page: str) -> Message | None:
    """Return the reason why a page with this text does not show its content, or None if it does.

    text_digest: also found at another URL, it indicates a wall; "" to skip this test. site, page: keys of the page.
    """
    said, size = text.casefold(), len("".join(text.split()))
    is_notice = size <= MAX_NOTICE_CHARS
    if is_notice and (word := next((word for word in WALLS if word in said), "")):
        return Message("removal.wall", word=word)
    if is_notice and any(word in said for word in TAKEN_DOWN):
        return None
    if size < MIN_CHARS:
        return Message("removal.little-text", chars=size)
    elsewhere = Address.objects.filter(site=site, text_digest=text_digest).exclude(page_id__in=["", page])
    return Message("removal.same-elsewhere") if text_digest and elsewhere.exists() else None
