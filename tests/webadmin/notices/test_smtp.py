"""Handing a letter over: what is known of it when the server refuses, stalls or drops at any step."""

import socket
import ssl
from contextlib import nullcontext

import pytest
from aiosmtpd.smtp import AuthResult, LoginPassword

from core.mail_servers import MailServer, Security, parse_mail_server
from tests.support.certificates import make_chain
from tests.support.mail_servers import DROP, STALL, real_server, scripted
from webadmin.notices.services import smtp
from webadmin.notices.services.smtp import Letter, Outcome, SendResult, send_letter

pytestmark = pytest.mark.usefixtures("loopback")

LETTER = Letter("li@publisher.example", "ts@site.example", b"Subject: x\r\n\r\n.one\r\n..two\r\nend\r\n")


def hand(url: str, timeout_s: float = 5.0, letter: Letter = LETTER, tls: ssl.SSLContext | None = None) -> SendResult:
    return send_letter(parse_mail_server(url), letter, timeout_s, tls)


def test_a_letter_arrives_as_it_was_with_its_dots() -> None:
    with real_server() as (mailbox, url):
        handed = hand(url)
    assert (handed.outcome, handed.message.code) == (Outcome.SENT, "mail.taken")
    assert mailbox.contents == [LETTER.content]
    (envelope,) = mailbox.envelopes
    assert (envelope.mail_from, envelope.rcpt_tos) == (LETTER.sender, [LETTER.recipient])


@pytest.mark.parametrize("step", ["connect", "EHLO", "MAIL", "RCPT", "DATA", "after DATA"])
@pytest.mark.parametrize("code", [450, 550])
def test_a_refusal_at_any_step_is_definite_and_says_what_the_server_said(step: str, code: int) -> None:
    with scripted(**{step.replace(" ", "_"): f"{code} no\x1b[2J thanks\r\n".encode()}) as server:
        handed = hand(server.url)
    assert handed.outcome is Outcome.FAILED
    assert {**handed.message.params, "step": ""} == {"step": "", "code": code, "said": "no[2J thanks"}
    named = {"connect": "while connecting", "after DATA": "after the whole mail"}.get(step, step)
    assert str(handed.message) == f"the mail server rejected it ({named}): {code} no[2J thanks"


@pytest.mark.parametrize("how", [STALL, DROP])
@pytest.mark.parametrize("step", ["connect", "EHLO", "MAIL", "RCPT", "DATA"])
def test_what_is_lost_before_the_final_dot_did_not_go_out(step: str, how: bytes) -> None:
    with scripted(**{step: how}) as server:
        handed = hand(server.url, timeout_s=0.3)
    assert handed.outcome is Outcome.FAILED
    assert handed.message.code == ("mail.stalled" if how == STALL else "mail.dropped")
    assert not server.received


def test_what_is_lost_after_the_final_dot_may_have_gone_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(after_DATA=DROP) as server:
        handed = hand(server.url)
    assert (handed.outcome, handed.message.code, len(server.received)) == (Outcome.UNKNOWN, "mail.dropped", 1)
    with scripted(after_DATA=b"354 what?\r\n") as server:
        assert hand(server.url).outcome is Outcome.UNKNOWN
    monkeypatch.setattr(smtp, "SESSION_S", 1.2)
    with scripted(after_DATA=STALL) as server:
        handed = hand(server.url, timeout_s=0.3)
    assert handed.outcome is Outcome.UNKNOWN


def test_a_letter_beyond_the_servers_size_is_not_sent() -> None:
    with scripted(EHLO=b"250-scripted\r\n250 SIZE 1000\r\n") as server:
        handed = hand(server.url, letter=Letter(LETTER.sender, LETTER.recipient, b"x" * 2_000_000))
    assert dict(handed.message.params) == {"most": "0.0", "size": "2.0"}
    assert (handed.outcome, server.received) == (Outcome.FAILED, [])


