"""Texts on several pages, pages that a browser loaded, pages of old archives: each says what it is, and holds to it."""

import gzip
import html
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from bundles import bundle, layout, originals
from bundles.canonical import canonical
from bundles.cdx import sort_key
from bundles.faults import DoesNotHold, Fault
from bundles.opened import open_bundle
from bundles.records import NO_DRAWING, CapturedPage, CaseMaterial, Drawing, ProvenBundle, Undrawn
from bundles.verification import check_file
from core.captures import ArchivedRecord, CapturedResource, CaptureSource
from core.errors import BadInput
from core.ids import digest
from core.wording import Message
from tests.bundles.test_bundle import files_of, rebuilt, records_of
from tests.support.evidence_samples import (
    FETCHED,
    MADE,
    PDF,
    PNG,
    SALT,
    bare_capture,
    capture,
    drawing,
    finding,
    part,
    with_fields,
)
from webadmin.evidence.services import export

URL = "https://m.daoban.example/7.html"
DOM = "<html><body><p>脚本写出的正文</p></body></html>".encode()
SHEET = b"p {color: red}"


def old_record(kind: str, number: int, block: bytes) -> bytes:
    """As a crawler of years ago wrote it: another version, no digests."""
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{number}>\r\n"
        f"WARC-Target-URI: http://daoban.example/8.html\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype={kind}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block


RECORD = old_record("response", 1, b"HTTP/1.1 200 OK\r\nSet-Cookie: id=****; Path=/\r\n\r\n<p>2020</p>")
REQUEST = old_record("request", 2, b"GET /8.html HTTP/1.1\r\nA: 1\r\n\r\n")


def in_parts() -> CapturedPage:
    return capture(following=(part(2), part(3)))


def by_browser() -> CapturedPage:
    sheet = CapturedResource("https://m.daoban.example/look.css", "text/css", FETCHED, SHEET)
    return capture(source=CaptureSource.BROWSER, made_with="Chromium 150.0", dom=DOM, resources=(sheet,))


def from_archive() -> CapturedPage:
    kept = (
        ArchivedRecord("old.wacz", "archive/a.warc.gz", 17, RECORD, b""),
        ArchivedRecord("old.wacz", "archive/a.warc.gz", 900, REQUEST, b""),
    )
    bare = bare_capture()
    page = replace(bare.page, request_head=b"")
    return with_fields(bare, exchanges=(page,), source=CaptureSource.ARCHIVE, records=kept)


