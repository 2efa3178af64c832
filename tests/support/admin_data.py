"""A realistic admin database: rights holders, people, works, sites, runs, pages, cases. The texts are our own.

`fill_world()` makes two rights holders that must never see each other, each with a reviewer and a manager, plus an
administrator; the single factories below it make one thing each with sensible defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction
from pytest_django import DjangoDbBlocker

from core.addressees import AddresseeRole, Paper
from core.contacts import ContactKind, ContactSource
from core.ids import CanonicalUrl, PageId, SiteId, digest, page_id, version_id, work_text_id
from core.matches import MatchClass, RewordedClass, RewordedState
from core.states import CaseState, Rejection, Verdict
from core.taken import Places
from matcher.reworded.record import CURRENT
from tests.support.copied_texts import (
    OBFUSCATIONS,
    REWORDED_TEXT,
    TAKEN_CHARS,
    WORK_TEXT,
    page_text,
    reworded_pairs,
    spans,
)
from tests.support.crawl_rows import NOW, address, archive_import, discovered_page, discovery_query, run, site_move
from webadmin.accounts.models import Membership, RightsHolder, User
from webadmin.cases.models import Case, CaseMatch, Exclusion, IgnoredText, Matter, PageCheck, TakenText, VerdictRecord
from webadmin.cases.services.matters.figures import refresh_matters
from webadmin.evidence.models import EvidenceBundle, RetentionLog
from webadmin.notices.models import Addressee, HolderIdentity, HolderPaper, Notice, NoticePage, PaperTemplate
from webadmin.notices.services.kept_files import add_paper
from webadmin.rewrites.models import RewordedLead, RewordedVerdict
from webadmin.sites.models import ContactRead, CrawlRun, DiscoveryPlan, PageRecord, Site, SiteDomain
from webadmin.works.models import AuthorAlias, Chapter, Licence, OwnAccount, OwnDomain, Work
from webadmin.works.services.work_length import recount

PASSWORD = "lantern-harbour-92"
ALGORITHM_ID = 1


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
        refresh_matters([matter.pk])
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
        refresh_matters([of.matter_id])
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


def lead(of: PageRecord, about: Work, **fields: Any) -> RewordedLead:
    """A page that may say in other words what WORK_TEXT says."""
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
        "pairs": reworded_pairs(),
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
    refresh_matters({each.matter_id for each in opened})
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
    """Yield what `fill` writes, for the tests of a module: in a transaction around theirs, undone at its end.

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
