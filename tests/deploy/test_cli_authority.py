"""`zhuiwen evidence add-authority`: an authority is asked for a real stamp, and kept only where that holds."""

import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_pem_x509_certificate
from pyasn1.codec.der.decoder import decode
from pyasn1.codec.der.encoder import encode
from pyasn1_modules import rfc3161

from bundles.authority import Authority
from core.settings_loading import load
from tests.support.command_line import CommandLine, Done
from tests.support.time_stamp_authority import DEFAULT_POLICY, TO_LOOPBACK, LocalAuthority, serving, serving_stamps
from webadmin.evidence.services.authorities import try_authority

SHA256_OID, SHA224_OID = bytes.fromhex("0609608648016503040201"), bytes.fromhex("0609608648016503040204")
REPLY = "application/timestamp-reply"
pytestmark = pytest.mark.usefixtures("loopback", "processes")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> LocalAuthority:
    return LocalAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def allowing(zhuiwen: CommandLine) -> CommandLine:
    """An installation that may ask authorities on this machine."""
    return CommandLine(zhuiwen.home, {"ZHUIWEN_ALLOW_PRIVATE_TSA": "1"})


def add(command: CommandLine, url: str, root: Path, *more: str) -> Done:
    return command("evidence", "add-authority", url, "--root", root, *more)


def saved_authorities(command: CommandLine) -> tuple[str, ...]:
    return load(command.environ()).evidence.tsa_urls


def test_what_came_back_is_told_and_the_authority_is_kept_with_its_root(
    allowing: CommandLine, authority: LocalAuthority
) -> None:
    with serving_stamps(authority) as url:
        done = add(allowing, url, authority.folder / "root.pem")
    assert (done.code, done.err) == (0, "")
    told = dict(line.split(": ", 1) for line in done.out.splitlines() if ": " in line)
    root = load_pem_x509_certificate(authority.ca_pem)
    assert told["policy"] == DEFAULT_POLICY
    assert int(told["serial number"]) > 0
    assert told["certificate chain"].startswith("ends in root.pem: CN=Local Time Root, SHA-256 ")
    assert "CN=Local Time Stamps" in told["purpose"]
    assert told["time of the stamp"].startswith(f"{datetime.now(UTC):%Y-%m-%dT%H:}"[:11])
    assert done.out.splitlines()[-1] == f"{url} returned a valid time stamp and was saved"
    settings = load(allowing.environ()).evidence
    assert settings.tsa_urls == (url,)
    file = allowing.home / "authorities" / "127.0.0.1.pem"
    assert settings.tsa_roots == str(file.parent)
    assert load_pem_x509_certificate(file.read_bytes()) == root
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_root_is_taken_as_authorities_publish_it(
    allowing: CommandLine, authority: LocalAuthority, tmp_path: Path
) -> None:
    der = tmp_path / "root.cer"
    der.write_bytes(load_pem_x509_certificate(authority.ca_pem).public_bytes(Encoding.DER))
    with serving_stamps(authority) as url:
        said = add(allowing, url, der, "--json").json()
    assert (said["holds"], said["fault"], said["policy"]) == (True, None, DEFAULT_POLICY)
    assert said["root"] == "CN=Local Time Root"


def test_a_second_authority_is_added(allowing: CommandLine, authority: LocalAuthority, tmp_path: Path) -> None:
    other = LocalAuthority(tmp_path / "other")
    with serving_stamps(authority) as first, serving_stamps(other) as second:
        for url, root in ((first, authority), (second, other), (second, other)):
            assert add(allowing, url, root.folder / "root.pem").code == 0
    assert saved_authorities(allowing) == (first, second)
    file = allowing.home / "authorities" / "127.0.0.1.pem"
    assert file.read_text().count("BEGIN CERTIFICATE") == 2  # one host, two roots, each once


def refused(query: bytes, authority: LocalAuthority) -> bytes:
    """The answer to a query whose digest is of a kind (SHA-224) that this authority does not stamp."""
    return authority.answer(query.replace(SHA256_OID, SHA224_OID))


def of_another_nonce(query: bytes, authority: LocalAuthority) -> bytes:
    """The answer to a query for the same digest that somebody else made."""
    asked = decode(query, asn1Spec=rfc3161.TimeStampReq())[0]
    asked["nonce"] = int(asked["nonce"]) ^ 1
    return authority.answer(encode(asked))


@contextmanager
def answering(reply: Callable[[bytes], tuple[int, str, bytes]]) -> Iterator[str]:
    with serving(reply) as server:
        yield f"http://127.0.0.1:{server.server_port}/tsa"


FAULTS: dict[str, str] = {
    "away": "is not responding",
    "status": "returned status 404 and text/html instead of a time stamp",
    "kind": "returned status 200 and text/html instead of a time stamp",
    "nonsense": "cannot be read",
    "refused": "the authority rejected",
    "nonce": "the stamp belongs to a different request",
    "other root": "does not lead to a trusted root: CN=Local Time Root is not among them, or did not sign",
    "expired": "CN=Local Time Stamps was not valid then",
    "no usage": "does not lead to a trusted root",
    "other usage": "does not lead to a trusted root",
}