def made(given: CapturedPage) -> bytes:
    return bundle.make(given, finding(), made_at=MADE, salt=SALT).content


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("given", [capture, in_parts, by_browser, from_archive])
def test_public_programs_accept_each_of_them(given: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = made(given())  # type: ignore[operator]
    (tmp_path / "page.wacz").write_bytes(content)
    wacz = Path(sys.executable).with_name("wacz")
    done = subprocess.run([wacz, "validate", "-f", tmp_path / "page.wacz"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "data.warc.gz").write_bytes(files_of(content)[bundle.ARCHIVE])
    checker = Checker(type("Command", (), {"inputs": [str(tmp_path / "data.warc.gz")], "verbose": True}))
    checker.process_all()
    assert checker.exit_value == 0, capsys.readouterr().out


def test_every_part_of_a_chapter_is_there_with_its_request_and_its_redirects() -> None:
    content = made(in_parts())
    records = [(kind, where) for kind, where, _ in records_of(content) if kind in ("request", "response")]
    expected = ["http://daoban.example/7.html", URL]
    for number in (2, 3):
        expected += [f"https://m.daoban.example/go?{number}", f"https://m.daoban.example/7_{number}.html"]
    assert records == [(kind, where) for where in expected for kind in ("request", "response")]
    held = open_bundle(content, "bundle")
    assert held.page["url"] == URL
    assert [each["url"] for each in held.page["following"]] == [
        "https://m.daoban.example/7_2.html",
        "https://m.daoban.example/7_3.html",
    ]
    assert [each["exchange"] for each in (held.page, *held.page["following"])] == [2, 4, 6]
    assert [each["part"] for each in held.connection["exchanges"]] == [0, 0, 1, 1, 2, 2]
    assert held.connection["redirects"] == ["http://daoban.example/7.html"]
    assert all(each["tls"]["file"] in held.files for each in held.connection["exchanges"] if each["tls"])
    lines = [json.loads(line) for line in bytes(held.files[bundle.PAGES]).splitlines()[1:]]
    assert [line["url"] for line in lines] == [URL, *(each["url"] for each in held.page["following"])]


def test_a_page_of_a_browser_has_what_was_received_and_the_document_that_was_read() -> None:
    content = made(by_browser())
    contents = {(kind, where): content for kind, where, content in records_of(content)}
    assert contents["conversion", f"urn:dom:{URL}"] == DOM
    assert contents["response", URL] == capture().page.body
    assert contents["resource", "https://m.daoban.example/look.css"] == SHEET
    held = open_bundle(content, "bundle")
    assert (held.page["source"], held.page["made_with"]) == ("browser", "Chromium 150.0")
    assert held.page["read_from"] == {"record": f"urn:dom:{URL}", "digest": digest(DOM), "bytes": len(DOM)}
    assert held.page["body_digest"] == digest(capture().page.body)
    by_id = {
        record.rec_headers.get_header("WARC-Record-ID"): record.rec_headers
        for record in ArchiveIterator(io.BytesIO(held.files[bundle.ARCHIVE]))
    }
    text = next(head for head in by_id.values() if head.get_header("WARC-Target-URI") == f"urn:text:{URL}")
    assert by_id[text.get_header("WARC-Refers-To")].get_header("WARC-Target-URI") == f"urn:dom:{URL}"


def test_a_page_of_an_archive_has_the_records_of_that_archive_byte_for_byte() -> None:
    held = open_bundle(made(from_archive()), "bundle")
    assert gzip.decompress(held.files[originals.WARC_FILE]) == RECORD + b"\r\n\r\n" + REQUEST + b"\r\n\r\n"
    kinds = [each.rec_type for each in ArchiveIterator(io.BytesIO(held.files[originals.WARC_FILE]))]
    assert kinds == ["response", "request"]
    response, request = held.page["originals"]
    assert (response["archive"], response["member"], response["offset"]) == ("old.wacz", "archive/a.warc.gz", 17)
    assert (response["digest"], response["withheld"]) == (digest(RECORD), ["Set-Cookie"])
    assert (request["digest"], request["withheld"]) == (digest(REQUEST), [])
    assert held.page["source"] == "archive"
    assert not any(kind == "request" for kind, _, _ in records_of(made(from_archive())))


def test_what_a_bundle_says_of_its_parts_is_held_against_its_records() -> None:
    def fault(content: bytes, name: str, **changes: object) -> DoesNotHold:
        said = json.loads(files_of(content)[name])
        with pytest.raises(DoesNotHold) as caught:
            open_bundle(rebuilt(content, {name: canonical(said | changes)}), "bundle")
        return caught.value

    several, browsed, archived = made(in_parts()), made(by_browser()), made(from_archive())
    following = json.loads(files_of(several)[bundle.PAGE])["following"]
    exchanges = json.loads(files_of(several)[bundle.CONNECTION])["exchanges"]
    read_from = {"record": f"urn:dom:{URL}", "digest": "00" * 32, "bytes": 1}
    [first, second] = json.loads(files_of(archived)[bundle.PAGE])["originals"]
    sheet = {"url": "https://m.daoban.example/look.css", "digest": "00" * 32}
    for found in (
        fault(several, bundle.PAGE, following=[following[0] | {"body_digest": "00" * 32}, following[1]]),
        fault(several, bundle.PAGE, following=[following[0] | {"exchange": 6}, following[1]]),
        fault(several, bundle.PAGE, exchange=99),
        fault(several, bundle.CONNECTION, exchanges=exchanges[:-1]),
        fault(several, bundle.CONNECTION, exchanges=[exchanges[0] | {"url": "http://x.example/"}, *exchanges[1:]]),
        fault(browsed, bundle.PAGE, read_from=read_from),
        fault(browsed, bundle.PAGE, read_from={"record": "response", "digest": digest(DOM), "bytes": len(DOM)}),
        fault(browsed, bundle.PAGE, page_resources=[sheet]),
        fault(archived, bundle.PAGE, originals=[first | {"at": 5}, second]),
    ):
        assert found.fault is Fault.CONTRADICTS, found
    assert fault(several, bundle.PAGE, following=[7]).fault is Fault.UNREADABLE
    assert fault(archived, bundle.PAGE, originals=[first | {"file": "x"}]).fault is Fault.MISSING
    assert fault(archived, bundle.PAGE, originals=[second, first]).fault is Fault.CONTRADICTS


def in_parts_of_which_the_last_was_not_drawn() -> CapturedPage:
    left_out = Drawing(undrawn=Undrawn.PAGES, limit=2)
    return capture(following=(part(2), replace(part(4, drawing=left_out), number=4)))


def test_each_page_of_a_text_has_its_screenshot_and_pdf_under_its_number() -> None:
    content = made(in_parts_of_which_the_last_was_not_drawn())
    held = open_bundle(content, "bundle")
    two = drawing(2, "").screenshot, drawing(2, "").pdf
    assert {name: shown for name, shown in held.renderings.items() if name != "text"} == {
        "screenshot": PNG,
        "pdf": PDF,
        "screenshot-2": two[0] and two[0].content,
        "pdf-2": two[1] and two[1].content,
    }
    assert [each["number"] for each in (held.page, *held.page["following"])] == [1, 2, 4]
    assert held.page["following"][1]["undrawn"] == {"why": "page_limit", "limit": 2}
    by_id = {
        record.rec_headers.get_header("WARC-Record-ID"): record.rec_headers
        for record in ArchiveIterator(io.BytesIO(held.files[bundle.ARCHIVE]))
    }
    second = "https://m.daoban.example/7_2.html"
    for kind in ("urn:fullPage:", "urn:pdf:"):
        head = next(each for each in by_id.values() if each.get_header("WARC-Target-URI") == kind + second)
        answered = by_id[head.get_header("WARC-Concurrent-To")]
        assert (answered.get_header("WARC-Type"), answered.get_header("WARC-Target-URI")) == ("response", second)


def test_an_export_has_each_screenshot_and_names_missing_ones_in_both_languages(tmp_path: Path) -> None:
    content = made(in_parts_of_which_the_last_was_not_drawn())
    report = export.write_case_export(tmp_path / "case.zip", CaseMaterial(7, {}, [ProvenBundle(content)]), "0.1.0")
    folder = f"pages/{report.bundles[0].digest[:16]}"
    with zipfile.ZipFile(tmp_path / "case.zip") as file:
        shown = {name for name in file.namelist() if name.startswith(folder)}
        page = html.unescape(file.read(layout.EXPLANATION).decode())
    copies = {"text.txt", "screenshot.png", "page.pdf", "screenshot-2.png", "page-2.pdf"}
    assert shown == {f"{folder}/{name}" for name in copies}
    for said in (
        "https://m.daoban.example/7_4.html 一篇正文最多为 2 页生成截图",
        "https://m.daoban.example/7_4.html at most 2 pages of one text are rendered",
    ):
        assert said in page
    line = f"SHA-256 {digest(part(2).page.body)} {folder}/screenshot-2.png {folder}/page-2.pdf"
    assert page.count(line) == 2
    assert check_file(tmp_path / "case.zip").bundles[0].url == URL


def test_what_is_said_of_drawings_is_held_against_them() -> None:
    content = made(in_parts_of_which_the_last_was_not_drawn())
    said = json.loads(files_of(content)[bundle.PAGE])
    second, last = said["following"]
    other = second["screenshot"] | {"digest": said["screenshot"]["digest"]}
    for changed in (
        {"following": [second | {"screenshot": other}, last]},
        {"following": [second | {"screenshot": None, "undrawn": {"why": "time_limit", "limit": 9}}, last]},
        {"following": [second | {"pdf": None}, last]},
        {"following": [second, last | {"undrawn": None}]},
        {"following": [second | {"undrawn": last["undrawn"]}, last]},
        {"following": [second | {"number": 1}, last]},
        {"following": [second | {"number": "2"}, last]},
        {"following": [second | {"number": 5}, last]},
        {"following": [{name: value for name, value in second.items() if name != "number"}, last]},
        {"number": -1},
        {"screenshot": None, "undrawn": {"why": "browser_failed", "limit": 0}},
    ):
        with pytest.raises(DoesNotHold) as caught:
            open_bundle(rebuilt(content, {bundle.PAGE: canonical(said | changed)}), "bundle")
        assert caught.value.fault is Fault.CONTRADICTS, changed
    with pytest.raises(BadInput, match="have a reason why"):
        made(capture(following=(part(2, drawing=NO_DRAWING),)))


def pictured() -> CapturedPage:
    """A page whose text stands in pictures."""
    return capture(obfuscations=({"kind": "text_picture", "count": 4, "example": "清晨的雾 ← /1.png"},))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (capture, ("程序自身的连接", "the program's own connection")),
        (in_parts, ("正文续页", "Next page of the text", "https://m.daoban.example/7_3.html")),
        (by_browser, ("依据浏览器提供的信息记录", "a browser (Chromium 150.0) that ran", "fetched with it")),
        (from_archive, ("他人制作的存档", "an archive made by someone else")),
        (pictured, ("由机器从图片中识别得出", "recognised from pictures by a program", "pictures of text × 4")),
    ],
)
def test_the_explanation_says_in_both_languages_how_a_page_was_fetched(given: object, told: tuple[str, ...]) -> None:
    material = CaseMaterial(7, {}, [ProvenBundle(made(given()))])  # type: ignore[operator]
    page = html.unescape(export.export_files(material, "0.1.0")[layout.EXPLANATION].decode())
    assert [each for each in told if each not in page] == []


