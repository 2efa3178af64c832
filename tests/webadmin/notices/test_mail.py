"""A notice as a mail: what a hostile page or a careless entry puts into it stays text in its place."""

from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default

import pytest

from core.addressees import Paper
from core.mail_servers import plain_address
from webadmin.notices.services.mail_message import MailMessage, mail_bytes

PDF = b"%PDF-1.7\n" * 100
MAIL = MailMessage(
    kind=Paper.ARTICLE_14,
    message_id="<notice-3-1-20261127010203@publisher.example>",
    at=datetime(2026, 11, 27, 1, 2, 3, tzinfo=UTC),
    sender="notices@publisher.example",
    recipient="ts@site.example",
    answers_to="rights@publisher.example",
    answers_as_written="",
    addressee="墨香云",
    holder="长河文学网络公司",
    contact="林先生",
    phone="021-55550100",
    titles=["渡口夜灯"],
    pages=2,
    files=[("通知.pdf", PDF), ("比对表.docx", b"PK-word"), ("1-执照.png", b"\x89PNG")],
)


def read(mail: MailMessage):  # type: ignore[no-untyped-def] # EmailMessage, by a policy that typeshed does not know
    return message_from_bytes(mail_bytes(mail), policy=default)


def test_a_mail_says_who_writes_to_whom_about_what_and_carries_the_files() -> None:
    message = read(MAIL)
    assert message["Message-ID"] == MAIL.message_id
    assert message["From"].addresses[0].addr_spec == "notices@publisher.example"
    assert message["From"].addresses[0].display_name == "长河文学网络公司"
    assert (message["To"], message["Reply-To"]) == ("ts@site.example", "rights@publisher.example")
    assert message["Subject"] == "要求删除或断开链接的通知：《渡口夜灯》"
    assert message["Date"].datetime == MAIL.at
    body = message.get_body(("plain",)).get_content()
    assert "共 2 个网页" in body
    assert "林先生" in body
    attached = {part.get_filename(): part.get_content() for part in message.iter_attachments()}
    assert attached == dict(MAIL.files)
    assert next(part.get_content_type() for part in message.iter_attachments()) == "application/pdf"
    assert mail_bytes(MAIL) == mail_bytes(MAIL)


def test_a_dmca_notice_is_written_in_english() -> None:
    message = read(replace(MAIL, kind=Paper.DMCA, titles=["A", "B", "C", "D"]))
    assert message["Subject"] == "DMCA notice: “A”, “B”, “C”, et al."
    assert "good faith" not in message.get_body(("plain",)).get_content()
    assert "names 2 pages" in message.get_body(("plain",)).get_content()


HOSTILE = "x\r\nBcc: victim@evil.example\r\n\r\n<a href=http://evil.example/>www.evil.example</a>\u202e\u200b"


def test_hostile_names_are_text_in_one_header_and_no_link() -> None:
    mail = replace(MAIL, titles=[HOSTILE], holder=HOSTILE, addressee=HOSTILE, contact=HOSTILE, phone=HOSTILE)
    message = read(replace(mail, files=[(f"{HOSTILE}.pdf", PDF)]))
    assert message.keys() == read(MAIL).keys()
    assert len(message["From"].addresses) == 1
    assert len(message["To"].addresses) == 1
    body = message.get_body(("plain",)).get_content().split("Attachments", 1)[0]
    for text in (body.split("附件及其")[0], message["Subject"]):
        for words in ("http://", "www.evil", "victim@", "\u202e"):
            assert words not in text
    assert "‹RLO" in body
    (part,) = message.iter_attachments()
    assert "\n" not in part.get_filename()
    assert "\u202e" not in part.get_filename()


@pytest.mark.parametrize(
    "text",
    ["", "a", "a@", "@b.cn", "a b@c.cn", "a@b c.cn", "a@b.cn\nTo: x@y.z", "<a@b.cn>", "a@b..cn", "a@-b.cn",
     "a@b.cn,c@d.cn", '"a"@b.cn', "网@b.cn", f"{'a' * 250}@b.cn", "a@[127.0.0.1]"],
)  # fmt: skip
def test_what_is_no_plain_address_is_none(text: str) -> None:
    assert plain_address(text) is None


def test_without_an_address_of_the_rights_holder_nobody_is_asked_to_answer_the_mail() -> None:
    """An answer would reach whoever runs the program."""
    mail = replace(MAIL, answers_to="", answers_as_written="a@b.example、c@d.example")
    message = read(mail)
    assert message["Reply-To"] is None
    text = message.get_body(("plain",)).get_content()
    assert "请直接回复本邮件" not in text
    assert "a[@]b[.]example、c[@]d[.]example" in text
