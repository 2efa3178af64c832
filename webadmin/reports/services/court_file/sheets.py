"""The sheets of a matter as Chinese documents: factors, damages, decisions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone, translation

from core.states import Verdict
from core.terms import term
from core.wording import Message
from documents.blocks import Align, Block, BlockTable, Cell, Document, Paragraph
from webadmin.cases.models import VerdictRecord
from webadmin.cases.services.matters.damages import Damages, describe_damages
from webadmin.evidence.services.factors import Factor, describe_source
from webadmin.evidence.services.staff import Naming, by_name, chinese_role_name
from webadmin.notices.models import NoticeEvent
from webadmin.notices.services.sending import local_day
from webadmin.notices.services.values import format_with_offset

CHINESE = "zh-hans"
FACTORS, DAMAGES, DECISIONS = "证据审查要点", "损失计算", "认定记录"
_DECISION_HEADS = ("案件", "网页", "时间", "决定", "决定人", "备注")
_DECISION_WIDTHS = (0.08, 0.3, 0.2, 0.12, 0.12, 0.18)
_EVENT_HEADS = ("通知", "时间", "状态", "操作人", "备注")
_EVENT_WIDTHS = (0.28, 0.22, 0.14, 0.14, 0.22)


def format_local_moment(at: datetime) -> str:
    """Format a time in the installation's time zone, with its UTC offset."""
    return format_with_offset(at, timezone.get_default_timezone())


def factors(sheet: Sequence[Factor], about: str) -> Document:
    """Return the factor sheet, which never claims that anything is proved.

    about: the line below the title, which names the matter.
    """
    blocks = [*_sheet_head(FACTORS, about), Paragraph.from_text(_chinese_text(Message("factor.opening")))]
    for factor in sheet:
        blocks += [
            Paragraph.heading(_chinese_text(factor.title), 2),
            Paragraph.from_text(_chinese_text(describe_source(factor))),
        ]
        there, missing = _chinese_text(Message("factor.there")), _chinese_text(Message("factor.missing"))
        rows = [(there, _chinese_text(each)) for each in factor.there] + [
            (missing, _chinese_text(each)) for each in factor.missing
        ]
        blocks.append(
            BlockTable(tuple((Cell.from_text(name), Cell.from_text(said)) for name, said in rows), (0.15, 0.85))
        )
    return Document(FACTORS, tuple(blocks))


def damages(found: Damages, about: str) -> Document:
    """Return the sheet with the rights holder's own calculation and the source of each figure.

    about: the line below the title, which names the matter.
    """
    said = [*describe_damages(found, format_local_moment, for_court=True), Message("damages.own")]
    return Document(
        DAMAGES, (*_sheet_head(DAMAGES, about), *(Paragraph.from_text(_chinese_text(each)) for each in said))
    )


@dataclass(frozen=True, slots=True)
class DecisionRecords:
    """Verdicts on the confirmed cases, and events of the notices about them.

    naming: returns the name of a person who acted.
    """

    verdicts: Sequence[VerdictRecord]
    events: Sequence[NoticeEvent]
    naming: Naming


def decisions(decided: DecisionRecords, about: str) -> Document:
    """Return the sheet of decisions, with days instead of times if people are not named.

    about: the line below the title, which names the matter.
    """
    rows = [_decision_row(each, decided.naming) for each in decided.verdicts]
    blocks = [*_sheet_head(DECISIONS, about), _sheet_table(_DECISION_HEADS, _DECISION_WIDTHS, rows)]
    if decided.events:
        with translation.override(CHINESE):
            rows = [_event_row(each, decided.naming) for each in decided.events]
        blocks += [Paragraph.heading("通知", 2), _sheet_table(_EVENT_HEADS, _EVENT_WIDTHS, rows)]
    return Document(DECISIONS, tuple(blocks))


def damages_as_values(found: Damages) -> dict[str, Any]:
    """Return `Damages.as_dict` without the user who entered the fee, and without undecided cases."""
    said = found.as_dict()
    del said["open_cases_not_counted"]
    if said["fee"]:
        said["fee"] = {name: said["fee"][name] for name in ("per_thousand", "currency", "source")}
    return said


def _decision_row(row: VerdictRecord, naming: Naming) -> tuple[str, ...]:
    verdict = term(Verdict(row.verdict)).in_language("zh") if row.verdict else "恢复待审核"
    page = row.case.page_title or row.case.page_url
    when = format_local_moment(row.decided_at) if naming is by_name else local_day(row.decided_at).isoformat()
    return f"#{row.case_id}", page, when, verdict, chinese_role_name(naming(row.decided_by)), row.note


def _event_row(row: NoticeEvent, naming: Naming) -> tuple[str, ...]:
    by = chinese_role_name(naming(row.by)) if row.by else "程序"
    notice = f"{row.notice.get_kind_display()} #{row.notice_id}"
    noted = format_local_moment(row.at) if naming is by_name else local_day(row.at).isoformat()
    when = f"{row.day.isoformat()}（登记于 {noted}）" if row.day and row.day != local_day(row.at) else noted
    return notice, when, row.what, by, row.note


def _sheet_head(title: str, about: str) -> list[Block]:
    return [Paragraph.heading(title, 1, Align.CENTER), Paragraph.from_text(about)]


def _sheet_table(heads: Sequence[str], widths: tuple[float, ...], rows: Iterable[tuple[str, ...]]) -> BlockTable:
    head = tuple(Cell.from_text(each, is_bold=True) for each in heads)
    return BlockTable((head, *(tuple(map(Cell.from_text, row)) for row in rows)), widths, has_head=True)


def _chinese_text(message: Message) -> str:
    return message.in_language("zh")
