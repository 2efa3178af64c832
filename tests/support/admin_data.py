"""A realistic admin database: rights holders, people, works, sites, runs, pages, cases. The texts are our own.

`fill_world()` makes two rights holders that must never see each other, each with a reviewer and a manager, plus an
administrator; the single factories below it make one thing each with sensible defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction
from pytest_django import DjangoDbBlocker

from core.addressees import AddresseeRole, Paper
from core.contacts import ContactKind, ContactSource
from core.ids import CanonicalUrl, PageId, SiteId, digest, page_id, version_id, work_text_id
from core.matches import ChangeKind, MatchClass, RewordedClass, RewordedState
from core.obfuscations import Obfuscation
from core.states import CaseState, Rejection, Verdict
from core.taken import Places
from core.wording import Message
from matcher.reworded.record import CURRENT
from webadmin.accounts.models import Membership, RightsHolder, User
from webadmin.cases.models import Case, CaseMatch, Exclusion, IgnoredText, Matter, PageCheck, TakenText, VerdictRecord
from webadmin.cases.services.matters.figures import refresh
from webadmin.evidence.models import EvidenceBundle, RetentionLog
from webadmin.notices.models import Addressee, HolderIdentity, HolderPaper, Notice, NoticePage, PaperTemplate
from webadmin.notices.services.kept_files import add_paper
from webadmin.rewrites.models import RewordedLead, RewordedVerdict
from webadmin.sites.models import (
    Address,
    ArchiveImport,
    ContactRead,
    CrawlRun,
    DiscoveredPage,
    DiscoveryPlan,
    DiscoveryQuery,
    PageRecord,
    Site,
    SiteDomain,
    SiteMove,
)
from webadmin.works.models import AuthorAlias, Chapter, Licence, OwnAccount, OwnDomain, Work
from webadmin.works.services.work_length import recount

PASSWORD = "lantern-harbour-92"
SLOW = Message("core.verbatim", text="https://slow.example/9 did not answer in 30 s")  # as another program said it
NOW = datetime(2026, 3, 10, 4, 0, tzinfo=UTC)  # noon in Shanghai
ALGORITHM_ID = 1

WORK_TEXT = (
    "渡口的灯是在立冬那天熄的。老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋，比上个月少了两袋。\n"
    "他没有声张，只把账本合上，压在枕头底下。江面起了雾，对岸的码头像一行被水洇开的字，看得见，读不出。\n"
    "夜里有人敲舱板，三下，停一停，又两下。那是他和弟弟约好的暗号，可弟弟已经走了十一年。\n"
    "老周披衣起来，提着马灯走到船头。雾里站着一个孩子，赤着脚，怀里抱着一只湿透的布包。\n"
    "“我爹说，把这个交给撑船的。”孩子把布包放下，转身就走，脚步声落在木板上，却没有留下一点水迹。\n"
    "布包里是一叠旧船票，日期都是立冬，年份一年接着一年，最后一张，写着明天。\n"
)
TAKEN_CHARS = 190  # of WORK_TEXT, in every case
ADVERT = "本章未完，请记住本站网址继续阅读。"
HOMOPHONES = {"渡": "度", "雾": "务", "账": "帐", "码": "马", "暗": "按", "票": "漂"}
ZERO_WIDTH = "\u200b"


def holder(name: str = "长河文学") -> RightsHolder:
    return RightsHolder.objects.create(name=name, contact="版权部 copyright@example.cn")


def user(name: str, of: RightsHolder | None = None, role: str = Membership.Role.REVIEWER) -> User:
    """A person with a role for a rights holder; without one, a person who belongs to nobody."""
    person = User.objects.create(username=name, email=f"{name}@example.cn", password=_hashed_password(), is_staff=True)
    if of is not None:
        Membership.objects.create(user=person, rights_holder=of, role=role)
    return person


def administrator(name: str = "admin") -> User:
    return User.objects.create(
        username=name, email=f"{name}@example.cn", password=_hashed_password(), is_staff=True, is_superuser=True
    )


@cache
def _hashed_password() -> str:
    """Hash once: it takes a good part of a second, as it should, and every world has five people."""
    return make_password(PASSWORD)


def work(of: RightsHolder, title: str = "渡口夜灯", chapters: int = 1, text: str = WORK_TEXT) -> Work:
    made = Work.objects.create(rights_holder=of, title=title, author="林栖", kind=Work.Kind.NOVEL)
    for number in range(1, chapters + 1):
        chapter_text = text if number == 1 else f"{title} {number}\n{text}"
        Chapter.objects.create(
            work=made,
            number=number,
            title=f"第{number}章 立冬",
            text_id=work_text_id(chapter_text),
            chars=len(chapter_text),
            indexed_at=NOW - timedelta(days=30) if number % 2 else None,
        )
    recount([made.pk])
    made.refresh_from_db()
    return made


def licence(of: RightsHolder, licensee: str = "青檐书城", domain: str = "read.example.com", **fields: Any) -> Licence:
    given = {"number": "HT-2026-017", "valid_from": date(2026, 1, 1), "valid_until": date(2026, 12, 31)}
    return Licence.objects.create(rights_holder=of, licensee=licensee, domain=domain, **{**given, **fields})


def own_domain(of: RightsHolder, domain: str = "www.example.cn") -> OwnDomain:
    return OwnDomain.objects.create(rights_holder=of, domain=domain)


def own_account(of: RightsHolder, platform: str = "知乎", **fields: Any) -> OwnAccount:
    given = fields or {"address": "https://www.zhihu.example/people/linqi"}
    return OwnAccount.objects.create(rights_holder=of, platform=platform, **given)


def author_alias(of: RightsHolder, author: str = "林栖", alias: str = "栖木") -> AuthorAlias:
    return AuthorAlias.objects.create(rights_holder=of, author=author, alias=alias)


def addressee(of: RightsHolder, name: str = "落霞网络科技有限公司", *sites: Site, **fields: Any) -> Addressee:
    given = {"role": AddresseeRole.STORES, "email": "tousu@luoxia.example.net"}
    made = Addressee.objects.create(rights_holder=of, name=name, **{**given, **fields})
    made.sites.set(sites)
    return made


def contact(
    of: Site, kind: str = ContactKind.EMAIL, value: str = "kefu@luoxia.example.net", **fields: Any
) -> ContactRead:
    given = {"source": ContactSource.PAGE, "where": f"{of.start_urls}about", "first_read_at": NOW, "read_at": NOW}
    return ContactRead.objects.create(site=of, kind=kind, value=value, **{**given, **fields})


def site(of: RightsHolder, name: str = "落霞小说网", host: str = "luoxia.example.net", **fields: Any) -> Site:
    made = Site.objects.create(rights_holder=of, name=name, start_urls=f"https://{host}/", **fields)
    SiteDomain.objects.create(site=made, host=host)
    return made


def run(of: Site, state: str = CrawlRun.State.FINISHED, due_at: datetime = NOW, **fields: Any) -> CrawlRun:
    """A crawl run in any state, with the figures that a finished one has."""
    given: dict[str, Any] = {"trigger": CrawlRun.Trigger.SCHEDULE}
    if state in {CrawlRun.State.FINISHED, CrawlRun.State.FAILED}:
        given |= {
            "started_at": due_at,
            "heartbeat_at": due_at + timedelta(minutes=7),
            "finished_at": due_at + timedelta(minutes=7),
            "pages_fetched": 84,
            "pages_stored": 61,
            "new_versions": 12,
            "failed_requests": 2,
            "counts": {"requested": 90, "fetched": 84, "rejected": {"robots": 3, "no_main_text": 20}, "unchanged": 49},
            "faults": [not_fetched(f"https://{of.name}.example/9"), SLOW],
            "finish_reason": Message("run.finished" if state == CrawlRun.State.FINISHED else "crawl.died"),
        }
    return CrawlRun.objects.create(site=of, state=state, due_at=due_at, **{**given, **fields})


def page(of: Site, number: int = 1, title: str = "", seen: datetime = NOW, **fields: Any) -> PageRecord:
    url = f"{of.start_urls.splitlines()[0]}book/{number}.html"
    key = page_id(SiteId(str(of.pk)), CanonicalUrl(url))
    title = title or f"第{number}章 立冬 - {of.name}"
    given: dict[str, Any] = {
        "version_id": version_id(PageId(key), page_text(number), title),
        "chars": len(page_text(number)),
        "encoding": "gb18030" if number % 2 else "utf-8",
        "extractor": "trafilatura",
        "confidence": 0.9,
        "checked_at": seen,
    }
    made = PageRecord.objects.create(
        page_id=key, site=of, url=url, title=title, first_seen=seen, last_seen=seen, **{**given, **fields}
    )
    PageCheck.objects.create(
        version_id=made.version_id,
        page=made,
        algorithm_id=ALGORITHM_ID,
        corpus_revision=1,
        checked_at=seen,
        appeared_at=seen,
    )
    return made


@dataclass
class _Copy:
    """A page text being made out of a work text, with every change noted; offsets in code points of either text."""

    text: str = ""
    changes: list[list[Any]] = field(default_factory=list)

    def put(self, kind: ChangeKind | None, page_part: str, work_start: int, work_end: int) -> None:
        start = len(self.text)
        self.text += page_part
        if kind is not None:
            self.changes.append([str(kind), start, len(self.text), work_start, work_end])


def _copied(work_text: str, number: int) -> _Copy:
    """The page's copy of a work text: homophones, a zero-width character, an advertisement and a lost sentence."""
    copy = _Copy(f"第{number}章 立冬\n")
    lost_start = work_text.find("他没有声张")
    lost_end = work_text.find("江面起了雾")
    position = 0
    while position < len(work_text):
        char = work_text[position]
        if position == lost_start >= 0:
            copy.put(ChangeKind.DELETED, "", lost_start, lost_end)
            position = lost_end
            continue
        if char in HOMOPHONES:
            copy.put(ChangeKind.HOMOPHONE, HOMOPHONES[char], position, position + 1)
        else:
            copy.put(None, char, position, position + 1)
        position += 1
        if position % 47 == 0:
            copy.put(ChangeKind.NOISE, ZERO_WIDTH, position, position)
        if position % 151 == 0:
            copy.put(ChangeKind.INSERTED, ADVERT, position, position)
    return copy


