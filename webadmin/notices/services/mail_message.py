"""Composes the mail of a confirmed notice in plain text with attachments. Names in it may come from a hostile page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import PurePosixPath

from core.addressees import Paper
from core.errors import BadInput
from core.hidden_characters import spell_hidden
from core.ids import Digest, digest
from core.mail_servers import plain_address
from core.terms import term
from webadmin.notices.models import Notice, NoticeFile
from webadmin.notices.services.kept_files import read_content

# Chosen: mail programs show a subject of this length in full, and this much of a name suffices to recognize it.
MAX_SUBJECT_CHARS, MAX_NAME_CHARS = 120, 80
MAX_TITLES = 3  # works named in the subject; the notice names all
# Base64 encodes 57 bytes as a line of 76 characters and a line ending of 2 (RFC 2045).
_ENCODED = 78 / 57
_TYPES = {"pdf": ("application", "pdf"), "png": ("image", "png"), "jpg": ("image", "jpeg")}
_WORD = ("application", "vnd.openxmlformats-officedocument.wordprocessingml.document")
# Text that mail programs turn into links: a URL scheme, a domain name or a mail address.
_LINKS = re.compile(r"://|(?<=[\w-])\.(?=[A-Za-z]{2})|@")

_ZH = """{addressee}：

现发送《{paper}》，涉及作品{titles}，共 {pages} 个网页。通知全文、网络地址、比对表和证明材料见附件，请查收并依法处理。

{holder}
联系人：{contact}
电话：{phone}
电子邮箱：{answers}

附件及其 SHA-256：
{files}
"""
_EN = """To {addressee}:

Please find attached our {paper} about {titles}, which names {pages} pages. The notice with all addresses, the
comparison table and the papers are attached. Please act on it as the law asks.

{holder}
Contact: {contact}
Telephone: {phone}
E-mail: {answers}