@pytest.mark.parametrize(
    ("step", "said", "outcome"),
    [
        ("connect", b"220-more\r\n" * 50_000, Outcome.FAILED),
        ("EHLO", b"250-more\r\n" * 50_000, Outcome.FAILED),
        ("MAIL", b"250 " + b"x" * 500_000, Outcome.FAILED),
        ("after_DATA", b"250-more\r\n" * 50_000, Outcome.UNKNOWN),
    ],
)
def test_an_endless_answer_is_given_up(step: str, said: bytes, outcome: Outcome) -> None:
    with scripted(**{step: said}) as server:
        handed = hand(server.url)
    assert (handed.outcome, handed.message.code) == (outcome, "mail.endless-answer")


def test_who_took_too_long_to_connect_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """By then whoever asked for it may have been told that it is lost, and have sent it again."""
    monkeypatch.setattr(smtp, "SESSION_S", 0.0)
    monkeypatch.setattr(smtp, "_limit_session", lambda _: nullcontext())  # which has nothing to cut while it connects
    with real_server() as (mailbox, url):
        handed = hand(url)
    assert (handed.outcome, mailbox.contents) == (Outcome.FAILED, [])


def test_nobody_listens() -> None:
    with socket.socket() as held:  # nobody else gets the port meanwhile
        held.bind(("127.0.0.1", 0))
        handed = hand(f"smtp://127.0.0.1:{held.getsockname()[1]}")
    assert (handed.outcome, handed.message.code) == (Outcome.FAILED, "mail.no-connection")


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Make the certificates of a server and of who vouches for it."""
    folder = tmp_path_factory.mktemp("tls")
    made = make_chain(folder)
    return made.server_context(), ssl.create_default_context(cafile=str(folder / "root.pem"))


def logged_in(server: object, session: object, envelope: object, mechanism: str, data: object) -> AuthResult:
    return AuthResult(success=data == LoginPassword(b"li", b"s@cret"))


def test_starttls_logs_in_and_a_certificate_that_nobody_vouches_for_is_refused(tls: tuple[ssl.SSLContext, ...]) -> None:
    own, trusting = tls
    options = {"tls_context": own, "require_starttls": True, "authenticator": logged_in, "auth_required": True}
    with real_server(**options) as (mailbox, url):
        place = url.removeprefix("smtp://")
        assert hand(f"smtp+starttls://li:s%40cret@{place}", tls=trusting).outcome is Outcome.SENT
        wrong = hand(f"smtp+starttls://li:wrong@{place}", tls=trusting)
        assert (wrong.outcome, wrong.message.params["step"]) == (Outcome.FAILED, "AUTH")
        assert hand(f"smtp+starttls://{place}").message.code == "mail.no-tls"
    assert len(mailbox.contents) == 1


def test_smtps_is_encrypted_from_the_first_byte(tls: tuple[ssl.SSLContext, ...]) -> None:
    own, trusting = tls
    with real_server(ssl_context=own) as (mailbox, url):
        place = url.removeprefix("smtp://")
        assert hand(f"smtps://{place}", tls=trusting).outcome is Outcome.SENT
        assert hand(f"smtps://{place}").message.code == "mail.no-tls"
    assert len(mailbox.contents) == 1


def test_a_server_without_starttls_or_login_gets_neither_letter_nor_password() -> None:
    with scripted() as server:
        place = server.url.removeprefix("smtp://")
        assert hand(f"smtp+starttls://{place}").message.code == "mail.no-starttls"
        assert hand(f"smtp://li:secret@{place}").message.code == "mail.no-auth"
    assert not server.received


@pytest.mark.parametrize(
    "url",
    ["", "smtp://", "http://x", "smtp://x/path", "smtp://u@x", "smtp://x:99999", "smtp://x\r\n", "smtps://u:p@x?y=1"],
)
def test_what_names_no_server_is_none(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_mail_server(url)


def test_a_server_shows_no_password() -> None:
    server = parse_mail_server("smtp+starttls://li:s%40cret@mail.example")
    assert server == MailServer(Security.STARTTLS, "mail.example", 587, "li", "s@cret")
    assert "cret" not in repr(server)
