"""Stores uploaded documents and Word templates in the evidence store, unchanged. They are never replaced."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from core.addressees import Paper
from core.errors import BadInput
from core.ids import Digest, digest
from crawler.rule_checks import run_check
from webadmin import stores
from webadmin.accounts.models import RightsHolder, User
from webadmin.accounts.services.access import may_manage
from webadmin.accounts.services.holders import lock_rights
from webadmin.evidence.services.third_party import require_file
from webadmin.notices.models import EventPaper, HolderPaper, Notice, NoticeEvent, NoticeFile, PaperTemplate
from webadmin.notices.services.standard_templates import standard_template
from webadmin.notices.services.word_template import check_rendering
from webadmin.works.services.proofs import file_name, require_proof

MAX_EVENT_PAPERS = 10  # Chosen: an answer with its attachments. More should be combined in one file.


def add_paper(paper: HolderPaper, name: str, content: bytes, by: User) -> HolderPaper:
    """Store a rights holder's document, or return the identical document stored before.

    paper: an unsaved row with its rights holder, kind, work and validity. Raises BadInput if the user is not a manager
    or the document is not valid, RetryLater if the store is unreachable.
    """
    require_manager(paper.rights_holder, by)
    if paper.work is not None and paper.work.rights_holder_id != paper.rights_holder_id:
        raise BadInput("paper.other-holder")
    begins, ends = paper.valid_from, paper.valid_until
    if begins and ends and begins > ends:
        raise BadInput("paper.ends-before-it-begins", begins=begins.isoformat(), ends=ends.isoformat())
    for column, value in _store_file(name, require_proof(content), content).items():
        setattr(paper, column, value)
    paper.added_by = by
    same = {name: getattr(paper, name) for name in ("kind", "work", "valid_from", "valid_until", "digest")}
    with transaction.atomic():
        lock_rights(paper.rights_holder_id)
        existing = HolderPaper.objects.filter(rights_holder=paper.rights_holder_id, withdrawn_at=None, **same).first()
        if existing is None:
            paper.save()
    return existing or paper


def check_template(content: bytes, kind: Paper, name: str) -> None:
    """Check a template in the reading process.

    Raises BadInput with its first error, RetryLater if the process is unavailable.
    """
    run_check(name, check_rendering, content, kind)


def add_template(holder: RightsHolder, kind: Paper, name: str, content: bytes, by: User) -> PaperTemplate:
    """Store a template that passed `check_template`, which is used from now on.

    Raises BadInput if the user is not a manager, RetryLater if the store is unreachable.
    """
    require_manager(holder, by)
    columns = _store_file(name, "docx", content)
    with transaction.atomic():
        lock_rights(holder.pk)
        newest = PaperTemplate.objects.filter(rights_holder=holder, kind=str(kind), withdrawn_at=None).first()
        if newest is not None and (newest.name, newest.digest) == (columns["name"], columns["digest"]):
            return newest  # The form was sent twice.
        return PaperTemplate.objects.create(rights_holder=holder, kind=str(kind), added_by=by, **columns)


def keep_event_papers(event: NoticeEvent, files: Sequence[tuple[str, bytes]], by: User) -> None:
    """Store files (name and bytes) that prove an event.

    Raises BadInput for too many files or an unsuitable file, RetryLater if the store is unreachable.
    """
    if len(files) > MAX_EVENT_PAPERS:
        raise BadInput("notice.too-many-files", most=MAX_EVENT_PAPERS)
    for name, content in files:
        columns = _store_file(name, require_file(content, name), content)
        EventPaper.objects.create(event=event, added_by=by, **columns)


def _store_file(name: str, kind: str, content: bytes) -> dict[str, Any]:
    """Store an uploaded file of this kind, and return the column values of its row."""
    stores.evidence_store().put(digest(content), content)
    return {"name": file_name(name, kind), "digest": digest(content), "size": len(content)}


def withdraw_file(kept: HolderPaper | PaperTemplate, by: User) -> None:
    """Withdraw a file from further use. Notices that contain it keep it.

    Raises BadInput if the user is not a manager or the file was already withdrawn.
    """
    require_manager(kept, by)
    active = type(kept).objects.filter(pk=kept.pk, withdrawn_at=None)
    if not active.update(withdrawn_at=timezone.now(), withdrawn_by=by):
        raise BadInput("paper.taken-back-already")


def read_content(kept: HolderPaper | PaperTemplate | NoticeFile) -> bytes:
    """Return the bytes of a stored file.

    Raises BadInput if the store lacks them, ServiceUnavailable if the store is unreachable.
    """
    content = stores.evidence_store().get(Digest(kept.digest))
    if content is None:
        raise BadInput("paper.file-missing", name=kept.name)
    return content


def current_template(holder: int, kind: Paper) -> bytes:
    """Return the newest template of a kind that is not withdrawn, or the standard template if there is none.

    holder: the key of the rights holder. Raises the errors of `read_content`.
    """
    kept = PaperTemplate.objects.filter(rights_holder=holder, kind=str(kind), withdrawn_at=None).first()
    return standard_template(kind) if kept is None else read_content(kept)


def applicable_papers(notice: Notice, on: date) -> list[HolderPaper]:
    """Return the rights holder's documents that are valid on the day `on` and concern works in a notice."""
    works = set(notice.pages.values_list("case__work_id", flat=True))
    active = HolderPaper.objects.filter(rights_holder=notice.rights_holder_id, withdrawn_at=None)
    return [paper for paper in active if is_valid(paper, on) and (paper.work_id is None or paper.work_id in works)]


def is_valid(paper: HolderPaper, on: date) -> bool:
    return (paper.valid_from is None or paper.valid_from <= on) and (
        paper.valid_until is None or on <= paper.valid_until
    )


def require_manager(record: Model, by: User) -> None:
    if not may_manage(by, record):
        raise BadInput("notice.no-manager")
