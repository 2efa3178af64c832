"""Notices drafted by reviewers and confirmed by managers: which pages, which fields, and the files made of them."""

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
from webadmin.accounts.services.access import may_manage, user_role
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, Matter
from webadmin.notices.models import Addressee, HolderPaper, Notice, NoticeFile, NoticePage
from webadmin.notices.services.compared import compared_cases
from webadmin.notices.services.comparison_table import TITLE, comparison_table
from webadmin.notices.services.events import locked, move, note_event, states_before
from webadmin.notices.services.finished import PaperFiles, finish, missing_fields
from webadmin.notices.services.fitness import parted, provider_of
from webadmin.notices.services.kept_files import content_of, papers_that_go_with, template_of
from webadmin.notices.services.legal_fields import BY_CODE, PaperField
from webadmin.notices.services.sending import is_days, release
from webadmin.notices.services.values import (
    all_values,
    cases_of,
    newest_bundles,
    of_addressee,
    undated,
    unowned,
    written_at_first,
)
from webadmin.works.models import Work

# Chosen: all pages of a novel of 500 chapters on one site; a comparison table of more is no table.
MAX_PAGES = 500
MAX_FIELD_CHARS = 20_000
MAX_NAME_CHARS = 200  # as webadmin.notices.models.NoticeFile has it


@dataclass(frozen=True, slots=True)
class Drafted:
    """A new notice, and the cases that it leaves out, each with its reason."""

    notice: Notice
    left_out: Sequence[tuple[Case, Message]]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a draft still lacks. fields: that would leave a hole; pages: that may not be named any more.

    What holds nothing up and is pointed out: works without proof of ownership or time of publication, that no copy of
    the holder's identity paper goes with it, pages without an evidence bundle.
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
    def pointed_out(self) -> list[Message]:
        """What it would be stronger with, a sentence each."""
        said = []
        if self.unowned:
            said.append(Message("notice.unowned", works=_titles(self.unowned)))
        if self.undated:
            said.append(Message("notice.undated", works=_titles(self.undated)))
        if not self.has_identity:
            said.append(Message("notice.no-identity-paper"))
        if self.unbundled:
            said.append(Message("notice.unbundled", pages=len(self.unbundled)))
        return said


def draft(cases: Sequence[Case], kind: Paper, by: User, addressee: Addressee | None = None) -> Drafted:
    """Begin a notice for confirmed cases of one site, to somebody who was entered or is written in later.

    Raises BadInput where none of the cases may stand in one.
    """
    if not cases:
        raise BadInput("notice.none-confirmed")
    if len({(case.rights_holder_id, case.site_id) for case in cases}) > 1:
        raise BadInput("notice.one-site")
    first = cases[0]
    if user_role(by, first.rights_holder_id) is None:
        raise BadInput("case.no-role", holder=first.rights_holder)
    if addressee is not None and addressee.rights_holder_id != first.rights_holder_id:
        raise BadInput("notice.other-addressee")
    fit, left_out = parted(cases, provider_of(addressee, {}))
    if not fit:
        raise BadInput("notice.no-page", reasons=tuple(dict.fromkeys(reason for _, reason in left_out)))
    if len(fit) > MAX_PAGES:
        raise BadInput("notice.too-many-pages", most=MAX_PAGES, pages=len(fit))
    now = timezone.now()
    today = now.astimezone(timezone.get_default_timezone()).date()
    values = {**written_at_first(first.page.site, kind, fit, today), **of_addressee(addressee)}
    facts = {"site": first.page.site, "addressee": addressee, "kind": str(kind), "drafted_by": by, "values": values}
    with transaction.atomic():
        lock_rights(first.rights_holder_id)
        there = _untouched(fit, facts)
        if there is not None:  # the form was sent twice
            return Drafted(there, left_out)
        notice = Notice.objects.create(rights_holder_id=first.rights_holder_id, drafted_at=now, **facts)
        NoticePage.objects.bulk_create([NoticePage(notice=notice, case=case) for case in fit])
        note_event(notice, by, now)
    return Drafted(notice, left_out)


def _untouched(cases: Sequence[Case], facts: Mapping[str, object]) -> Notice | None:
    """Return the newest draft about these pages into which nobody has written anything."""
    newest = Notice.objects.filter(state=Notice.State.DRAFTED, escalates=None, **facts).first()
    is_same = newest is not None and {page.case_id for page in newest.pages.all()} == {case.pk for case in cases}
    return newest if is_same else None


def confirmed_cases(matter: Matter) -> list[Case]:
    """Return the cases of a matter that a notice may be drafted for; one more than it takes, where there are more."""
    cases = Case.objects.filter(matter=matter, state=CaseState.CONFIRMED).order_by("pk")
    return list(cases.select_related("work", "page__site", "decision", "rights_holder")[: MAX_PAGES + 1])