def page_text(number: int = 1) -> str:
    """The whole main text of page `number`."""
    return _copied(WORK_TEXT, number).text + f"\n{ADVERT}\n"


def spans(number: int = 1) -> list[dict[str, Any]]:
    """The frozen passages of page `number` against WORK_TEXT, with true offsets and excerpts."""
    copy = _copied(WORK_TEXT, number)
    start = len(f"第{number}章 立冬\n")
    return [
        {
            "page": [start, len(copy.text)],
            "work": [0, len(WORK_TEXT)],
            "similarity": 0.9412,
            "page_excerpt": copy.text[start:],
            "work_excerpt": WORK_TEXT,
            "changes": copy.changes,
        }
    ]


OBFUSCATIONS = [
    {"kind": str(Obfuscation.ZERO_WIDTH), "count": 6, "example": "米袋\u200b，一共"},
    {"kind": str(Obfuscation.HOMOPHONE), "count": 9, "example": "度口"},
    {"kind": str(Obfuscation.TEXT_INSERTED), "count": 2, "example": ADVERT},
]


def case(
    of: PageRecord, about: Work, number: int = 1, with_match: bool = True, *, counted: bool = True, **fields: Any
) -> Case:
    """A case on `of` with its frozen match; the figures vary with `number` so that lists have something to sort.

    counted: the figures of its matter are written; otherwise the caller does so.
    """
    classes = [member for member in MatchClass if member is not MatchClass.QUOTATION]
    given: dict[str, Any] = {
        "match_class": classes[number % len(classes)],
        "similarity": 0.99 - (number % 40) / 100,
        "page_containment": 0.9,
        "taken_chars": TAKEN_CHARS,
        "matched_chars": 240 + number,
        "longest_equal_run_chars": 46,
        "obfuscations": OBFUSCATIONS[: number % 4],
        "opened_at": of.first_seen,
        "first_seen_at": of.first_seen,
        "last_seen_at": of.last_seen,
    }
    matter, _ = Matter.objects.get_or_create(site=of.site, work=about, defaults={"rights_holder": about.rights_holder})
    made = Case.objects.create(
        matter=matter,
        rights_holder=about.rights_holder,
        work=about,
        page=of,
        page_url=of.url,
        page_title=of.title,
        version_id=of.version_id,
        **{**given, **fields},
    )
    if with_match:
        match(made, number)
        places = Places.from_starts(range(made.taken_chars)).pack()
        TakenText.objects.create(case=made, text_id=made.matches.get().text_id, places=places)
    if counted:
        refresh([matter.pk])
    return made