Attachments and their SHA-256:
{files}
"""


@dataclass(frozen=True, slots=True)
class MailMessage:
    """The content of a mail. sender, recipient, answers_to: plain addresses; answers_to may be "".

    answers_as_written: the address as written in the notice, which may not be a plain address. at: the time in its
    header.
    """

    kind: Paper
    message_id: str
    at: datetime
    sender: str
    recipient: str
    answers_to: str
    answers_as_written: str
    addressee: str
    holder: str
    contact: str
    phone: str
    titles: Sequence[str]
    pages: int
    files: Sequence[tuple[str, bytes]]


def mail_bytes(mail: MailMessage) -> bytes:
    """Return the message as transmitted, before dot-stuffing. Equal mails give equal bytes."""
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(display_name=_single_line(mail.holder, MAX_NAME_CHARS), addr_spec=mail.sender)
    message["To"] = Address(addr_spec=mail.recipient)
    if mail.answers_to:
        message["Reply-To"] = Address(addr_spec=mail.answers_to)
    message["Subject"] = mail_subject(mail)
    message["Date"] = format_datetime(mail.at)
    message["Message-ID"] = mail.message_id
    message.set_content(mail_body(mail), charset="utf-8", cte="base64")
    for name, content in mail.files:
        main, sub = _content_type(name)
        message.add_attachment(content, maintype=main, subtype=sub, filename=_file_name(name))
    if message.is_multipart():
        message.set_boundary(f"=_{digest(mail.message_id.encode())[:32]}")
    return message.as_bytes()


def mail_subject(mail: MailMessage) -> str:
    """Return the subject, which contains the kind of notice and its works.

    A title from a hostile page cannot add a header, reverse the line or become a link.
    """
    english = mail.kind is Paper.DMCA
    shown = [f"“{each}”" if english else f"《{each}》" for each in mail.titles[:MAX_TITLES]]
    more = ("et al." if english else "等") if len(mail.titles) > MAX_TITLES else ""
    of = (", " if english else "、").join([*shown, more] if english and more else shown)
    paper = term(Paper(mail.kind)).in_language("en" if english else "zh")
    return _single_line(
        f"{paper[:1].upper()}{paper[1:]}: {of}" if english else f"{paper}：{of}{more}", MAX_SUBJECT_CHARS
    )


def encoded_size(sizes: Sequence[int]) -> int:
    """Return the number of bytes that files of these sizes take in a mail."""
    return sum(int(size * _ENCODED) + 1 for size in sizes)


def defang_links(text: str) -> str:
    """Return the text on one line, with hidden characters spelled out and links made unusable.

    >>> defang_links("www.evil.example")
    'www[.]evil[.]example'
    """
    return _LINKS.sub(lambda found: f"[{found[0]}]", spell_hidden(" ".join(text.split())))


def _single_line(text: str, most: int) -> str:
    made = defang_links(text)
    return made if len(made) <= most else f"{made[: most - 1]}…"


def _file_name(name: str) -> str:
    """Return a file name with links made unusable, except for the dot before the extension."""
    stem, dot, ending = name.rpartition(".")
    return f"{defang_links(stem)}{dot}{defang_links(ending)}"


def _content_type(name: str) -> tuple[str, str]:
    ending = PurePosixPath(name).suffix.lower().removeprefix(".")
    return _WORD if ending == "docx" else _TYPES.get(ending, ("application", "octet-stream"))


def _reply_line(mail: MailMessage, *, english: bool) -> str:
    """Return the instruction how to answer: by replying to the mail, or to the address in the notice.

    A reply reaches the rights holder only if the mail has a Reply-To address.
    """
    if mail.answers_to:
        return "please answer this mail" if english else "请直接回复本邮件"
    return defang_links(mail.answers_as_written) or ("as in the notice" if english else "见通知")


def mail_body(mail: MailMessage) -> str:
    """Return the text of the mail, with the name and digest of each file."""
    english = mail.kind is Paper.DMCA
    titles = (f"“{defang_links(each)}”" if english else f"《{defang_links(each)}》" for each in mail.titles)
    return (_EN if english else _ZH).format(
        addressee=defang_links(mail.addressee),
        paper=term(Paper(mail.kind)).in_language("en" if english else "zh"),
        titles=(", " if english else "、").join(titles),
        pages=mail.pages,
        holder=defang_links(mail.holder),
        contact=defang_links(mail.contact) or defang_links(mail.holder),
        phone=defang_links(mail.phone),
        answers=_reply_line(mail, english=english),
        files="\n".join(f"{_file_name(name)}  {digest(content)}" for name, content in mail.files),
    )


MB = 1_000_000  # An addressee's megabyte may be 10^6 or 2^20 bytes. The smaller one is safe.


def recipient_address(notice: Notice) -> str:
    """Return the addressee's current mail address, or the address in the notice if none is entered.

    Raises BadInput if it is not a plain address.
    """
    entered = notice.addressee.email if notice.addressee else ""
    address = plain_address(entered or _field_text(notice, "addressee_email"))
    if address is None:
        raise BadInput("mail.no-address")
    return address


def require_size(notice: Notice) -> None:
    """Raise BadInput, with both sizes, if the attachments exceed the addressee's limit for a mail."""
    most = notice.addressee.max_attachments_mb if notice.addressee else None
    size = encoded_size([file.size for file in attached_files(notice)])
    if most is not None and size > most * MB:
        raise BadInput("mail.too-large", size=f"{size / MB:.1f}", most=most)


def compose_mail(notice: Notice, sender: str, recipient: str, message_id: str, at: datetime) -> MailMessage:
    """Return the mail of a confirmed notice. Raises the errors of `read_content`."""
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
    """Return the files to attach. Of a file that exists as Word and PDF, only the PDF is attached."""
    files = list(notice.files.all())
    printed = {file.name.removesuffix(".pdf") for file in files if file.name.endswith(".pdf")}
    return [file for file in files if file.name.removesuffix(".docx") not in printed]


@dataclass(frozen=True, slots=True)
class MailPreview:
    """A mail as it would be sent now. digest: of everything except the message id and date, to detect changes."""

    mail: MailMessage
    files: Sequence[NoticeFile]
    digest: Digest


def preview_mail(notice: Notice, sender: str) -> MailPreview:
    """Return the mail of a confirmed notice before it is sent.

    Raises BadInput if it cannot be sent, and the errors of `read_content`.
    """
    recipient = recipient_address(notice)
    require_size(notice)
    mail = compose_mail(notice, sender, recipient, f"<preview-{notice.pk}@localhost>", notice.drafted_at)
    return MailPreview(mail, attached_files(notice), digest(mail_bytes(mail)))


def _field_text(notice: Notice, code: str) -> str:
    return str(notice.values.get(code, ""))
