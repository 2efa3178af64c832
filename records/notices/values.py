"""What a notice is filled with: fields that people write, and lists that follow from its pages."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Min

from core.addressees import Paper
from core.chapters import numbers_named
from core.contacts import ContactKind
from core.shares import percentage
from papers.comparison_table import TITLE
from papers.kinds import FIELDS
from papers.word_template import Row, Values
from records.models import (
    Addressee,
    Case,
    CaseMatch,
    ContactRead,
    EvidenceBundle,
    HolderIdentity,
    HolderPaper,
    Notice,
    Site,
    Work,
)

_HELD = (EvidenceBundle.State.HELD, EvidenceBundle.State.CHANGED)
_STOP = (
    "一、立即停止传播上述内容，并删除全部侵权页面；\n二、不再以任何方式传播上述作品；\n"
    "三、收到本函后书面答复处理结果，并说明该内容的来源和传播情况。"
)
_REMOVE = "请在接到本通知后立即删除上述网络地址的内容，或者断开与该内容的链接，并将本通知转送提供该内容的服务对象。"
_DECLARATION = "权利人保证本通知的内容真实，并对其真实性承担法律责任。"
_GOOD_FAITH = (
    "I have a good faith belief that use of the material in the manner complained of is not authorized by the "
    "copyright owner, its agent, or the law."
)
_ACCURACY = (
    "The information in this notification is accurate, and under penalty of perjury, I am authorized to act on behalf "
    "of the owner of an exclusive right that is allegedly infringed."
)


def written_at_first(site: Site, kind: Paper, cases: Sequence[Case], today: date) -> dict[str, str]:
    """The fields of a new draft, from what is entered of the rights holder and the site; people go on from there."""
    is_english = kind is Paper.DMCA
    written = {
        "site_name": site.name,
        "site_domains": "、".join(site.domains.order_by("pk").values_list("host", flat=True)),
        "site_record": _record_of(site),
        "facts": _facts(site, cases),
        "demands": _STOP if kind is Paper.LETTER else _REMOVE,
        "declaration": _DECLARATION,
        "good_faith": _GOOD_FAITH,
        "accuracy": _ACCURACY,
        "date": f"{today:%B} {today.day}, {today.year}"
        if is_english
        else f"{today.year}年{today.month}月{today.day}日",
        **_holder(HolderIdentity.objects.filter(rights_holder=site.rights_holder_id).first()),
    }
    return {field.code: written.get(field.code, "") for field in FIELDS if not field.columns}


def _record_of(site: Site) -> str:
    """The record number that the site states, as it was read last."""
    rows = ContactRead.objects.filter(site=site, kind=ContactKind.ICP).order_by("-read_at", "pk")
    return rows.values_list("value", flat=True).first() or ""


def of_addressee(addressee: Addressee | None) -> dict[str, str]:
    """The fields of whom a notice goes to; none where nobody is chosen."""
    if addressee is None:
        return {}
    return {
        "addressee_name": addressee.legal_name or addressee.name,
        "addressee_address": addressee.postal_address,
        "addressee_postcode": addressee.postcode,
        "addressee_email": addressee.email,
        "addressee_phone": addressee.phone,
        "addressee_fax": addressee.fax,
    }


def _day(at: date) -> str:
    return f"{at.year}年{at.month}月{at.day}日"


def _holder(identity: HolderIdentity | None) -> dict[str, str]:
    if identity is None:
        return {}
    return {
        "holder_name": identity.legal_name,
        "holder_identity": identity.identity,
        "holder_representative": identity.representative,
        "holder_address": identity.address,
        "holder_postcode": identity.postcode,
        "contact_person": identity.contact_person,
        "holder_phone": identity.phone,
        "holder_email": identity.email,
        "holder_fax": identity.fax,
        "agent_name": identity.agent_name,
        "agent_contact": identity.agent_contact,
    }


def _facts(site: Site, cases: Sequence[Case]) -> str:
    """A paragraph for each work: since when, on how many pages, how much of it."""
    by_work: dict[int, list[Case]] = defaultdict(list)
    for case in cases:
        by_work[case.work_id].append(case)
    return "\n".join(_facts_of_work(site, of) for of in by_work.values())


def _facts_of_work(site: Site, cases: Sequence[Case]) -> str:
    work = cases[0].work
    first = min(case.first_seen_at for case in cases).astimezone(ZoneInfo(settings.TIME_ZONE))
    return (
        f"经比对，“{site.name}”有 {len(cases)} 个网页未经许可刊载《{work.title}》的内容，最早于"
        f"{_day(first)}发现；各网页所载部分及其占原文的比例见网络地址表，逐字比对见《侵权比对表》。"
    )


def all_values(notice: Notice, papers: Iterable[HolderPaper], zone: ZoneInfo) -> Values:
    """Every field of a notice: what people wrote, and the lists. zone: of the times in the lists."""
    cases = cases_of(notice)
    language = "en" if notice.kind == Paper.DMCA else "zh"
    papers = list(papers)
    return {
        **{field.code: str(notice.values.get(field.code, "")) for field in FIELDS if not field.columns},
        "works": _works(cases, papers),
        "addresses": [_address(number, case, zone) for number, case in enumerate(cases, 1)],
        "attachments": [
            {"number": str(number), "name": name}
            for number, name in enumerate([TITLE.in_language(language), *(paper.name for paper in papers)], 1)
        ],
    }


def cases_of(notice: Notice) -> list[Case]:
    """The cases of its pages, with all that a notice says of them."""
    cases = Case.objects.filter(notice_pages__notice=notice).order_by("notice_pages__pk")
    return list(cases.select_related("work", "page", "page__site", "decision", "matter", "rights_holder"))


def _works(cases: Sequence[Case], papers: Iterable[HolderPaper]) -> list[Row]:
    proofs: dict[int | None, list[str]] = defaultdict(list)
    for paper in papers:
        if paper.kind == HolderPaper.Kind.OWNERSHIP:
            proofs[paper.work_id].append(paper.name)
    works = {case.work_id: case.work for case in cases}
    return [
        {
            "title": f"《{work.title}》",
            "author": work.author,
            "proof": "、".join([*proofs[key], *proofs[None]]),
            "published": _first_published(work),
        }
        for key, work in works.items()
    ]


def _first_published(work: Work) -> str:
    first = work.chapters.aggregate(at=Min("published_at"))["at"]
    return first.astimezone(ZoneInfo(settings.TIME_ZONE)).date().isoformat() if first else ""


def _address(number: int, case: Case, zone: ZoneInfo) -> Row:
    match = main_match(case)
    bundle = newest_bundle(case)
    return {
        "number": str(number),
        "url": case.page_url,
        "title": case.page_title,
        "work": f"《{case.work.title}》",
        "chapters": _chapters(case),
        "share": percentage(case.work_share),
        "seen": moment(case.first_seen_at, zone),
        "fetched": moment(bundle.fetched_at if bundle else match.fetched_at if match else case.last_seen_at, zone),
        "digest": f"SHA-256 {bundle.sha256}" if bundle else "",
    }


def _chapters(case: Case) -> str:
    of_version = case.matches.filter(version_id=case.version_id, chapter__isnull=False)
    numbers = set(of_version.values_list("chapter__number", flat=True))
    return f"第{numbers_named(sorted(numbers))}章" if numbers else ""


def main_match(case: Case) -> CaseMatch | None:
    """The match of the version compared last that has most of the page."""
    matches = case.matches.filter(version_id=case.version_id).select_related("chapter")
    return matches.order_by("-matched_chars", "pk").first()


def newest_bundle(case: Case) -> EvidenceBundle | None:
    return case.bundles.filter(version_id=case.version_id, state__in=_HELD).order_by("-made_at", "-pk").first()


def moment(at: datetime, zone: ZoneInfo) -> str:
    """With the offset: a paper is read in another zone."""
    here = at.astimezone(zone)
    offset = f"{here:%z}"
    return f"{here:%Y-%m-%d %H:%M:%S} {offset[:3]}:{offset[3:]}"
