"""RFC 3161 stamps: accepted as openssl accepts them, refused with the reason."""

import base64
import hashlib
import re
import subprocess
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given
from hypothesis import strategies as st

from bundles.authority import make_query
from bundles.certificates import find_chain, parse_certificates
from bundles.faults import DoesNotHold, Fault
from bundles.records import TimeStamp
from bundles.stamps import verify_stamp
from core.ids import digest
from tests.support.time_stamp_authority import DEFAULT_POLICY, LocalAuthority

pytestmark = pytest.mark.usefixtures("processes")

ROOT = digest("这一天的根".encode())


@pytest.fixture(scope="module")
def stamp(authority: LocalAuthority) -> TimeStamp:
    return stamped(authority)


def stamped(authority: LocalAuthority, policy: str = "", nonce: int = 4711) -> TimeStamp:
    """A stamp that nobody verified yet."""
    query = make_query(ROOT, nonce, policy)
    return TimeStamp(query, authority.answer(query), authority.ca_pem, "local")


def refused(stamp: TimeStamp, trusted: bytes = b"") -> Fault:
    with pytest.raises(DoesNotHold) as caught:
        verify_stamp(stamp, ROOT, "response.tsr", trusted)
    assert caught.value.part == "response.tsr"
    assert caught.value.message.in_language("zh") != caught.value.message.in_language("en")
    return caught.value.fault


def test_a_stamp_says_when_by_whom_and_up_to_which_root(stamp: TimeStamp, authority: LocalAuthority) -> None:
    facts = verify_stamp(stamp, ROOT, "response.tsr")
    assert facts.policy == DEFAULT_POLICY
    assert (facts.signer, facts.root) == ("CN=Local Time Stamps", "CN=Local Time Root")
    der = x509.load_pem_x509_certificate(authority.ca_pem).public_bytes(Encoding.DER)
    assert facts.root_sha256 == hashlib.sha256(der).hexdigest()


def test_openssl_accepts_the_same_stamp_by_query_and_by_digest(stamp: TimeStamp, tmp_path: Path) -> None:
    for name, content in (("q", stamp.query), ("r", stamp.response), ("ca", stamp.ca_pem)):
        (tmp_path / name).write_bytes(content)
    for given_as in (["-queryfile", "q"], ["-digest", ROOT]):
        done = subprocess.run(
            ["openssl", "ts", "-verify", "-in", "r", *given_as, "-CAfile", "ca"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, "Verification: OK" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize(
    ("asked", "fault"),
    [((4712,), Fault.STAMP_NONCE), ((4711, "1.3.6.1.4.1.99999.2"), Fault.STAMP_POLICY)],
    ids=["another request", "another policy"],
)
def test_an_answer_to_something_else_is_refused(stamp: TimeStamp, asked: tuple[int, ...], fault: Fault) -> None:
    assert refused(replace(stamp, query=make_query(ROOT, *asked))) is fault


def test_a_policy_that_is_asked_for_is_given_or_refused(authority: LocalAuthority) -> None:
    assert verify_stamp(stamped(authority, "1.3.6.1.4.1.99999.2"), ROOT, "r").policy == "1.3.6.1.4.1.99999.2"
    assert refused(stamped(authority, "1.2.3.4")) is Fault.STAMP_REFUSED


def test_a_stamp_of_an_unknown_root_is_refused(stamp: TimeStamp, authority: LocalAuthority, tmp_path: Path) -> None:
    other = LocalAuthority(tmp_path)
    assert refused(replace(stamp, ca_pem=other.ca_pem)) is Fault.STAMP_CHAIN
    assert refused(stamp, trusted=other.ca_pem) is Fault.STAMP_CHAIN
    assert refused(replace(stamp, ca_pem=b"")) is Fault.STAMP_CHAIN
    between = (authority.folder / "between.pem").read_bytes()
    assert refused(replace(stamp, ca_pem=between)) is Fault.STAMP_CHAIN, "an intermediate alone is no root"


def test_a_certificate_that_was_not_valid_at_that_moment_is_refused(authority: LocalAuthority) -> None:
    read = [
        parse_certificates((authority.folder / f"{name}.pem").read_bytes()) for name in ("signer", "between", "root")
    ]
    (signer,), between, roots = read
    assert find_chain(signer, between, roots, signer.not_valid_after_utc, "r")[-1] == roots[0]
    with pytest.raises(DoesNotHold, match="not valid then"):
        find_chain(signer, between, roots, signer.not_valid_after_utc + timedelta(seconds=1), "r")


@given(st.integers(min_value=0), st.integers(min_value=1, max_value=255))
def test_no_changed_byte_makes_a_stamp_say_anything_else(stamp: TimeStamp, position: int, flip: int) -> None:
    at = position % len(stamp.response)
    changed = bytearray(stamp.response)
    changed[at] ^= flip
    try:
        facts = verify_stamp(replace(stamp, response=bytes(changed)), ROOT, "response.tsr")
    except DoesNotHold:
        return
    assert facts == verify_stamp(stamp, ROOT, "response.tsr")


def test_a_certificate_of_an_unknown_version_is_refused(stamp: TimeStamp) -> None:
    third = b"\xa0\x03\x02\x01\x02"  # version 3, counted from 0
    assert third in stamp.response
    assert refused(replace(stamp, response=stamp.response.replace(third, third[:-1] + b"\x03")))
    pem = _with_version(stamp.ca_pem, 3)
    with pytest.raises(ValueError, match="unknown version"):
        parse_certificates(pem)


def _with_version(pem: bytes, version: int) -> bytes:
    """The first certificate of a PEM file under another version, whose signature no longer holds."""
    third = b"\xa0\x03\x02\x01\x02"
    body = base64.b64decode(pem.split(b"-----")[2])
    changed = base64.encodebytes(body.replace(third, third[:-1] + bytes([version]), 1))
    return b"-----BEGIN CERTIFICATE-----\n" + changed + b"-----END CERTIFICATE-----\n"


def test_a_certificate_with_one_extension_twice_is_refused(stamp: TimeStamp) -> None:
    key_usage, basic_constraints = b"\x06\x03\x55\x1d\x0f", b"\x06\x03\x55\x1d\x13"
    places = [found.start() for found in re.finditer(re.escape(key_usage), stamp.response)]
    assert places
    for at in places:
        changed = stamp.response[:at] + basic_constraints + stamp.response[at + len(key_usage) :]
        assert refused(replace(stamp, response=changed))


@given(st.binary(max_size=200))
def test_what_is_no_stamp_is_refused_in_a_sentence(stamp: TimeStamp, data: bytes) -> None:
    for broken in (replace(stamp, response=data), replace(stamp, query=data), replace(stamp, response=b"\x30" + data)):
        refused(broken)


def test_deeply_nested_data_is_refused(stamp: TimeStamp) -> None:
    nested = b""
    for _ in range(5_000):
        size = len(nested)
        nested = b"\x30\x83" + size.to_bytes(3, "big") + nested
    assert refused(replace(stamp, response=nested)) is Fault.UNREADABLE
