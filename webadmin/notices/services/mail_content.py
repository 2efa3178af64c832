"""What the mail of a notice says and carries, and to whom it goes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from core.addressees import Paper
from core.errors import BadInput
from core.ids import Digest, digest
from core.mail_servers import plain_address
from webadmin.notices.models import Notice, NoticeFile
from webadmin.notices.services.kept_files import content_of
from webadmin.notices.services.mail_message import NoticeMail, encoded_bytes, mail_bytes

MB = 1_000_000  # the smaller reading of an addressee's limit


def addressed_to(notice: Notice) -> str:
    """Return the address that a notice goes to: of the addressee as entered now, else as the paper has it.

    Raises BadInput.
    """
    entered = notice.addressee.email if notice.addressee else ""
    address = plain_address(entered or _written(notice, "addressee_email"))
    if address is None:
        raise BadInput("mail.no-address")
    return address


def require_size(notice: Notice) -> None:
    """Raise BadInput, with both numbers, where the files are more than the addressee takes in one mail."""
    most = notice.addressee.max_attachments_mb if notice.addressee else None
    size = encoded_bytes([file.size for file in attached(notice)])
    if most is not None and size > most * MB:
        raise BadInput("mail.too-large", size=f"{size / MB:.1f}", most=most)


def mail_of(notice: Notice, sender: str, recipient: str, message_id: str, at: datetime) -> NoticeMail:
    """Return the mail of a confirmed notice. Raises as `content_of`."""
    titles = notice.pages.order_by("pk").values_list("case__work__title", flat=True)
    return NoticeMail(
        kind=Paper(notice.kind),
        message_id=message_id,
        at=at,
        sender=sender,
        recipient=recipient,
        answers_to=plain_address(_written(notice, "holder_email")) or "",
        answers_as_written=_written(notice, "holder_email"),
        addressee=_written(notice, "addressee_name"),
        holder=_written(notice, "holder_name"),
        contact=_written(notice, "contact_person"),
        phone=_written(notice, "holder_phone"),
        titles=list(dict.fromkeys(titles)),
        pages=len(titles),
        files=[(file.name, content_of(file)) for file in attached(notice)],
    )


def attached(notice: Notice) -> list[NoticeFile]:
    """Return the files that go with the mail: of what is there in Word and as PDF the PDF alone, which nobody edits."""
    files = list(notice.files.all())
    printed = {file.name.removesuffix(".pdf") for file in files if file.name.endswith(".pdf")}
    return [file for file in files if file.name.removesuffix(".docx") not in printed]


@dataclass(frozen=True, slots=True)
class MailPreview:
    """A mail as it would go out now. digest: of all of it but its number and date, so that a change is seen."""

    mail: NoticeMail
    files: Sequence[NoticeFile]
    digest: Digest


def preview(notice: Notice, sender: str) -> MailPreview:
    """Return the mail of a confirmed notice before it is sent.

    Raises BadInput where none can be, and as `content_of`.
    """
    recipient = addressed_to(notice)
    require_size(notice)
    mail = mail_of(notice, sender, recipient, f"<preview-{notice.pk}@localhost>", notice.drafted_at)
    return MailPreview(mail, attached(notice), digest(mail_bytes(mail)))


def _written(notice: Notice, code: str) -> str:
    return str(notice.values.get(code, ""))
