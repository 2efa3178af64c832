"""Describes the name, source and purpose of each piece of evidence for the list of evidence."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone, translation

from core.shares import format_percentage
from webadmin.cases.models import Case
from webadmin.evidence.models import EvidenceBundle, ThirdPartyProof
from webadmin.evidence.services.kept_files import FileRow, Row
from webadmin.notices.models import EventPaper, HolderPaper, NoticeFile, NoticeMail
from webadmin.notices.services.values import format_with_offset
from webadmin.reports.services.court_file.evidence_list import EvidenceGroup, EvidencePiece
from webadmin.reports.services.court_file.sheets import CHINESE, DAMAGES, DECISIONS, FACTORS

_SHOWN = {
    HolderPaper.Kind.IDENTITY: "权利人的主体身份",
    HolderPaper.Kind.OWNERSHIP: "权利人对作品享有著作权",
    HolderPaper.Kind.AUTHORITY: "代理人有权代表权利人",
}

_SHEETS = {
    FACTORS: "逐项列明法院可能审查的因素、已有与尚缺的材料",
    DAMAGES: "被使用字数、监测到的在线天数与许可费；权利人自行计算，仅供参考",
    DECISIONS: "何人何时作出何种认定；通知的经过",
}


def bundle_piece(case: Case, bundle: EvidenceBundle, stem: str) -> EvidencePiece:
    """Return the description of a bundle of a case.

    stem: its path without extension. Select `match` with the bundle.
    """
    zone = timezone.get_default_timezone()
    fetched, match = format_with_offset(bundle.fetched_at, zone), bundle.match
    if bundle.kind == EvidenceBundle.Kind.REMOVAL:
        return EvidencePiece(
            EvidenceGroup.PAGES,
            f"下架证据包：{case.page_title or case.page_url}（案件 #{case.pk}）",
            f"权利人于 {fetched} 以追文程序访问 {match.final_url} 取得",
            f"该网址当时已不载有《{case.work.title}》的相应内容",
            bundle.sha256,
            f"{stem}.wacz",
            bundle.digest,
        )
    chapter = f"“{match.chapter_title}”" if match.chapter_title else ""
    kind = "（附截图与PDF）" if bundle.kind == EvidenceBundle.Kind.DRAWN else ""
    return EvidencePiece(
        EvidenceGroup.PAGES,
        f"网页证据包{kind}：{case.page_title or case.page_url}（案件 #{case.pk}）",
        f"权利人于 {fetched} 以追文程序自 {match.final_url} 取得",
        f"该网页当时载有《{case.work.title}》{chapter}的内容，相似度 {format_percentage(match.similarity)}，"
        f"对应 {match.matched_chars:,} 字",
        bundle.sha256,
        f"{stem}.wacz",
        bundle.digest,
    )


def file_piece(row: Row, file: str) -> EvidencePiece:
    """Return the description of an uploaded file. file: its path in the export."""
    kept, facts = row
    with translation.override(CHINESE):
        group, source, shows = _describe_file(kept, facts)
    return EvidencePiece(group, kept.name, source, shows, kept.digest, file)


def file_group(row: Row) -> EvidenceGroup:
    """Return the evidence group of an uploaded file."""
    with translation.override(CHINESE):
        return _describe_file(*row)[0]


def table_piece(name: str, cases: int, file: str, sha256: str) -> EvidencePiece:
    return EvidencePiece(
        EvidenceGroup.COMPARISON,
        name,
        "权利人以追文程序制作",
        f"{cases} 个网页与作品逐段比对，改动处加标记，附网页图像",
        sha256,
        file,
    )


def sheet_piece(group: EvidenceGroup, title: str, file: str, sha256: str) -> EvidencePiece:
    return EvidencePiece(group, title, "权利人以追文程序制作", _SHEETS[title], sha256, file)


def _describe_file(kept: FileRow, facts: Mapping[str, Any]) -> tuple[EvidenceGroup, str, str]:
    zone = timezone.get_default_timezone()
    if isinstance(kept, HolderPaper):
        until = f"，有效期至 {kept.valid_until.isoformat()}" if kept.valid_until else ""
        shows = _SHOWN[HolderPaper.Kind(kept.kind)] + until
        return EvidenceGroup.OWNERSHIP, "权利人提供", shows
    if isinstance(kept, ThirdPartyProof):
        made = "，".join(filter(None, (kept.issuer, kept.platform, kept.number, kept.made_on.isoformat())))
        return EvidenceGroup.OTHERS, made, f"由第三方固定的网页内容（{kept.get_kind_display()}）"
    if isinstance(kept, NoticeMail):
        sent = format_with_offset(kept.began_at, zone) if kept.began_at else "尚未发出"
        shows = f"通知 #{kept.notice_id} 以电子邮件发往 {kept.recipient}（{kept.get_state_display()}）"
        return EvidenceGroup.NOTICES, f"权利人，{sent}，Message-ID {kept.message_id}", shows
    if isinstance(kept, EventPaper):
        event = kept.event
        day = (event.day or event.at.astimezone(zone).date()).isoformat()
        return (
            EvidenceGroup.NOTICES,
            "权利人存档",
            f"通知 #{event.notice_id} 于 {day}：{event.get_state_display()}",
        )
    assert isinstance(kept, NoticeFile)
    notice = kept.notice
    return (
        EvidenceGroup.NOTICES,
        f"权利人，{notice.get_kind_display()} #{notice.pk}（{notice.get_state_display()}）",
        f"就 {notice.pages.count()} 个网页向 {notice.values.get('addressee_name') or '收件方'} 作出的通知及其附件",
    )