@contextmanager
def faulty(kind: str, authority: LocalAuthority, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """An authority with one fault, and the root that it is tried with."""
    root = authority.folder / "root.pem"
    made: dict[str, dict[str, Any]] = {
        "expired": {"days": -1},
        "no usage": {"usage": "", "signature": "cms"},
        "other usage": {"usage": "critical, timeStamping, emailProtection", "signature": "cms"},
    }
    if kind in made:
        authority = LocalAuthority(tmp_path / "broken", **made[kind])
        root = authority.folder / "root.pem"
    if kind == "other root":
        root = LocalAuthority(tmp_path / "other").folder / "root.pem"
    replies: dict[str, Callable[[bytes], tuple[int, str, bytes]]] = {
        "status": lambda _: (404, "text/html", b"<h1>no</h1>"),
        "kind": lambda _: (200, "text/html", b"<h1>portal</h1>"),
        "nonsense": lambda _: (200, REPLY, b"\x30\x03\x02\x01\x00"),
        "refused": lambda query: (200, REPLY, refused(query, authority)),
        "nonce": lambda query: (200, REPLY, of_another_nonce(query, authority)),
    }
    with answering(replies.get(kind, lambda query: (200, REPLY, authority.answer(query)))) as url:
        if kind != "away":
            yield url, root
    if kind == "away":
        yield url, root


@pytest.mark.parametrize("kind", FAULTS)
def test_each_fault_is_one_sentence_and_nothing_is_kept(
    kind: str, allowing: CommandLine, authority: LocalAuthority, tmp_path: Path
) -> None:
    with faulty(kind, authority, tmp_path) as (url, root):
        done = add(allowing, url, root)
    assert done.code == 2
    (line,) = done.complaints
    assert line.startswith("zhuiwen: not saved: ")
    assert FAULTS[kind] in line
    claims = kind in ("nonce", "other root", "expired", "no usage", "other usage")
    assert (f"policy: {DEFAULT_POLICY}" in done.out) == claims
    assert saved_authorities(allowing) == ()
    assert not (allowing.home / "authorities").exists()


def test_a_clock_that_is_far_off_is_a_fault(authority: LocalAuthority) -> None:
    with serving_stamps(authority) as url:
        trial = try_authority(Authority(url, authority.ca_pem, TO_LOOPBACK), datetime.now(UTC) + timedelta(hours=1))
    assert (trial.facts, "one of them is wrong" in str(trial.fault)) == (None, True)


def test_a_private_address_is_not_asked_unless_that_is_allowed(zhuiwen: CommandLine, authority: LocalAuthority) -> None:
    with serving_stamps(authority) as url:
        done = add(zhuiwen, url, authority.folder / "root.pem")
    assert done.code == 2
    assert "private" in done.complaints[0]
    assert saved_authorities(zhuiwen) == ()


def test_a_file_without_a_root_is_refused_before_anybody_is_asked(
    zhuiwen: CommandLine, authority: LocalAuthority, tmp_path: Path
) -> None:
    (tmp_path / "root.pem").write_bytes(b"no certificate")
    for root, said in (
        (tmp_path / "root.pem", "contains no certificate"),
        (tmp_path / "none.pem", "none.pem"),
        (authority.folder / "between.pem", "contain no root"),
    ):
        done = add(zhuiwen, "https://tsa.example/", root)
        assert (done.code, len(done.complaints), said in done.err) == (2, 1, True), done.err


def test_what_the_environment_says_is_not_written_over_in_vain(zhuiwen: CommandLine, authority: LocalAuthority) -> None:
    command = CommandLine(zhuiwen.home, {"ZHUIWEN_TSA_URLS": "https://tsa.example/"})
    done = add(command, "https://other.example/", authority.folder / "root.pem")
    assert (done.code, len(done.complaints)) == (2, 1)
    assert "ZHUIWEN_TSA_URLS is set in the environment" in done.err


def test_a_login_goes_through_standard_input_and_is_shown_nowhere(
    allowing: CommandLine, authority: LocalAuthority
) -> None:
    with serving_stamps(authority) as url:
        secret = url.replace("http://", "http://user:geheim-1@")
        shown = add(allowing, secret, authority.folder / "root.pem")
        assert shown.code == 2
        done = allowing(
            "evidence", "add-authority", "-", "--root", authority.folder / "root.pem", stdin=secret.encode()
        )
    assert done.code == 0, done.err
    assert saved_authorities(allowing) == (secret,)
    told = done.out + done.err + shown.out + shown.err
    assert "geheim" not in told


def test_one_file_of_roots_is_the_operators_own(
    allowing: CommandLine, authority: LocalAuthority, tmp_path: Path
) -> None:
    roots = tmp_path / "roots.pem"
    roots.write_bytes((LocalAuthority(tmp_path / "other").folder / "root.pem").read_bytes())
    assert allowing("config", "set", "tsa_roots", str(roots)).code == 0
    with serving_stamps(authority) as url:
        done = add(allowing, url, authority.folder / "root.pem")
        assert (done.code, len(done.complaints)) == (2, 1)
        assert "ZHUIWEN_TSA_ROOTS names a single file" in done.err
        roots.write_bytes(roots.read_bytes() + authority.ca_pem)
        assert add(allowing, url, authority.folder / "root.pem").code == 0
    assert load(allowing.environ()).evidence.tsa_roots == str(roots)