def match(of: Case, number: int = 1) -> CaseMatch:
    chapter = of.work.chapters.first()
    return CaseMatch.objects.create(
        case=of,
        chapter=chapter,
        chapter_title=chapter.title if chapter else "",
        version_id=of.version_id,
        fetched_at=of.opened_at,
        final_url=of.page_url,
        text_id=chapter.text_id if chapter else work_text_id(WORK_TEXT),
        algorithm_id=ALGORITHM_ID,
        corpus_revision=1,
        code_version="0.1.0",
        raw_digest=digest(of.page_url.encode()),
        page_text_digest=digest(page_text(number).encode()),
        work_text_digest=digest(WORK_TEXT.encode()),
        match_class=of.match_class,
        similarity=of.similarity,
        page_containment=of.page_containment,
        work_containment=0.8,
        matched_chars=of.matched_chars,
        longest_equal_run_chars=of.longest_equal_run_chars,
        spans=spans(number),
        obfuscations=of.obfuscations,
        found_at=of.opened_at,
    )


def decided(
    of: Case,
    by: User,
    verdict: Verdict = Verdict.CONFIRMED,
    note: str = "逐字相同",
    at: datetime = NOW,
    *,
    counted: bool = True,
) -> Case:
    """The case with a verdict already given, and its record; counted: as `case` has it."""
    record = VerdictRecord.objects.create(
        case=of, verdict=verdict, note=note, decided_by=by, decided_at=at, page_version_id=of.page.version_id
    )
    Case.objects.filter(pk=of.pk).update(state=verdict.state, decision=record, decided_as=str(verdict))
    if counted:
        refresh([of.matter_id])
    of.refresh_from_db()
    return of


