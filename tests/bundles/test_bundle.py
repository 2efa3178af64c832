"""One page as a WACZ, and how public tools read it."""

import gzip
import io
import json
from dataclasses import replace
from datetime import datetime
from functools import partial
from ssl import DER_cert_to_PEM_cert

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from bundles import bundle, container
from bundles.canonical import canonical
from bundles.cdx import sort_key
from bundles.faults import DoesNotHold, Fault
from bundles.opened import open_bundle
from bundles.warc_reading import ByteBudget
from core.captures import NameAnswer, TlsSession
from core.errors import BadInput
from core.ids import digest
from core.marks import Mark
from core.text import TextRange
from core.wording import Message
from tests.support.evidence_samples import (
    FETCHED,
    HTML,
    MADE,
    PAGE_TEXT,
    PDF,
    PNG,
    SALT,
    capture,
    finding,
    head,
)
from tests.support.examples import examples

WACZ = bundle.make(capture(), finding(), made_at=MADE, salt=SALT)


def files_of(content: bytes) -> dict[str, bytes]:
    return {name: bytes(data) for name, data in container.read(memoryview(content), "").items()}


def records_of(content: bytes) -> list[tuple[str, str, bytes]]:
    found = ArchiveIterator(io.BytesIO(files_of(content)[bundle.ARCHIVE]))
    return [
        (record.rec_type, record.rec_headers.get_header("WARC-Target-URI") or "", record.content_stream().read())
        for record in found
    ]


def rebuilt(content: bytes, changes: dict[str, bytes]) -> bytes:
    """Return what somebody makes who changes files and writes all digests anew."""
    files = files_of(content) | changes
    package = json.loads(files[bundle.PACKAGE])
    for item in package["resources"]:
        item["hash"], item["bytes"] = f"sha256:{digest(files[item['path']])}", len(files[item["path"]])
    files[bundle.PACKAGE] = canonical(package)
    files[bundle.PACKAGE_DIGEST] = bundle.package_digest(files[bundle.PACKAGE])
    return container.write(files)


def test_the_records_are_those_of_the_page() -> None:
    records = records_of(WACZ.content)
    url = "https://m.daoban.example/7.html"
    assert [(kind, where) for kind, where, _ in records] == [
        ("warcinfo", ""),
        ("request", "http://daoban.example/7.html"),
        ("response", "http://daoban.example/7.html"),
        ("request", url),
        ("response", url),
        ("resource", "dns:m.daoban.example"),
        ("metadata", url),
        ("conversion", f"urn:text:{url}"),
        ("resource", f"urn:fullPage:{url}"),
        ("resource", f"urn:pdf:{url}"),
    ]
    contents = {(kind, where): content for kind, where, content in records}
    assert contents["response", url] == HTML
    assert contents["conversion", f"urn:text:{url}"].decode() == PAGE_TEXT
    assert contents["resource", f"urn:fullPage:{url}"] == PNG
    assert contents["resource", f"urn:pdf:{url}"] == PDF
    assert b"IN AAAA 2001:db8::9" in contents["resource", "dns:m.daoban.example"]


@pytest.mark.parametrize(
    "url",
    [
        "https://www.Book.example:8443/A/B.html?b=2&a=1",
        "http://book.example/",
        "https://book.example",
        "https://book.example/%E4%B9%A6/?x",
        "https://book.example:443/x/",
        "urn:pdf:https://book.example/x?Q=1",
        "dns:book.example",
    ],
)
def test_sort_keys_are_those_of_the_archives(url: str) -> None:
    surt = pytest.importorskip("surt")
    assert sort_key(url) == surt.surt(url)


def test_the_same_page_is_bundled_twice_alike() -> None:
    given = capture()
    first, second = (bundle.make(given, finding(), made_at=MADE, salt=SALT) for _ in range(2))
    assert first == second
    salted = {bundle.make(given, finding(), made_at=MADE).digest for _ in range(2)}
    assert len(salted) == 2, "two bundles of one page cannot be told from each other's digest"


def test_the_certificates_that_the_server_showed_are_kept_and_named() -> None:
    given = capture()
    whole = open_bundle(bundle.make(given, finding(), made_at=MADE).content, "bundle")
    tls = whole.connection["exchanges"][1]["tls"]
    assert bytes(whole.files[tls["file"]]).decode() == DER_cert_to_PEM_cert(given.page.tls.certificates[0])  # type: ignore[union-attr]
    assert tls["certificates"][0]["subject"] == "CN=m.daoban.example"
    assert whole.connection["redirects"] == ["http://daoban.example/7.html"]