NOT_DRAWN = Message("bundle.not-drawn-yet")


def explained(*contents: bytes, history: Sequence[Mapping[str, object]] = ()) -> tuple[str, str]:
    """The Chinese half of the explanation and the English one."""
    material = CaseMaterial(7, {}, [ProvenBundle(each) for each in contents], history)
    page = html.unescape(export.export_files(material, "0.1.0")[layout.EXPLANATION].decode())
    chinese, heading, english = page.partition("Explanation of the evidence: case 7")
    assert heading
    return chinese, english


def test_what_a_bundle_lacks_is_said_in_the_language_of_each_half() -> None:
    absent = {
        "connection": Message("bundle.came-from-elsewhere"),
        "page 2": Message("bundle.page-gone", url=URL, digest="0" * 64),
        "page 3, response body": Message("bundle.no-response-body"),
        "screenshot": NOT_DRAWN,
    }
    chinese, english = explained(made(capture(screenshot=None, pdf=None, absent=absent)))
    for half, language in ((chinese, "zh"), (english, "en")):
        for message in absent.values():
            assert message.in_language(language) in half
            assert message.in_language("en" if language == "zh" else "zh") not in half
    for name in ("连接：", "第 2 页：", "第 3 页 响应体：", "截图："):
        assert name in chinese
    for name in ("connection: ", "page 2: ", "page 3 response body: ", "screenshot: "):
        assert name in english


