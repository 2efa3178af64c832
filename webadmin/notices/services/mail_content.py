"""The recipient, text and attachments of a notice's mail."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from core.addressees import Paper
from core.errors import BadInput
from core.ids import Digest, digest
from core.mail_servers import plain_address
from webadmin.notices.models import Notice, NoticeFile
from webadmin.notices.services.kept_files import read_content
from webadmin.notices.services.mail_message import MailMessage, encoded_size, mail_bytes

MB = 1_000_000  # an addressee's limit may mean 10^6 or 2^20; the smaller one is safe


def recipient_address(notice: Notice) -> str:
    """Return the recipient's address: the addressee's current one, or the one written in the notice.

    Raises BadInput.
    """
    entered = notice.addressee.email if notice.addressee else ""
    address = plain_address(entered or _field_text(notice, "addressee_email"))
    if address is None:
        raise BadInput("mail.no-address")
    return address


def require_size(notice: Notice) -> None:
    """Raise BadInput, with both sizes, where the attachments exceed the addressee's limit for one mail."""
    most = notice.addressee.max_attachments_mb if notice.addressee else None
    size = encoded_size([file.size for file in attached_files(notice)])
    if most is not None and size > most * MB:
        raise BadInput("mail.too-large", size=f"{size / MB:.1f}", most=most)


def compose_mail(notice: Notice, sender: str, recipient: str, message_id: str, at: datetime) -> MailMessage:
    """Return the mail of a confirmed notice. Raises as `read_content`."""
    titles = notice.pages.order_by("pk").values_list("case__work__title", flat=True)
    return MailMessage(
        kind=Paper(notice.kind),
        message_id=message_id,
        at=at,
        sender=sender,
        recipient=recipient,
        answers_to=plain_address(_field_text(notice, "holder_email")) or "",
        answers_as_written=_field_text(notice, "holder_email"),
        addressee=_field_text(notice, "addressee_name"),
        holder=_field_text(notice, "holder_name"),
        contact=_field_text(notice, "contact_person"),
        phone=_field_text(notice, "holder_phone"),
        titles=list(dict.fromkeys(titles)),
        pages=len(titles),
        files=[(file.name, read_content(file)) for file in attached_files(notice)],
    )


def attached_files(notice: Notice) -> list[NoticeFile]:
    """Return the files to attach; where a file exists as Word and as PDF, only the PDF, which is not edited."""
    files = list(notice.files.all())
    printed = {file.name.removesuffix(".pdf") for file in files if file.name.endswith(".pdf")}
    return [file for file in files if file.name.removesuffix(".docx") not in printed]


@dataclass(frozen=True, slots=True)
class MailPreview:
    """A mail as it would be sent now. digest: of everything but its number and date, to detect changes."""

    mail: MailMessage
    files: Sequence[NoticeFile]
    digest: Digest


def preview_mail(notice: Notice, sender: str) -> MailPreview:
    """Return the mail of a confirmed notice before it is sent.

    Raises BadInput if none can be sent, and as `read_content`.
    """
    recipient = recipient_address(notice)
    require_size(notice)
    mail = compose_mail(notice, sender, recipient, f"<preview-{notice.pk}@localhost>", notice.drafted_at)
    return MailPreview(mail, attached_files(notice), digest(mail_bytes(mail)))


def _field_text(notice: Notice, code: str) -> str:
    return str(notice.values.get(code, ""))