def exclusion(of: PageRecord, about: Work, reason: Rejection = Rejection.LICENSED, at: datetime = NOW) -> Exclusion:
    return Exclusion.objects.create(
        page=of,
        work=about,
        page_url=of.url,
        reason=reason,
        detail="青檐书城 HT-2026-017",
        match_class=MatchClass.IDENTICAL,
        similarity=1.0,
        matched_chars=290,
        found_at=at,
    )


# WORK_TEXT in other words, its first sentences in another order, with one at either end that it has not.
REWORDED_TEXT = (
    "江上的老渡口，许多人只在梦里还见过。\n"
    "货舱里还剩 17 袋米，上月可是十九袋，老周点完了数，先把绳子在第三根桩子上绑牢。\n"
    "到了立冬，渡口便不再点灯。\n"
    "账目他藏到枕头下面，一声也没有吭。雾气漫上江面，对岸码头只剩一行化开的墨迹。\n"
    "后来的人都说，那一夜什么也没有发生。\n"
)
_REWORDED_PAIRS = (
    ("货舱里还剩", "先把绳子在第三根桩子上绑牢。", "老周把船缆系", "比上个月少了两袋。", 0.62),
    ("到了立冬", "不再点灯。", "渡口的灯", "熄的。", 0.81),
    ("账目他藏", "没有吭。", "他没有声张", "枕头底下。", 0.44),
    ("雾气漫上", "墨迹。", "江面起了雾", "读不出。", 0.23),
)


