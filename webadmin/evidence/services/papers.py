"""Files of people that go with an export: what notices were made into, what others made, proofs of ownership.

Each is read from the evidence store when its turn comes. One that is damaged or gone is not enclosed, and that is said.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet
from django.utils.timezone import get_default_timezone

from bundles.records import Paper
from core.errors import BrokenInvariant
from core.ids import Digest, digest
from core.ports import EvidenceStore
from core.wording import Message
from webadmin.cases.models import Case
from webadmin.evidence.models import ThirdPartyProof
from webadmin.evidence.services.subject import Subject
from webadmin.notices.models import EventPaper, HolderPaper, Notice, NoticeFile, NoticeMail

MAX_ENDING_CHARS = 8


def papers_of_case(case: Case, store: EvidenceStore) -> tuple[list[Paper], list[Message]]:
    """The files of sent notices that name the case, and what others made of it; and what of them is not whole."""
    notices = Notice.objects.filter(pages__case=case)
    return enclosed([*files_of_notices(notices), *map(of_others, standing_proofs(Subject(case=case)))], store)


def files_of_notices(notices: "QuerySet[Notice]") -> Iterator["Row"]:
    """What those of the notices that went out were made into, their mails, and what shows what came of them."""
    notices = notices.filter(sent_on__isnull=False)
    of_them = {"notice__in": notices.values("pk")}
    mails = NoticeMail.objects.filter(state=NoticeMail.State.SENT, **of_them)
    yield from map(of_notice, NoticeFile.objects.filter(**of_them).select_related("notice").order_by("notice", "pk"))
    yield from map(of_mail, mails.select_related("notice").order_by("notice", "attempt"))
    events = EventPaper.objects.filter(event__notice__in=notices.values("pk"), event__undone_by=None, withdrawn_at=None)
    yield from map(of_event, events.select_related("event__notice").order_by("event__notice", "pk"))


def standing_proofs(subject: Subject) -> Iterator[ThirdPartyProof]:
    """Those that nobody withdrew, in the order in which they came."""
    return subject.proofs().filter(withdrawn_at=None).order_by("entered_at", "pk").iterator()


Kept = HolderPaper | NoticeFile | NoticeMail | EventPaper | ThirdPartyProof
Row = tuple[Kept, dict[str, Any]]


def of_notice(file: NoticeFile) -> Row:
    """A file of a notice, and what is said of it for programs."""
    notice = file.notice
    return file, {"kind": "notice", "notice": notice.pk, "paper": notice.kind, "state": notice.state}


def of_mail(mail: NoticeMail) -> Row:
    """A mail as it went out."""
    facts = {"kind": "mail", "notice": mail.notice_id, "state": mail.state, "recipient": mail.recipient}
    began = mail.began_at.isoformat() if mail.began_at else None
    return mail, facts | {"message_id": mail.message_id, "began": began}


def of_event(paper: EventPaper) -> Row:
    """A file that shows what happened to a notice."""
    event = paper.event
    day = (event.day or event.at.astimezone(get_default_timezone()).date()).isoformat()
    return paper, {"kind": "notice_event", "notice": event.notice_id, "event": event.state, "day": day}


def of_others(proof: ThirdPartyProof) -> Row:
    facts = {"kind": proof.kind, "issuer": proof.issuer, "platform": proof.platform, "number": proof.number}
    return proof, facts | {"made_on": proof.made_on.isoformat()}


def of_holder(paper: HolderPaper) -> Row:
    until = paper.valid_until.isoformat() if paper.valid_until else None
    return paper, {"kind": paper.kind, "valid_until": until}


def enclosed(rows: Iterable[Row], store: EvidenceStore) -> tuple[list[Paper], list[Message]]:
    """The files that are whole, and a sentence for each of the others. Raises RetryLater."""
    papers, left_out = list[Paper](), list[Message]()
    for row, facts in rows:
        paper = enclosed_one(row, facts, store)
        if paper is None:
            left_out.append(Message("bundle.paper-left-out", name=row.name))
        else:
            papers.append(paper)
    return papers, left_out


def enclosed_one(row: Kept, facts: dict[str, Any], store: EvidenceStore) -> Paper | None:
    """A file as it came; None where the store has it no more, or not as it was."""
    try:
        content = store.get(Digest(row.digest))
    except BrokenInvariant:
        return None
    if content is None or digest(content) != row.digest:
        return None
    return Paper(row.name, ending_of(row.name), Digest(row.digest), content, facts)


def ending_of(name: str) -> str:
    """The ending of a name, as far as every file system takes it; "bin" where it has none.

    >>> ending_of("公证书.PDF"), ending_of("a.p7s"), ending_of("通知"), ending_of("a.文档")
    ('pdf', 'p7s', 'bin', 'bin')
    """
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    is_plain = ending.isascii() and ending.isalnum() and len(ending) <= MAX_ENDING_CHARS
    return ending if is_plain else "bin"
