"""Drafts and confirms notices, with their pages, fields and files. Reviewers draft them, and managers confirm them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from core.addressees import Paper
from core.errors import BadInput
from core.ids import digest
from core.states import CaseState
from core.terms import term
from core.text import storable
from core.wording import Message
from documents.pdf_writing import pdf_file
from documents.word_writing import word_file
from webadmin import stores
from webadmin.accounts.models import User
from webadmin.accounts.services.access import require_role
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, Matter
from webadmin.notices.models import Addressee, HolderPaper, Notice, NoticeFile, NoticePage
from webadmin.notices.services.compared_cases import compared_cases
from webadmin.notices.services.comparison_table import TITLE, comparison_table
from webadmin.notices.services.events import change_state, lock_notice, note_event, source_states
from webadmin.notices.services.fitness import provider_identifiers, split_by_fitness
from webadmin.notices.services.kept_files import applicable_papers, current_template, read_content, require_manager
from webadmin.notices.services.legal_fields import BY_CODE, PaperField
from webadmin.notices.services.sending import cancel_waiting_mail, is_answer_period, local_day
from webadmin.notices.services.values import (
    addressee_values,
    all_values,
    initial_values,
    newest_bundles,
    notice_cases,
    works_without_date,
    works_without_proof,
)
from webadmin.notices.services.word_template import RenderedPaper, missing_fields, render_paper
from webadmin.works.models import Work

# Chosen: all pages of a novel with 500 chapters on one site. Nobody could read a longer comparison table.
MAX_PAGES = 500
MAX_FIELD_CHARS = 20_000
MAX_NAME_CHARS = 200  # the limit in webadmin.notices.models.NoticeFile


@dataclass(frozen=True, slots=True)
class DraftResult:
    """A new notice, and the omitted cases with the reasons."""

    notice: Notice
    left_out: Sequence[tuple[Case, Message]]


@dataclass(frozen=True, slots=True)
class DraftStatus:
    """The result of checking a draft.

    fields: required fields that are empty. pages: pages no longer allowed in a notice, with reasons. has_authority:
    whether a required power of attorney is there. The other fields do not block confirmation: works without proof of
    ownership or publication date, a missing identity document, pages without an evidence bundle.
    """

    fields: Sequence[PaperField]
    pages: Sequence[tuple[Case, Message]]
    has_authority: bool
    unowned: Sequence[Work] = ()
    undated: Sequence[Work] = ()
    has_identity: bool = True
    unbundled: Sequence[Case] = ()

    @property
    def is_ready(self) -> bool:
        return self.has_authority and not self.fields and not self.pages

    @property
    def advice(self) -> list[Message]:
        """Messages that advise how to strengthen the notice."""
        said = []
        if self.unowned:
            said.append(Message("notice.unowned", works=_work_titles(self.unowned)))
        if self.undated:
            said.append(Message("notice.undated", works=_work_titles(self.undated)))
        if not self.has_identity:
            said.append(Message("notice.no-identity-paper"))
        if self.unbundled:
            said.append(Message("notice.unbundled", pages=len(self.unbundled)))
        return said


def draft_notice(cases: Sequence[Case], kind: Paper, by: User, addressee: Addressee | None = None) -> DraftResult:
    """Draft a notice about confirmed cases on one site. The addressee may be added later.

    Raises BadInput if the user has no role, the cases are from several sites, there are too many, or none may be in a
    notice.
    """
    if not cases:
        raise BadInput("notice.none-confirmed")
    if len({(case.rights_holder_id, case.site_id) for case in cases}) > 1:
        raise BadInput("notice.one-site")
    first = cases[0]
    require_role(by, first)
    if addressee is not None and addressee.rights_holder_id != first.rights_holder_id:
        raise BadInput("notice.other-addressee")
    fit, left_out = split_by_fitness(cases, provider_identifiers(addressee, {}))
    if not fit:
        raise BadInput("notice.no-page", reasons=tuple(dict.fromkeys(reason for _, reason in left_out)))
    if len(fit) > MAX_PAGES:
        raise BadInput("notice.too-many-pages", most=MAX_PAGES, pages=len(fit))
    now = timezone.now()
    values = {**initial_values(first.page.site, kind, fit, local_day(now)), **addressee_values(addressee)}
    facts = {"site": first.page.site, "addressee": addressee, "kind": str(kind), "drafted_by": by, "values": values}
    with transaction.atomic():
        lock_rights(first.rights_holder_id)
        there = _find_untouched_draft(fit, facts)
        if there is not None:  # The form was sent twice.
            return DraftResult(there, left_out)
        notice = Notice.objects.create(rights_holder_id=first.rights_holder_id, drafted_at=now, **facts)
        NoticePage.objects.bulk_create([NoticePage(notice=notice, case=case) for case in fit])
        note_event(notice, by, now)
    return DraftResult(notice, left_out)


def _find_untouched_draft(cases: Sequence[Case], facts: Mapping[str, object]) -> Notice | None:
    """Return the newest unedited draft about exactly these cases with these facts, or None."""
    newest = Notice.objects.filter(state=Notice.State.DRAFTED, escalates=None, **facts).first()
    is_same = newest is not None and {page.case_id for page in newest.pages.all()} == {case.pk for case in cases}
    return newest if is_same else None


def confirmed_cases(matter: Matter) -> list[Case]:
    """Return the confirmed cases of a matter, but at most one more than a notice may contain."""
    cases = Case.objects.filter(matter=matter, state=CaseState.CONFIRMED).order_by("pk")
    return list(cases.select_related("work", "page__site", "decision", "rights_holder")[: MAX_PAGES + 1])


def write_fields(notice: Notice, values: Mapping[str, str], by: User) -> None:
    """Write fields of a draft. values: the texts by field code; unknown codes and lists are ignored.

    Raises BadInput if the notice is not a draft, a text is invalid or too long, or the user has no role.
    """
    require_role(by, notice)
    # Lists are derived from the pages.
    texts = {code: text for code, text in values.items() if code in BY_CODE and not BY_CODE[code].columns}
    kept = {code: storable(text).strip() for code, text in texts.items()}
    for code, text in kept.items():
        if code == "answer_days" and text and not is_answer_period(text):
            raise BadInput("notice.no-days")
        if len(text) > MAX_FIELD_CHARS:
            raise BadInput("notice.field-too-long", field=BY_CODE[code].words, most=MAX_FIELD_CHARS)
    with transaction.atomic():
        row = lock_notice(notice, Notice.State.DRAFTED)
        row.values = {**row.values, **kept}
        row.save(update_fields=["values"])
    notice.values = row.values


def _work_titles(works: Sequence[Work]) -> tuple[str, ...]:
    return tuple(f"《{work.title}》" for work in works)


def draft_status(notice: Notice) -> DraftStatus:
    """Return the obstacles to confirming a draft today, and advice."""
    papers, cases, kind = _valid_papers(notice, timezone.now()), notice_cases(notice), Paper(notice.kind)
    _, unfit = split_by_fitness(cases, provider_identifiers(notice.addressee, notice.values))
    values = all_values(notice, papers, timezone.get_default_timezone())
    bundled = newest_bundles(cases)
    needs_authority = _has_value(notice, "agent_name")
    has_authority = any(paper.kind == HolderPaper.Kind.AUTHORITY for paper in papers)
    is_of_china = kind is not Paper.DMCA
    needs_identity = kind in BY_CODE["holder_identity"].needed
    return DraftStatus(
        fields=missing_fields(kind, current_template(notice.rights_holder_id, kind), values),
        pages=unfit,
        has_authority=has_authority or not needs_authority,
        unowned=works_without_proof(cases, papers) if is_of_china and not _has_value(notice, "ownership") else [],
        undated=works_without_date(cases) if is_of_china else [],
        has_identity=not needs_identity or any(paper.kind == HolderPaper.Kind.IDENTITY for paper in papers),
        unbundled=[case for case in cases if case.pk not in bundled],
    )


def _has_value(notice: Notice, code: str) -> bool:
    return bool(str(notice.values.get(code, "")).strip())


def preview_notice(notice: Notice) -> RenderedPaper:
    """Return the current document of a notice.

    Raises BadInput if a required field is empty or the template is broken.
    """
    now, kind = timezone.now(), Paper(notice.kind)
    values = all_values(notice, _valid_papers(notice, now), timezone.get_default_timezone())
    return render_paper(kind, current_template(notice.rights_holder_id, kind), values, now)


def notice_files(notice: Notice) -> list[tuple[str, bytes]]:
    """Return the names and bytes of the stored files, or of the current document of a draft.

    Raises the errors of `read_content` and `preview_notice`.
    """
    kept = list(notice.files.all())
    if kept or notice.state != Notice.State.DRAFTED:
        return [(file.name, read_content(file)) for file in kept]
    files = preview_notice(notice)
    return [(f"{notice.kind}-{notice.pk}.docx", files.word), (f"{notice.kind}-{notice.pk}.pdf", files.pdf)]


def confirm_notice(notice: Notice, by: User) -> None:
    """Confirm a notice, and store its files. Raises BadInput if it is not ready or the user is not a manager."""
    require_manager(notice, by)
    now = timezone.now()
    with transaction.atomic():
        row = lock_notice(notice, Notice.State.DRAFTED)
        status = draft_status(row)
        if status.pages:
            raise BadInput("notice.pages-unfit", pages=len(status.pages), reason=status.pages[0][1])
        if not status.has_authority:
            raise BadInput("notice.no-authority")
        for name, content in _make_files(row, now):
            stores.evidence_store().put(digest(content), content)
            NoticeFile.objects.create(notice=row, name=name, digest=digest(content), size=len(content))
        change_state(row, Notice.State.CONFIRMED, by, now)
    notice.state = row.state


def withdraw_notice(notice: Notice, by: User, note: str = "") -> None:
    """Withdraw a notice, whose files stay. note: the reason, if any.

    Raises BadInput if the user is not a manager or the state does not allow it.
    """
    require_manager(notice, by)
    with transaction.atomic():
        row = lock_notice(notice, *source_states(Notice.State.WITHDRAWN))
        cancel_waiting_mail(row, timezone.now())
        change_state(row, Notice.State.WITHDRAWN, by, timezone.now(), note)
    notice.state = row.state


def _valid_papers(notice: Notice, now: datetime) -> list[HolderPaper]:
    return applicable_papers(notice, local_day(now))


def _make_files(notice: Notice, now: datetime) -> list[tuple[str, bytes]]:
    """Return the name and bytes of each file: notice and comparison table in both formats, enclosed documents."""
    language = "en" if notice.kind == Paper.DMCA else "zh"
    paper, name = preview_notice(notice), term(Paper(notice.kind)).in_language(language)
    table = comparison_table(compared_cases(notice_cases(notice)), language)
    made = {f"{name}.docx": paper.word, f"{name}.pdf": paper.pdf}
    title = TITLE.in_language(language)
    made |= {f"{title}.docx": word_file(table, now), f"{title}.pdf": pdf_file(table, now)}
    numbered = enumerate(_valid_papers(notice, now), 1)
    own = [(f"{number}-{paper.name}"[-MAX_NAME_CHARS:], read_content(paper)) for number, paper in numbered]
    return [*made.items(), *own]