def lead(of: PageRecord, about: Work, **fields: Any) -> RewordedLead:
    """A page that may say in other words what WORK_TEXT says."""

    def places(page_from: str, page_to: str, work_from: str, work_to: str, strength: float) -> list[Any]:
        page, work = REWORDED_TEXT, WORK_TEXT
        ends = page.index(page_to, page.index(page_from)) + len(page_to), work.index(work_to) + len(work_to)
        return [page.index(page_from), ends[0], work.index(work_from), ends[1], strength]

    chapter = about.chapters.first()
    given: dict[str, Any] = {
        "chapter": chapter,
        "chapter_title": chapter.title if chapter else "",
        "text_id": chapter.text_id if chapter else work_text_id(WORK_TEXT),
        "found_as": RewordedClass.REWORDED,
        "score": 71.4,
        "elsewhere": 6.2,
        "band": "middle",
        "band_alarms": 11,
        "band_passages": 10_461,
        "pairs": [places(*each) for each in _REWORDED_PAIRS],
        "pair_count": 4,
        "sentence_count": 6,
        "in_order": 3,
        "algorithm_version": CURRENT.version,
        "ingredients": {"weights": digest(b"weights"), "tokenizer": digest(b"tokenizer")},
        "code_version": "0.1.0",
        "version_id": of.version_id,
        "fetched_at": of.last_seen,
        "raw_digest": digest(of.url.encode()),
        "page_text_digest": digest(REWORDED_TEXT.encode()),
        "work_text_digest": digest(WORK_TEXT.encode()),
        "found_at": NOW,
    }
    return RewordedLead.objects.create(
        page=of, rights_holder=of.rights_holder, site=of.site, work=about, page_url=of.url, page_title=of.title,
        **{**given, **fields},
    )  # fmt: skip


def judged_lead(of: PageRecord, about: Work, by: User, note: str = "逐句改写") -> RewordedLead:
    """A translation that a person has confirmed."""
    made = lead(of, about, found_as=RewordedClass.TRANSLATED, state=RewordedState.CONFIRMED, band="low", score=48.0)
    RewordedVerdict.objects.create(
        lead=made, verdict=made.state, note=note, score=made.score, algorithm_version=CURRENT.version,
        page_version_id=made.version_id, decided_by=by, decided_at=NOW,
    )  # fmt: skip
    return made


def ignored_text(of: Site, by: User, text: str) -> IgnoredText:
    """Noise of a site."""
    return IgnoredText.objects.create(
        rights_holder=of.rights_holder,
        site=of,
        text=text,
        reason=IgnoredText.Reason.NOISE,
        page_url=f"{of.start_urls}book/1.html",
        entered_by=by,
        entered_at=NOW,
    )


def address(of: PageRecord) -> Address:
    """The address that a page was fetched from, which failed once since."""
    return Address.objects.create(
        id=digest(f"address of {of.pk}".encode())[:40],
        site=of.site,
        url=of.url,
        depth=1,
        kind=Address.Kind.DETAIL,
        found_at=of.first_seen,
        seen_at=of.last_seen,
        due_at=of.last_seen + timedelta(days=1),
        page_id=of.pk,
        page_url=of.url,
        version_id=of.version_id,
        looks=4,
        unchanged_looks=3,
        failures=1,
        failed_at=NOW,
        reason=Rejection.HTTP_ERROR,
        sentence=not_fetched(of.url),
    )


def not_fetched(url: str) -> Message:
    """A fault with a reason in it."""
    return Message("core.not-fetched", url=url, reason=Message("search.robots"))


def site_move(of: Site, to_host: str) -> SiteMove:
    """A proposed move of a site to another host."""
    host = of.domains.order_by("pk")[0].host
    evidence = {
        "start_pages_led": 1,
        "pages_led": 2,
        "same_place": 2,
        "known_pages": 6,
        "shared_texts": 2,
        "compared": 2,
        "alike": 2,
        "template": 0.93,
        "examples": [[f"https://{host}/book/1.html", f"https://{to_host}/book/1.html"]],
    }
    return SiteMove.objects.create(site=of, from_host=host, to_host=to_host, evidence=evidence, proposed_at=NOW)


def archive_import(of: Site, name: str) -> ArchiveImport:
    """An archive file of a site that was read to its end."""
    return ArchiveImport.objects.create(
        rights_holder=of.rights_holder,
        site=of,
        path=f"/srv/imports/{name}",
        size_bytes=73_400_320,
        state=ArchiveImport.State.FINISHED,
        counts={"records": 120, "stored": 61, "new_versions": 12},
        faults=[Message("core.unreadable", path=name, reason=Message("intake.damaged", kind=".warc"))],
        heartbeat_at=NOW,
        finished_at=NOW,
    )