def test_sessions_and_logins_are_in_no_file_of_the_bundle() -> None:
    page = capture().page
    secret = replace(
        page,
        url="https://me:geheim-1@m.daoban.example/7.html",
        request_head=head(
            page.request.line,
            *page.request.headers,
            ("Proxy-Authorization", "Basic geheim-2"),
            ("authorization", "geheim-3"),
        ),
    )
    made = bundle.make(capture(exchanges=(secret,)), finding(), made_at=MADE)
    expanded = b"".join(
        gzip.decompress(data) if name.endswith(".gz") else data for name, data in files_of(made.content).items()
    )
    assert b"geheim" not in expanded
    told = open_bundle(made.content, "bundle").connection["exchanges"][0]["withheld"]
    assert told == ["Cookie", "Proxy-Authorization", "authorization", "Set-Cookie"]


def test_a_finding_on_another_text_or_a_moment_without_a_zone_is_no_bundle() -> None:
    with pytest.raises(BadInput, match="passage 1"):
        bundle.make(capture(text="另一篇文字。"), finding(), made_at=MADE)
    page = replace(capture().page, ended_at=datetime(2026, 11, 20))
    with pytest.raises(BadInput, match="time zone"):
        bundle.make(capture(exchanges=(page,)), finding(), made_at=MADE)


def test_a_bundle_whose_parts_contradict_each_other_does_not_hold() -> None:
    page = json.loads(files_of(WACZ.content)[bundle.PAGE])
    lied = rebuilt(WACZ.content, {bundle.PAGE: canonical(page | {"body_digest": "00" * 32})})
    with pytest.raises(DoesNotHold) as caught:
        open_bundle(lied, "bundle")
    assert caught.value.fault is Fault.CONTRADICTS
    found = json.loads(files_of(WACZ.content)[bundle.FINDING])
    found["passages"][0]["page_excerpt"] = "卖豆腐的老人"
    with pytest.raises(DoesNotHold, match=r"evidence/finding.json"):
        open_bundle(rebuilt(WACZ.content, {bundle.FINDING: canonical(found)}), "bundle")


def test_the_text_as_it_came_leads_to_the_text_that_was_compared() -> None:
    raw = f"{PAGE_TEXT[:4]}本站首发{PAGE_TEXT[4:]}"
    mark = Mark("hidden_text", TextRange(4, 8), TextRange(4, 4))
    passage = replace(finding().passages[0], raw=(8, 12))
    made = bundle.make(capture(raw_text=raw, marks=(mark,)), finding(passages=(passage,)), made_at=MADE)
    page = open_bundle(made.content, "bundle").page
    assert (page["raw_text"], page["marks"]) == (raw, [{"kind": "hidden_text", "raw": [4, 8], "text": [4, 4]}])
    assert json.loads(files_of(made.content)[bundle.FINDING])["passages"][0]["raw"] == [8, 12]
    for wrong in ({"raw_text": f"{raw}。"}, {"marks": []}, {"marks": [{"kind": "hidden_text", "raw": [9, 1]}]}):
        with pytest.raises(DoesNotHold, match=r"evidence/page.json"):
            open_bundle(rebuilt(made.content, {bundle.PAGE: canonical(page | wrong)}), "bundle")


@pytest.mark.parametrize("name", [bundle.PAGE, bundle.FINDING])
def test_a_statement_that_lacks_a_field_or_has_another_kind_is_refused_in_a_sentence(name: str) -> None:
    whole = json.loads(files_of(WACZ.content)[name])
    for field in ("url", "fetched_at", "screenshot", "passages", "page_text_digest"):
        if field not in whole:
            continue
        without = {key: value for key, value in whole.items() if key != field}
        for changed in (without, whole | {field: 7}, whole | {field: [None]}):
            with pytest.raises(DoesNotHold):
                open_bundle(rebuilt(WACZ.content, {name: canonical(changed)}), "bundle")


