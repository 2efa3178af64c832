"""Files of third parties: their content decides what they are, and what they say is read without trust."""

import hashlib
import io
import zipfile

import pytest

from bundles.authority import make_query
from core.ids import digest
from tests.support.time_stamp_authority import LocalAuthority
from webadmin.evidence.services.proof_files import (
    MAX_MEMBERS,
    MAX_TOKENS,
    detect_proof_kind,
    find_digests,
    parse_token,
    plain_text,
    read_proof,
)

pytestmark = pytest.mark.usefixtures("processes")

BUNDLE = digest("证据包".encode())


def answer(authority: LocalAuthority, value: str = BUNDLE) -> bytes:
    return authority.answer(make_query(value, 4711, ""))


def token(response: bytes) -> bytes:
    """The token alone, as services hand it out: without the status before it."""
    from bundles import der

    return der.children(response)[1]


def packed(**members: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return made.getvalue()


def test_an_answer_and_the_token_in_it_say_the_same(authority: LocalAuthority) -> None:
    response = answer(authority)
    whole, bare = parse_token(response), parse_token(token(response))
    assert whole == bare
    assert (whole.hash, whole.imprint, whole.signer, whole.is_signed) == (
        "sha256", BUNDLE, "CN=Local Time Stamps", True,
    )  # fmt: skip
    assert (detect_proof_kind(response, "a.pdf"), detect_proof_kind(token(response), "")) == ("tsr", "tst")


def test_a_token_that_was_changed_is_not_signed(authority: LocalAuthority) -> None:
    changed = answer(authority).replace(bytes.fromhex(BUNDLE), bytes(32))
    found = parse_token(changed)
    assert (found.imprint, found.is_signed) == ("00" * 32, False)


def test_a_token_on_another_kind_of_digest_says_which(authority: LocalAuthority) -> None:
    import subprocess

    data = authority.folder / "data"
    data.write_bytes(b"x")
    query = subprocess.run(
        ["openssl", "ts", "-query", "-data", str(data), "-sha512", "-cert"], check=True, capture_output=True
    ).stdout
    found = parse_token(authority.answer(query))
    assert (found.hash, found.imprint) == ("sha512", hashlib.sha512(b"x").hexdigest())


@pytest.mark.parametrize(
    ("content", "name", "kind"),
    [
        (b"%PDF-1.7\n", "a.exe", "pdf"),
        (b"\x89PNG\r\n\x1a\n", "", "png"),
        (b"\xff\xd8\xff\xe0", "", "jpg"),
        ("存证编号".encode(), "存证.json", "json"),
        ("存证编号".encode("gb18030"), "存证.html", "txt"),
        ("存证编号".encode("utf-16"), "存证.xml", "xml"),
        (packed(a__txt=b"x"), "", "zip"),
        (packed(OFD__xml=b"<x/>"), "", "ofd"),
        (b"0x7a3f", "a.txt", "txt"),
        (b"MZ\x00\x01", "deed.pdf", ""),
        (b"\x30\x03\x02\x01\x00", "deed.tsr", ""),
        (b"\x30\x84\xff\xff\xff\xff", "deed.tsr", ""),
        (b"PK\x05\x06" + b"\xff" * 18, "deed.zip", ""),
        (b"PK\x03\x04" + b"PK\x01\x02" * 6_000, "deed.zip", ""),
        (b"", "deed.pdf", ""),
    ],
)
def test_the_content_says_what_a_file_is(content: bytes, name: str, kind: str) -> None:
    assert detect_proof_kind(content, name) == kind


def test_digests_are_found_broken_in_groups_and_beside_other_digits() -> None:
    grouped = " ".join(BUNDLE[at : at + 8] for at in range(0, 64, 8))
    for text in (BUNDLE.upper(), f"ff{BUNDLE}00", f"哈希值：{grouped}", f"{BUNDLE[:40]}\n{BUNDLE[40:]}"):
        assert find_digests(text, {BUNDLE}) == {BUNDLE}
    assert find_digests(BUNDLE[:-1] + "，", {BUNDLE}) == set()


def test_an_archive_is_looked_through_for_tokens_and_text_within_bounds(authority: LocalAuthority) -> None:
    runs = f"<w>{BUNDLE[:10]}</w><w>{BUNDLE[10:]}</w>".encode()
    found = read_proof(packed(cert__tst=token(answer(authority)), part__xml=runs, picture__png=b"\x89PNG"), "zip")
    assert [each.imprint for each in found.tokens] == [BUNDLE]
    assert find_digests(found.text, {BUNDLE}) == {BUNDLE}
    assert not found.is_cut
    many = packed(**{f"{number}__txt": b"a" for number in range(MAX_MEMBERS + 1)})
    assert read_proof(many, "zip").is_cut
    tokens = {f"{number}__tst": token(answer(authority)) for number in range(MAX_TOKENS + 1)}
    found = read_proof(packed(**tokens), "zip")
    assert (len(found.tokens), found.is_cut) == (MAX_TOKENS, True)
    assert read_proof(packed(number__txt=b"0x7a3f"), "zip").text == "0x7a3f"


def test_a_bomb_is_not_unpacked_to_its_end() -> None:
    found = read_proof(packed(bomb__txt=b"a" * (60 * 2**20)), "zip")
    assert found.is_cut
    assert found.text == ""


def test_no_entity_is_expanded() -> None:
    text = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
    found = read_proof(text.encode(), "xml")
    assert found.text == text
    assert plain_text(b"a\x00b") is None
