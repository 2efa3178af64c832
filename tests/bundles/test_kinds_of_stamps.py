"""Stamps of all kinds of keys, and authorities with whom something is wrong; every one made by openssl."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyasn1.codec.der.decoder import decode
from pyasn1_modules import rfc3161

from bundles.authority import Authority, make_query
from bundles.faults import DoesNotHold, Fault
from bundles.records import TimeStamp
from bundles.revocation import MAX_LIST_BYTES, list_as_pem
from bundles.stamps import verify_stamp
from bundles.verification import VerificationReport
from bundles.verify import lines
from core.ids import digest
from tests.bundles.test_stamps import ROOT, refused, stamped
from tests.support.time_stamp_authority import DEFAULT_POLICY, TO_LOOPBACK, TO_PUBLIC, LocalAuthority, serving

pytestmark = pytest.mark.usefixtures("processes")

REPLY = "application/timestamp-reply"
NOW = datetime.now(UTC)
HOUR = timedelta(hours=1)
Made = Callable[[str, str], TimeStamp]


@pytest.mark.parametrize(
    ("key", "signature", "ess"),
    [
        ("EC", "", "sha256"),
        ("RSA", "", "sha1"),
        ("RSA", "cms pss", "sha256"),
        ("RSA-PSS", "cms pss", "sha256"),
        ("ED25519", "cms", "sha256"),
    ],
)
def test_stamps_of_every_usual_kind_of_key_are_accepted_and_a_changed_one_is_not(
    key: str, signature: str, ess: str, tmp_path: Path
) -> None:
    stamp = stamped(LocalAuthority(tmp_path, key=key, signature=signature, ess=ess))
    facts = verify_stamp(stamp, ROOT, "response.tsr")
    assert (facts.policy, facts.signer) == (DEFAULT_POLICY, "CN=Local Time Stamps")
    changed = stamp.response[:-1] + bytes([stamp.response[-1] ^ 1])
    assert refused(replace(stamp, response=changed)) in (Fault.STAMP_SIGNATURE, Fault.UNREADABLE)
    with pytest.raises(DoesNotHold):
        verify_stamp(stamp, digest(b"another"), "response.tsr")


def test_a_stamp_signed_with_a_certificate_for_another_purpose_is_refused(tmp_path: Path) -> None:
    usages = ("timeStamping", "critical, codeSigning")  # the command line is refused those with none and with two
    for number, usage in enumerate(usages):
        stamp = stamped(LocalAuthority(tmp_path / str(number), usage=usage, signature="cms"))
        with pytest.raises(DoesNotHold, match="time stamps") as caught:
            verify_stamp(stamp, ROOT, "response.tsr")
        assert caught.value.fault is Fault.STAMP_CHAIN
        assert "时间戳" in caught.value.message.in_language("zh")


def test_an_answer_under_another_policy_is_refused_before_it_is_stored(tmp_path: Path) -> None:
    local = LocalAuthority(tmp_path)

    def reply(query: bytes) -> tuple[int, str, bytes]:
        nonce = int(decode(query, asn1Spec=rfc3161.TimeStampReq())[0]["nonce"])
        return 200, REPLY, local.answer(make_query(ROOT, nonce))  # whatever policy was asked for

    with serving(reply) as server:
        url = f"http://127.0.0.1:{server.server_port}/"
        asked = Authority(url, local.ca_pem, TO_LOOPBACK, policy="1.3.6.1.4.1.99999.2")
        with pytest.raises(DoesNotHold) as caught:
            asked.stamp(ROOT)
    assert caught.value.fault is Fault.STAMP_POLICY
    assert DEFAULT_POLICY in str(caught.value)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory, processes: None) -> LocalAuthority:
    return LocalAuthority(tmp_path_factory.mktemp("revoked"))


@pytest.mark.parametrize(
    ("reason", "at", "is_accepted"),
    [
        ("", NOW, True),
        ("superseded", NOW + HOUR, True),
        ("cessationOfOperation", NOW + HOUR, True),
        ("superseded", NOW - HOUR, False),
        ("keyCompromise", NOW + HOUR, False),
        (None, NOW + HOUR, False),
    ],
)
def test_a_stamp_of_a_revoked_certificate_counts_only_where_its_key_was_safe(
    local: LocalAuthority, reason: str | None, at: datetime, is_accepted: bool
) -> None:
    stamp = stamped(local)
    lists = list_as_pem(local.revoking(reason, at)) + list_as_pem(local.revoking("", NOW, issuer="root"))
    enclosed, of_reader = replace(stamp, ca_pem=stamp.ca_pem + lists), stamp.ca_pem + lists
    for given, trusted in ((enclosed, b""), (stamp, of_reader)):
        if is_accepted:
            assert verify_stamp(given, ROOT, "response.tsr", trusted).not_revoked_at is not None
            continue
        with pytest.raises(DoesNotHold, match="was revoked: CN=Local Time Stamps") as caught:
            verify_stamp(given, ROOT, "response.tsr", trusted)
        assert caught.value.fault is Fault.STAMP_REVOKED
        assert "吊销" in caught.value.message.in_language("zh")


def test_without_the_lists_of_every_issuer_revocation_is_said_to_be_not_checked(
    local: LocalAuthority, tmp_path: Path
) -> None:
    stamp = stamped(local)
    facts = verify_stamp(stamp, ROOT, "response.tsr")
    assert facts.not_revoked_at is None
    said = "\n".join(lines(VerificationReport(1, None, None, "", (), (facts,), 0, 1, 1)))
    assert "revocation not checked" in said
    one = replace(stamp, ca_pem=stamp.ca_pem + list_as_pem(local.revoking("", NOW)))
    assert verify_stamp(one, ROOT, "response.tsr").not_revoked_at is None
    forger = LocalAuthority(tmp_path)  # of the same names, with other keys: its list counts for nothing
    lists = list_as_pem(forger.revoking("keyCompromise", NOW - HOUR)) + list_as_pem(
        forger.revoking("", NOW, issuer="root")
    )
    assert verify_stamp(replace(stamp, ca_pem=stamp.ca_pem + lists), ROOT, "response.tsr").not_revoked_at is None


def test_a_list_that_the_authority_names_is_fetched_with_the_stamp_and_enclosed(tmp_path: Path) -> None:
    local: list[LocalAuthority] = []

    def reply(query: bytes) -> tuple[int, str, bytes]:
        return 200, REPLY, local[0].answer(query)

    with serving(reply) as server:
        place = f"http://127.0.0.1:{server.server_port}"
        local.append(LocalAuthority(tmp_path, lists_at=f"{place}/revoked.crl"))
        asked = Authority(f"{place}/tsa", local[0].ca_pem, TO_LOOPBACK)
        files: dict[str, bytes] = server.files  # type: ignore[attr-defined]
        assert b"X509 CRL" not in asked.stamp(ROOT).ca_pem
        for useless in (b"no list", b"\x30" * (MAX_LIST_BYTES + 1)):
            files["/revoked.crl"] = useless
            assert asked.stamp(ROOT).ca_pem == local[0].ca_pem
        files["/revoked.crl"] = local[0].revoking("", NOW)
        stamp = asked.stamp(ROOT)
        assert stamp.ca_pem.count(b"BEGIN X509 CRL") == 1
        assert verify_stamp(stamp, ROOT, "r").signer == "CN=Local Time Stamps"
        assert openssl_accepts(stamp, tmp_path)
        files["/revoked.crl"] = local[0].revoking("keyCompromise", NOW - HOUR)
        with pytest.raises(DoesNotHold) as caught:
            asked.stamp(ROOT)
    assert caught.value.fault is Fault.STAMP_REVOKED


def openssl_accepts(stamp: TimeStamp, folder: Path) -> bool:
    """With the lists of revoked certificates beside the root in one file, as an export has them."""
    for name, content in (("query", stamp.query), ("response", stamp.response), ("both.pem", stamp.ca_pem)):
        (folder / name).write_bytes(content)
    asked = ["openssl", "ts", "-verify", "-in", "response", "-queryfile", "query", "-CAfile", "both.pem"]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode == 0 and "Verification: OK" in done.stdout


def test_no_authority_names_another_address_inside_the_operators_network(tmp_path: Path) -> None:
    with serving(None) as other:
        local = LocalAuthority(tmp_path, lists_at=f"http://127.0.0.1:{other.server_port}/flush")
        inside = Authority("http://127.0.0.1:9/tsa", local.ca_pem, TO_LOOPBACK)
        public = Authority("http://tsa.example/", local.ca_pem, TO_PUBLIC)
        assert inside._revocation_lists(stamped(local), ROOT) == public._revocation_lists(stamped(local), ROOT) == b""
        assert other.seen == []  # type: ignore[attr-defined]