def discovery_query(about: Work, sentence: str) -> DiscoveryQuery:
    """A sentence that a search engine answered."""
    return DiscoveryQuery.objects.create(
        work=about,
        chapter_number=1,
        sentence=sentence,
        state=DiscoveryQuery.State.ANSWERED,
        asked_at=NOW - timedelta(hours=2),
        results=8,
        left_out={"own_site": 1, "licensed": 2},
    )


def discovered_page(of: DiscoveryQuery, host: str, title: str) -> DiscoveredPage:
    """A page that copies the work of a query, and waits for a person."""
    url = f"https://{host}/read/1.html"
    return DiscoveredPage.objects.create(
        work=of.work,
        query=of,
        url=url,
        url_digest=digest(url.encode()),
        host=host,
        title=title,
        match_class=MatchClass.LIGHTLY_EDITED,
        similarity=0.94,
        matched_chars=260,
        excerpt=page_text(1)[:120],
        found_at=NOW - timedelta(hours=1),
    )


@dataclass
class Estate:
    """All that belongs to one rights holder."""

    holder: RightsHolder
    reviewer: User
    manager: User
    works: list[Work]
    sites: list[Site]
    pages: list[PageRecord]
    cases: list[Case]
    addressee: Addressee
    identity: HolderIdentity
    paper: HolderPaper
    notice: Notice
    run: CrawlRun
    exclusion: Exclusion
    lead: RewordedLead


@dataclass
class World:
    """Two estates that must never see each other, and the administrator, who sees both."""

    ours: Estate
    theirs: Estate
    administrator: User


def fill_estate(name: str, tag: str, cases: int = 6) -> Estate:
    """One of everything that a rights holder has; `tag` stands in each name, title and URL, to look for leaks."""
    owner = holder(name)
    reviewer = user(f"{tag}-reviewer", owner, Membership.Role.REVIEWER)
    manager = user(f"{tag}-manager", owner, Membership.Role.MANAGER)
    works = [work(owner, f"{tag}·渡口夜灯", chapters=3), work(owner, f"{tag}·雪线以北")]
    sites = [
        site(owner, f"{tag}·落霞小说网", f"luoxia.{tag}.example"),
        site(owner, f"{tag}·云笺阁", f"yunjian.{tag}.example"),
    ]
    finished = run(sites[0], due_at=NOW - timedelta(days=1))
    run(sites[0], CrawlRun.State.MISSED, due_at=NOW - timedelta(days=2))
    run(sites[1], CrawlRun.State.RUNNING, due_at=NOW, started_at=NOW, heartbeat_at=NOW)
    # Rights before there are cases that would be ruled by each of them.
    licence(owner, f"{tag}·青檐书城", f"licensed.{tag}.example", work=works[0])
    own_domain(owner, f"own.{tag}.example")
    own_account(owner, f"{tag} 社区", address=f"https://{tag}.example/people/1")
    author_alias(owner, f"{tag} 林栖")
    pages, opened = [], []
    for number in range(cases):
        seen = NOW - timedelta(hours=7 * number)
        record = page(sites[number % 2], number, seen=seen, obfuscations=OBFUSCATIONS[:1] if number % 3 else [])
        pages.append(record)
        opened.append(case(record, works[number % 2], number, counted=False))
    if cases > 1:
        decided(opened[1], reviewer, counted=False)
    if cases > 2:
        decided(opened[2], reviewer, Verdict.FALSE_ALARM, "同题不同文", counted=False)
    refresh({each.matter_id for each in opened})
    innocent = page(sites[0], 9001, title=f"{tag} 书评", rejection=Rejection.NO_MATCH, is_encoding_doubtful=True)
    licensed = page(sites[1], 9002, title=f"{tag} 授权转载")
    pages += [innocent, licensed]
    judged_lead(licensed, works[1], reviewer)
    ignored_text(sites[0], reviewer, f"{tag}·请收藏本站网址")
    address(pages[0])
    site_move(sites[0], f"new.{tag}.example")
    archive_import(sites[0], f"{tag}-2026-03.warc.gz")
    DiscoveryPlan.objects.create(work=works[0])
    asked = discovery_query(works[0], f"{tag}·老周把船缆系在第三根桩上")
    discovered_page(asked, f"found.{tag}.example", f"{tag}·渡口夜灯 全文阅读")
    own = _taken_back(f"{tag}-模板.docx", manager)
    PaperTemplate.objects.create(rights_holder=owner, kind=Paper.LETTER, **own)
    return Estate(
        holder=owner,
        reviewer=reviewer,
        manager=manager,
        works=works,
        sites=sites,
        pages=pages,
        cases=opened,
        addressee=addressee(owner, f"{tag} 网络科技", sites[0], email=f"ts@{tag}.example"),
        identity=HolderIdentity.objects.create(rights_holder=owner, **{**IDENTITY, "legal_name": f"{name}网络公司"}),
        paper=HolderPaper.objects.create(
            rights_holder=owner, kind=HolderPaper.Kind.OWNERSHIP, **_taken_back(f"{tag}-登记证书.pdf", manager)
        ),
        notice=notice(opened[0], reviewer),
        run=finished,
        exclusion=exclusion(licensed, works[0]),
        lead=lead(innocent, works[0]),
    )