def write(notice: Notice, values: Mapping[str, str], by: User) -> None:
    """Write the fields of a draft. Raises BadInput for a notice that is no draft, a field too long, a stranger."""
    if user_role(by, notice.rights_holder_id) is None:
        raise BadInput("case.no-role", holder=notice.rights_holder)
    kept = {code: storable(text).strip() for code, text in values.items() if _is_written(code)}
    for code, text in kept.items():
        if code == "answer_days" and text and not is_days(text):
            raise BadInput("notice.no-days")
        if len(text) > MAX_FIELD_CHARS:
            raise BadInput("notice.field-too-long", field=BY_CODE[code].words, most=MAX_FIELD_CHARS)
    with transaction.atomic():
        row = locked(notice, Notice.State.DRAFTED)
        row.values = {**row.values, **kept}
        row.save(update_fields=["values"])
    notice.values = row.values


def _titles(works: Sequence[Work]) -> tuple[str, ...]:
    return tuple(f"《{work.title}》" for work in works)


def standing_of(notice: Notice) -> Standing:
    """What keeps a draft from being confirmed today."""
    papers, cases, kind = _papers(notice, timezone.now()), cases_of(notice), Paper(notice.kind)
    _, unfit = parted(cases, provider_of(notice.addressee, notice.values))
    values = all_values(notice, papers, timezone.get_default_timezone())
    bundled = newest_bundles(cases)
    needs_authority = _is_written_in(notice, "agent_name")
    has_authority = any(paper.kind == HolderPaper.Kind.AUTHORITY for paper in papers)
    is_of_china = kind is not Paper.DMCA
    needs_identity = kind in BY_CODE["holder_identity"].needed
    return Standing(
        fields=missing_fields(kind, template_of(notice.rights_holder_id, kind), values),
        pages=unfit,
        has_authority=has_authority or not needs_authority,
        unowned=unowned(cases, papers) if is_of_china and not _is_written_in(notice, "ownership") else [],
        undated=undated(cases) if is_of_china else [],
        has_identity=not needs_identity or any(paper.kind == HolderPaper.Kind.IDENTITY for paper in papers),
        unbundled=[case for case in cases if case.pk not in bundled],
    )


def _is_written_in(notice: Notice, code: str) -> bool:
    return bool(str(notice.values.get(code, "")).strip())


def preview(notice: Notice) -> PaperFiles:
    """Return the paper as it would be now. Raises BadInput while the law asks for more."""
    now, kind = timezone.now(), Paper(notice.kind)
    values = all_values(notice, _papers(notice, now), timezone.get_default_timezone())
    return finish(kind, template_of(notice.rights_holder_id, kind), values, now)


def files_of(notice: Notice) -> list[tuple[str, bytes]]:
    """Names and bytes of the files that were kept; of a draft the paper as it would be now. Raises as `content_of`."""
    kept = list(notice.files.all())
    if kept or notice.state != Notice.State.DRAFTED:
        return [(file.name, content_of(file)) for file in kept]
    files = preview(notice)
    return [(f"{notice.kind}-{notice.pk}.docx", files.word), (f"{notice.kind}-{notice.pk}.pdf", files.pdf)]


def confirm(notice: Notice, by: User) -> None:
    """Fix the notice: its files are made and kept. Raises BadInput while it is not ready, and for who is no manager."""
    if not may_manage(by, notice):
        raise BadInput("notice.no-manager")
    now = timezone.now()
    with transaction.atomic():
        row = locked(notice, Notice.State.DRAFTED)
        standing = standing_of(row)
        if standing.pages:
            raise BadInput("notice.pages-unfit", pages=len(standing.pages), reason=standing.pages[0][1])
        if not standing.has_authority:
            raise BadInput("notice.no-authority")
        for name, content in _files(row, now):
            stores.evidence_store().put(digest(content), content)
            NoticeFile.objects.create(notice=row, name=name, digest=digest(content), size=len(content))
        move(row, Notice.State.CONFIRMED, by, now)
    notice.state = row.state


def withdraw(notice: Notice, by: User, note: str = "") -> None:
    """Give a notice up; its files stay. Raises BadInput for who is no manager, or was given up already."""
    if not may_manage(by, notice):
        raise BadInput("notice.no-manager")
    with transaction.atomic():
        row = locked(notice, *states_before(Notice.State.WITHDRAWN))
        release(row, timezone.now())
        move(row, Notice.State.WITHDRAWN, by, timezone.now(), note)
    notice.state = row.state


def _is_written(code: str) -> bool:
    """By people; lists follow from the pages."""
    return code in BY_CODE and not BY_CODE[code].columns


def _papers(notice: Notice, now: datetime) -> list[HolderPaper]:
    return papers_that_go_with(notice, now.astimezone(timezone.get_default_timezone()).date())


def _files(notice: Notice, now: datetime) -> list[tuple[str, bytes]]:
    """Paper and comparison table in both formats, and the papers of the rights holder, by name."""
    language = "en" if notice.kind == Paper.DMCA else "zh"
    paper, name = preview(notice), term(Paper(notice.kind)).in_language(language)
    table = comparison_table(compared_cases(cases_of(notice)), language)
    made = {f"{name}.docx": paper.word, f"{name}.pdf": paper.pdf}
    title = TITLE.in_language(language)
    made |= {f"{title}.docx": word_file(table, now), f"{title}.pdf": pdf_file(table, now)}
    numbered = enumerate(_papers(notice, now), 1)
    own = [(f"{number}-{paper.name}"[-MAX_NAME_CHARS:], content_of(paper)) for number, paper in numbered]
    return [*made.items(), *own]
