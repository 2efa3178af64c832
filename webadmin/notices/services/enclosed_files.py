"""Lists the files of notices (documents, mails, proofs of events) for the nightly check and for exports of cases.

Every process that sets Django up imports this module, so it must not load the readers of uploaded files.
"""

from collections.abc import Iterator

from django.db.models import QuerySet
from django.utils.timezone import get_default_timezone

from webadmin.cases.models import Case
from webadmin.evidence.services.kept_files import Row, register_enclosed_files, register_kept_file
from webadmin.notices.models import EventPaper, HolderPaper, Notice, NoticeFile, NoticeMail, PaperTemplate


def files_of_notices(notices: "QuerySet[Notice]") -> Iterator[Row]:
    """Yield the files, mails and proofs of events of those notices that were sent."""
    notices = notices.filter(sent_on__isnull=False)
    of_them = {"notice__in": notices.values("pk")}
    mails = NoticeMail.objects.filter(state=NoticeMail.State.SENT, **of_them)
    yield from map(
        notice_file_row, NoticeFile.objects.filter(**of_them).select_related("notice").order_by("notice", "pk")
    )
    yield from map(mail_row, mails.select_related("notice").order_by("notice", "attempt"))
    events = EventPaper.objects.filter(event__notice__in=notices.values("pk"), event__undone_by=None, withdrawn_at=None)
    yield from map(event_paper_row, events.select_related("event__notice").order_by("event__notice", "pk"))


def notice_file_row(file: NoticeFile) -> Row:
    """Return a file of a notice, with facts about it as JSON values."""
    notice = file.notice
    return file, {"kind": "notice", "notice": notice.pk, "paper": notice.kind, "state": notice.state}


def mail_row(mail: NoticeMail) -> Row:
    """Return a mail as sent, with facts about it as JSON values."""
    facts = {"kind": "mail", "notice": mail.notice_id, "state": mail.state, "recipient": mail.recipient}
    began = mail.began_at.isoformat() if mail.began_at else None
    return mail, facts | {"message_id": mail.message_id, "began": began}


def event_paper_row(paper: EventPaper) -> Row:
    """Return a file that proves an event, with facts about it as JSON values."""
    event = paper.event
    day = (event.day or event.at.astimezone(get_default_timezone()).date()).isoformat()
    return paper, {"kind": "notice_event", "notice": event.notice_id, "event": event.state, "day": day}


def holder_paper_row(paper: HolderPaper) -> Row:
    until = paper.valid_until.isoformat() if paper.valid_until else None
    return paper, {"kind": paper.kind, "valid_until": until}


def files_of_case(case: Case) -> Iterator[Row]:
    """Return the files of the sent notices that name the page of a case."""
    return files_of_notices(Notice.objects.filter(pages__case=case))


def register_notice_files() -> None:
    """Register the files of notices for the nightly check, for backups and for exports."""
    for model in (HolderPaper, PaperTemplate, NoticeFile, EventPaper):
        register_kept_file(model)
    register_kept_file(NoticeMail, "message_id")
    register_enclosed_files(files_of_case)