def evidence_bundle(of: Case, **fields: Any) -> EvidenceBundle:
    """A row of evidence on the first match of a case; the bundle itself is in no store."""
    match = of.matches.order_by("pk")[0]
    given = {
        "case": of,
        "match": match,
        "version_id": match.version_id,
        "digest": digest(f"bundle of {match.pk} {sorted(fields)}".encode()),
        "sha256": digest(f"file of {match.pk}".encode()),
        "size_bytes": 48_213,
        "fetched_at": match.fetched_at,
        "day": match.fetched_at.date(),
        "made_at": match.fetched_at + timedelta(minutes=1),
    }
    return EvidenceBundle.objects.create(**{**given, **fields})


def notice(of: Case, by: User, **fields: Any) -> Notice:
    """A draft that names the page of a case."""
    given = {"kind": Paper.ARTICLE_14, "values": {}, "drafted_by": by, "drafted_at": NOW}
    made = Notice.objects.create(rights_holder=of.rights_holder, site=of.page.site, **{**given, **fields})
    NoticePage.objects.create(notice=made, case=of)
    return made


IDENTITY = {
    "legal_name": "长河文学网络公司",
    "identity": "营业执照，统一社会信用代码 91310000MA1K35XK7Q",
    "address": "上海市徐汇区某路 1 号",
    "phone": "021-55550100",
    "email": "rights@changhe.example",
}


def _taken_back(name: str, by: User) -> dict[str, Any]:
    """A file that goes with nothing: its bytes are in no store."""
    facts = {"name": name, "digest": digest(name.encode()), "size": 9, "added_by": by}
    return {**facts, "withdrawn_at": NOW, "withdrawn_by": by}


def removal(of: EvidenceBundle) -> RetentionLog:
    """Evidence that retention removed."""
    EvidenceBundle.objects.filter(pk=of.pk).update(state=EvidenceBundle.State.REMOVED)
    return RetentionLog.objects.create(bundle=of, removed_at=NOW, reason="kept for at least 10 years")


def fill_world(cases: int = 6) -> World:
    """Two rights holders, tagged `changhe` and `beidou`, with `cases` cases each."""
    return World(
        fill_estate("changhe 长河文学", "changhe", cases),
        fill_estate("beidou 北斗日报", "beidou", cases),
        administrator(),
    )


def kept_world(blocker: DjangoDbBlocker, fill: Callable[[], World | Estate]) -> Iterator[World | Estate]:
    """What `fill` writes, for the tests of a module: in a transaction around theirs, undone at its end.

    For tests that take a copy of it (`deepcopy`), and fill in no world of their own.
    """
    with blocker.unblock():
        around = transaction.atomic()
        around.__enter__()
        made = fill()
    yield made
    with blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)


def open_cases(world: World) -> list[Case]:
    return [item for item in world.ours.cases if item.state == CaseState.OPEN]


def keep_paper(holder: RightsHolder, kind: str, name: str, content: bytes, by: User, **facts: Any) -> HolderPaper:
    """A document of a rights holder. facts: its work and the days on which it is valid."""
    return add_paper(HolderPaper(rights_holder=holder, kind=kind, **facts), name, content, by)
