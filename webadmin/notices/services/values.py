"""Computes the values of a notice: the fields that users write, and the lists derived from its pages."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db.models import Count, F, Min
from django.utils import timezone

from core.addressees import ANSWER_DAYS, Paper
from core.chapters import format_chapter_numbers
from core.contacts import ContactKind
from core.rights import account_key
from core.shares import format_percentage
from core.terms import BUNDLE_DIGEST, FILE_DIGEST
from webadmin.cases.models import Case, CaseMatch
from webadmin.cases.services.addresses import ListedAddress, list_addresses, list_addresses_of_cases
from webadmin.evidence.models import EvidenceBundle
from webadmin.notices.models import Addressee, HolderIdentity, HolderPaper, Notice
from webadmin.notices.services.comparison_table import TITLE
from webadmin.notices.services.legal_fields import FIELDS
from webadmin.notices.services.word_template import Row, Values
from webadmin.sites.models import ContactRead, Site
from webadmin.works.models import Work
from webadmin.works.services.aliases import names_of_author

_HELD = (EvidenceBundle.State.HELD, EvidenceBundle.State.CHANGED)
_NOTHING = "—"  # the value of an unknown list entry
_STOP = (
    "1. 立即停止传播上述内容，删除全部侵权页面；\n2. 不再以任何方式传播上述作品；\n"
    "3. 书面说明上述内容的来源、上线时间和传播情况。"
)
# From the Copyright Law (2020) and the Regulation on the Right of Communication through Information Networks, quoted in
# docs/notices.md.
_RIGHT = "《中华人民共和国著作权法》第十条第一款第（十二）项规定的信息网络传播权"
_STOP_BASIS = (
    f"未经许可通过信息网络向公众提供他人作品，侵害{_RIGHT}。依照该法第五十二条、第五十三条和《信息网络传播权保护条例》"
    "第十八条，贵方应当承担停止侵害、消除影响、赔礼道歉、赔偿损失等民事责任；赔偿数额依照该法第五十四条确定。"
)
_REMOVE_BASIS = (
    f"上述内容未经权利人许可通过信息网络向公众提供，侵害{_RIGHT}。依照《信息网络传播权保护条例》第十五条和《中华人民共和国"
    "民法典》第一千一百九十五条，网络服务提供者接到通知后应当及时采取删除、断开链接等必要措施，并将通知转送相关用户。"
)
_OWNED = "权利人对上述作品享有信息网络传播权，权属证明见附件。"
_SIGNED = (
    "上述作品的权属以作品上的署名为初步证据：依照《中华人民共和国著作权法》第十二条第一款，在作品上署名的自然人、法人或者非法人组织"
    "为作者，且该作品上存在相应权利，但有相反证明的除外。"
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


def initial_values(site: Site, kind: Paper, cases: Sequence[Case], today: date) -> dict[str, str]:
    """Return the initial fields of a draft from the rights holder, the site and the cases. Users edit them.

    today: the date of the notice.
    """
    is_english = kind is Paper.DMCA
    written = {
        "site_name": site.name,
        "site_domains": "、".join(site.domains.order_by("pk").values_list("host", flat=True)),
        "site_record": _icp_record(site),
        "facts": _facts_paragraphs(site, cases),
        "legal_basis": _STOP_BASIS if kind is Paper.LETTER else "" if is_english else _REMOVE_BASIS,
        "demands": _STOP if kind is Paper.LETTER else _REMOVE,
        "answer_days": str(ANSWER_DAYS),
        "declaration": _DECLARATION,
        "good_faith": _GOOD_FAITH,
        "accuracy": _ACCURACY,
        "date": f"{today:%B} {today.day}, {today.year}" if is_english else _format_day(today),
        **_holder_values(HolderIdentity.objects.filter(rights_holder=site.rights_holder_id).first()),
    }
    return {field.code: written.get(field.code, "") for field in FIELDS if not field.columns}


def _icp_record(site: Site) -> str:
    """Return the ICP record number read last on a site, or ""."""
    rows = ContactRead.objects.filter(site=site, kind=ContactKind.ICP).order_by("-read_at", "pk")
    return rows.values_list("value", flat=True).first() or ""


def addressee_values(addressee: Addressee | None) -> dict[str, str]:
    """Return the fields about the addressee, or {} if none is chosen."""
    if addressee is None:
        return {}
    return {
        "answer_days": str(addressee.answer_days or ANSWER_DAYS),
        "addressee_name": addressee.legal_name or addressee.name,
        "addressee_address": addressee.postal_address,
        "addressee_postcode": addressee.postcode,
        "addressee_email": addressee.email,
        "addressee_phone": addressee.phone,
        "addressee_fax": addressee.fax,
    }


def _format_day(at: date) -> str:
    return f"{at.year}年{at.month}月{at.day}日"


def _holder_values(identity: HolderIdentity | None) -> dict[str, str]:
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


def _facts_paragraphs(site: Site, cases: Sequence[Case]) -> str:
    """Return one paragraph for each work, with the number of pages and the date of the first finding."""
    by_work: dict[int, list[Case]] = defaultdict(list)
    for case in cases:
        by_work[case.work_id].append(case)
    return "\n".join(_facts_of_work(site, of) for of in by_work.values())


def _facts_of_work(site: Site, cases: Sequence[Case]) -> str:
    work = cases[0].work
    first = min(case.first_seen_at for case in cases).astimezone(timezone.get_default_timezone())
    return (
        f"经比对，“{site.name}”有 {len(cases)} 个网页{_address_count(cases)}未经许可刊载《{work.title}》的内容，最早于"
        f"{_format_day(first)}发现；各网页所载部分及其占原文的比例见网络地址表，逐字比对见《侵权比对表》。"
    )


def _address_count(cases: Sequence[Case]) -> str:
    """Return the number of URLs in Chinese, or "" if it is not larger than the number of pages."""
    count = sum(len(_keep_shown(listed)) for listed in list_addresses_of_cases(cases).values())
    return f"（共 {count} 个网址）" if count > len(cases) else ""


def shown_addresses(case: Case) -> list[ListedAddress]:
    """Return the URLs of a case that display its text. The URL of its page is always included, as the first."""
    return _keep_shown(list_addresses(case))


def _keep_shown(listed: Sequence[ListedAddress]) -> list[ListedAddress]:
    own, *others = listed
    return [own, *(each for each in others if each.is_shown)]


def all_values(notice: Notice, papers: Iterable[HolderPaper], zone: ZoneInfo) -> Values:
    """Return all values of a notice: fields and lists.

    papers: the enclosed documents. zone: the time zone of times in the lists.
    """
    cases = notice_cases(notice)
    language = "en" if notice.kind == Paper.DMCA else "zh"
    papers = list(papers)
    written = {field.code: str(notice.values.get(field.code, "")) for field in FIELDS if not field.columns}
    signed = _works_signed_by_holder(cases, {written["holder_name"], notice.rights_holder.name})
    is_explained = bool(written["ownership"].strip())
    if language == "zh" and not is_explained:
        is_signed = all(case.work_id in signed for case in cases)
        written["ownership"] = _OWNED if not works_without_proof(cases, papers) else _SIGNED if is_signed else ""
    otherwise = {case.work_id: "见下文" if is_explained else signed.get(case.work_id, _NOTHING) for case in cases}
    works = _work_rows(cases, papers, otherwise if language == "zh" else {})
    return {
        **written,
        "works": works,
        "addresses": _address_rows(cases, zone, language),
        "attachments": [
            {"number": str(number), "name": name}
            for number, name in enumerate([TITLE.in_language(language), *(paper.name for paper in papers)], 1)
        ],
    }


def notice_cases(notice: Notice) -> list[Case]:
    """Return the cases of a notice, sorted by work and chapter, with the relations that a notice needs."""
    rows = Case.objects.filter(notice_pages__notice=notice).order_by("notice_pages__pk")
    return sort_cases(list(rows.select_related("work", "page", "page__site", "decision", "matter", "rights_holder")))


def sort_cases(cases: Sequence[Case]) -> list[Case]:
    """Return the cases sorted by work and then by first chapter."""
    of_versions = CaseMatch.objects.filter(case__in=cases, version_id=F("case__version_id"), chapter__isnull=False)
    first = dict(of_versions.order_by().values_list("case").annotate(Min("chapter__number")))
    return sorted(cases, key=lambda case: (case.work_id, first.get(case.pk, 0)))


def works_without_proof(cases: Sequence[Case], papers: Iterable[HolderPaper]) -> list[Work]:
    """Return the works of the cases for which no document proves the ownership."""
    proved = {paper.work_id for paper in papers if paper.kind == HolderPaper.Kind.OWNERSHIP}
    works = {case.work_id: case.work for case in cases}
    return [] if None in proved else [work for key, work in works.items() if key not in proved]


def _works_signed_by_holder(cases: Sequence[Case], holder: Iterable[str]) -> dict[int, str]:
    """Return the proof of ownership ("作品署名") for each work whose author is the rights holder, by key of the work.

    holder: the names of the rights holder. All names entered for the author are compared.
    """
    own = {account_key(name) for name in holder} - {""}
    works = {case.work_id: case.work for case in cases}
    signed = (key for key, work in works.items() if own & {account_key(name) for name in names_of_author(work)})
    return dict.fromkeys(signed, "作品署名")


def _work_rows(cases: Sequence[Case], papers: Iterable[HolderPaper], otherwise: Mapping[int, str]) -> list[Row]:
    """Return a row for each work.

    otherwise: the proof of ownership for works without a document, by key of the work.
    """
    proofs: dict[int | None, list[str]] = defaultdict(list)
    for paper in papers:
        if paper.kind == HolderPaper.Kind.OWNERSHIP:
            proofs[paper.work_id].append(paper.name)
    works = {case.work_id: case.work for case in cases}
    return [
        {
            "title": f"《{work.title}》",
            "author": work.author or _NOTHING,
            "proof": "、".join([*proofs[key], *proofs[None]]) or otherwise.get(key, ""),
            "published": _first_published(work) or _NOTHING,
        }
        for key, work in works.items()
    ]


def works_without_date(cases: Sequence[Case]) -> list[Work]:
    """Return the works of the cases without a known date of publication."""
    works = {case.work_id: case.work for case in cases}
    return [work for work in works.values() if not _first_published(work)]


def _first_published(work: Work) -> str:
    first = work.chapters.aggregate(at=Min("published_at"))["at"]
    return first.astimezone(timezone.get_default_timezone()).date().isoformat() if first else ""


def _address_rows(cases: Sequence[Case], zone: ZoneInfo, language: str) -> list[Row]:
    """Return a row for each page, read with a fixed number of queries."""
    listed, bundles, colon = (
        list_addresses_of_cases(cases),
        newest_bundles(cases),
        ":\n" if language == "en" else "：\n",
    )
    fetched: dict[int, datetime] = {}
    numbers: dict[int, set[int]] = defaultdict(set)
    matches = CaseMatch.objects.filter(case__in=cases, version_id=F("case__version_id"))
    matches = matches.order_by("-matched_chars", "pk")
    for case_id, at, chapter in matches.values_list("case", "fetched_at", "chapter__number"):
        fetched.setdefault(case_id, at)
        if chapter is not None:
            numbers[case_id].add(chapter)
    divided = Work.objects.filter(pk__in={case.work_id for case in cases}).alias(of=Count("chapters")).filter(of__gt=1)
    in_chapters = set(divided.order_by().values_list("pk", flat=True))
    rows = list[Row]()
    for number, case in enumerate(cases, 1):
        bundle = bundles.get(case.pk)
        at = bundle.fetched_at if bundle else fetched.get(case.pk, case.last_seen_at)
        row = {
            "number": str(number),
            "url": _format_urls(case, _keep_shown(listed[case.pk]), zone, language),
            "title": case.page_title,
            "work": f"《{case.work.title}》",
            "chapters": _format_chapters(numbers[case.pk], language) if case.work_id in in_chapters else "",
            "share": format_percentage(case.work_share),
            "seen": format_with_offset(case.first_seen_at, zone),
            "fetched": format_with_offset(at, zone),
            "digest": "\n".join(f"{name}{colon}{value}" for name, value in bundle_hashes(bundle, language)),
        }
        rows.append(row)
    return rows


def _format_urls(case: Case, listed: Sequence[ListedAddress], zone: ZoneInfo, language: str) -> str:
    """Return the URL of the page, or if several URLs have the same text, each with its first and last sighting."""
    if len(listed) == 1:
        return case.page_url
    return "\n".join(f"{each.url}\n{_sighting_times(each, zone, language)}" for each in listed)


def _sighting_times(address: ListedAddress, zone: ZoneInfo, language: str) -> str:
    first, last = format_with_offset(address.first_seen_at, zone), format_with_offset(address.last_seen_at, zone)
    return f"(first seen {first}, last seen {last})" if language == "en" else f"（首次发现 {first}，最近发现 {last}）"


def bundle_hashes(bundle: EvidenceBundle | None, language: str) -> list[tuple[str, str]]:
    """Return both digests of a bundle with their names on the case page, or [] without a bundle."""
    if bundle is None:
        return []
    return [(BUNDLE_DIGEST.in_language(language), bundle.digest), (FILE_DIGEST.in_language(language), bundle.sha256)]


def _format_chapters(numbers: Collection[int], language: str) -> str:
    """Return the chapter numbers in words, such as "ch. 1-3", or "" without numbers."""
    if not numbers:
        return ""
    named = format_chapter_numbers(sorted(numbers))
    return f"ch. {named}" if language == "en" else f"第{named.replace(', ', '、')}章"


def main_match(case: Case) -> CaseMatch | None:
    """Return the largest match of the version of a case compared last, or None."""
    matches = case.matches.filter(version_id=case.version_id).select_related("chapter")
    return matches.order_by("-matched_chars", "pk").first()


def newest_bundle(case: Case) -> EvidenceBundle | None:
    return newest_bundles([case]).get(case.pk)


def newest_bundles(cases: Sequence[Case]) -> dict[int, EvidenceBundle]:
    """Return the newest bundle of the version compared last, by key of the case.

    Cases without a bundle are left out.
    """
    rows = EvidenceBundle.objects.filter(case__in=cases, version_id=F("case__version_id"), state__in=_HELD)
    return {row.case_id: row for row in rows.order_by("made_at", "pk")}


def format_with_offset(at: datetime, zone: ZoneInfo) -> str:
    """Format a time in the zone with its UTC offset, because a notice may be read in another time zone."""
    here = at.astimezone(zone)
    offset = f"{here:%z}"
    return f"{here:%Y-%m-%d %H:%M:%S} {offset[:3]}:{offset[3:]}"