@pytest.mark.parametrize("given", [capture, in_parts, by_browser, from_archive])
def test_replay_tools_find_every_page_in_the_index_by_address_and_time(given: object) -> None:
    """WACZ 1.1.1: what ReplayWeb.page and pywb do with pages.jsonl, index.idx, index.cdx.gz and the archive."""
    files = files_of(made(given()))  # type: ignore[operator]
    head, *pages = [json.loads(line) for line in files[bundle.PAGES].splitlines()]
    assert head["format"] == "json-pages-1.0"
    package = json.loads(files[bundle.PACKAGE])
    assert (package["profile"], package["wacz_version"]) == ("data-package", "1.1.1")
    assert (package["mainPageURL"], package["mainPageDate"]) == (pages[0]["url"], pages[0]["ts"])
    assert {each["path"] for each in package["resources"]} == set(files) - {bundle.PACKAGE, bundle.PACKAGE_DIGEST}
    assert all({"name", "path", "hash", "bytes"} == set(each) for each in package["resources"])
    assert len({page["id"] for page in pages}) == len(pages)
    meta, first = files[bundle.INDEX_START].decode().splitlines()
    assert json.loads(meta.removeprefix("!meta 0 "))["format"] == "cdxj-gzip-1.0"
    block = json.loads(first.split(" ", 2)[2])
    compressed = files[f"indexes/{block['filename']}"][block["offset"] : block["offset"] + block["length"]]
    assert block["digest"] == f"sha256:{digest(compressed)}"
    lines = [line.split(" ", 2) for line in gzip.decompress(compressed).decode().splitlines()]
    for page in pages:
        assert datetime.fromisoformat(page["ts"]).tzinfo is not None
        moment = "".join(char for char in page["ts"] if char.isdigit())[:14]
        found = [json.loads(said) for key, at, said in lines if (key, at) == (sort_key(page["url"]), moment)]
        [line] = [each for each in found if each["url"] == page["url"] and each["status"] == "200"]
        start = int(line["offset"])
        archive = files[f"archive/{line['filename']}"][start : start + int(line["length"])]
        record = next(ArchiveIterator(io.BytesIO(archive)))
        assert (record.rec_type, record.rec_headers.get_header("WARC-Target-URI")) == ("response", page["url"])
        assert record.rec_headers.get_header("WARC-Date") == page["ts"]