@pytest.mark.parametrize("name", [bundle.PAGE, bundle.FINDING, bundle.CONNECTION, bundle.ARCHIVE, bundle.PAGES])
def test_a_changed_file_is_named(name: str) -> None:
    files = files_of(WACZ.content)
    files[name] = files[name][:-1] + bytes([files[name][-1] ^ 1])
    with pytest.raises(DoesNotHold) as caught:
        open_bundle(container.write(files), "bundle")
    assert (caught.value.fault, caught.value.part) == (Fault.DIGEST, f"bundle > {name}")


def test_a_missing_and_a_foreign_file_are_named() -> None:
    files = files_of(WACZ.content)
    with pytest.raises(DoesNotHold, match=r"finding\.json is missing"):
        open_bundle(container.write({name: data for name, data in files.items() if name != bundle.FINDING}), "bundle")
    with pytest.raises(DoesNotHold, match=r"extra\.txt is not listed"):
        open_bundle(container.write({**files, "extra.txt": b"x"}), "bundle")


def test_an_archive_that_expands_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bundles.opened.ByteBudget", partial(ByteBudget, 1_000_000))
    archive = gzip.decompress(files_of(WACZ.content)[bundle.ARCHIVE])
    head = b"WARC/1.1\r\nContent-Length: 50000000\r\n\r\n"
    for bomb in (head + bytes(50_000_000), archive + head + bytes(50_000_000)):
        with pytest.raises(DoesNotHold) as caught:
            open_bundle(rebuilt(WACZ.content, {bundle.ARCHIVE: gzip.compress(bomb)}), "bundle")
        assert caught.value.fault is Fault.TOO_LARGE


gzipped = partial(gzip.compress, mtime=0)  # the same bytes, and so the same test, in every process


@pytest.mark.parametrize("archive", [b"", b"no gzip", gzipped(b"no warc"), gzipped(b"WARC/1.1\r\n")[:-4]])
def test_an_archive_that_is_none_is_refused_in_a_sentence(archive: bytes) -> None:
    with pytest.raises(DoesNotHold):
        open_bundle(rebuilt(WACZ.content, {bundle.ARCHIVE: archive}), "bundle")


@pytest.mark.parametrize(
    "change",
    [
        (b"WARC/1.1", b"WARC/1.0"),
        (b"Content-Length: ", b"Content-Length: 9"),
        (b"Content-Length: ", b"Content-Length: -"),
        (b"WARC-Type: warcinfo", b"WARC-Type: warcinfo\r\nWARC-Type: response"),
        (b"WARC-Type: warcinfo", b"\xff"),
        (b"\r\n\r\nWARC", b"\r\n\r\n\x1b[2JWARC"),
        (b"WARC-Block-Digest: sha256", b"WARC-Block-Digest: sha1"),
    ],
)
def test_records_written_otherwise_are_refused_without_a_word_of_theirs(
    change: tuple[bytes, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    archive = gzip.decompress(files_of(WACZ.content)[bundle.ARCHIVE])
    assert change[0] in archive
    changed = gzip.compress(archive.replace(*change, 1))
    with pytest.raises(DoesNotHold, match=r"archive/data\.warc\.gz"):
        open_bundle(rebuilt(WACZ.content, {bundle.ARCHIVE: changed}), "bundle")
    assert capsys.readouterr() == ("", "")


@examples(40)
@given(st.text(), st.text(), st.text(), st.binary(max_size=300), st.lists(st.tuples(st.text(), st.text()), max_size=4))
def test_whatever_a_site_sends_becomes_a_bundle_that_holds(
    url: str, title: str, text: str, body: bytes, headers: list[tuple[str, str]]
) -> None:
    page = replace(
        capture().page,
        url=f"http://h.example/{url}",
        body=body,
        response_head="\r\n".join((f"HTTP/1.1 200 {title}", *map(": ".join, headers))).encode("utf-8", "replace"),
        tls=TlsSession("TLSv1.3", title, 0, url, (body,)),
        name_answer=NameAnswer(url, (title,), FETCHED),
    )
    given_page = capture(
        exchanges=(page, page),
        title=title,
        text=text,
        extractor=title,
        absent={title: Message("bundle.came-from", origin=text)},
    )
    made = bundle.make(given_page, finding(passages=(), work_title=title), made_at=MADE, salt=SALT)
    held = open_bundle(made.content, "bundle")
    assert held.page["text_digest"] == digest(text.encode("utf-8", "surrogatepass"))
    assert held.page["body_digest"] == digest(body)
    assert len(list(ArchiveIterator(io.BytesIO(held.files[bundle.ARCHIVE])))) >= 8
