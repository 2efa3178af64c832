"""Archives of other crawls, whole, broken and hostile, written with warcio as crawlers write them."""

import gzip
import io
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import brotli
import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from core.captures import CaptureSource
from core.errors import ServiceUnavailable, UnreadableFile
from core.ids import SiteId
from core.pages import DATED_BY_SERVER
from crawler.archive_import import ImportedSoFar, PagePlace, import_archive
from crawler.opening import Rejected, open_page
from crawler.sources.archive_streams import ImportCounts, RecordPosition
from tests.crawler.crawl_process import RecordingOutbox, RecordingStore
from tests.crawler.texts import SIMPLIFIED, TRADITIONAL, own_text

pytestmark = pytest.mark.usefixtures("processes")

MAX_BODY_BYTES = 400_000


def place(url: str) -> PagePlace | None:
    return PagePlace(SiteId("7")) if "watched.example" in url else None


class Archive:
    """A WARC in the making."""

    def __init__(self, *, is_gzipped: bool = True) -> None:
        self.buffer = io.BytesIO()
        self.writer = WARCWriter(self.buffer, gzip=is_gzipped)

    def response(
        self,
        url: str,
        body: bytes,
        content_type: str = "text/html",
        date: str = "2025-03-04T05:06:07Z",
        status: str = "200 OK",
        headers: tuple[tuple[str, str], ...] = (),
        warc_headers: tuple[tuple[str, str], ...] = (),
    ) -> "Archive":
        http = StatusAndHeaders(status, [("Content-Type", content_type), *headers], protocol="HTTP/1.1")
        record = self.writer.create_warc_record(
            url, "response", payload=io.BytesIO(body), http_headers=http,
            warc_headers_dict={"WARC-Date": date, **dict(warc_headers)},
        )  # fmt: skip
        self.writer.write_record(record)
        return self

    def other(self, kind: str, url: str, body: bytes) -> "Archive":
        record = self.writer.create_warc_record(url, kind, payload=io.BytesIO(body))
        self.writer.write_record(record)
        return self

    def save(self, path: Path) -> Path:
        path.write_bytes(self.buffer.getvalue())
        return path


def markup(number: int, encoding: str = "utf-8") -> bytes:
    return f"<html><head><title>第{number}章</title></head><body>{own_text(number)}</body></html>".encode(encoding)


def url(number: object) -> str:
    return f"http://watched.example/{number}.html"


def imported(path: Path, **more: object) -> tuple[ImportCounts, RecordingStore, RecordingOutbox]:
    store, outbox = RecordingStore(), RecordingOutbox()
    return import_archive(path, place, store, outbox, MAX_BODY_BYTES, **more), store, outbox  # type: ignore[arg-type]


@pytest.fixture
def common_crawl(tmp_path: Path) -> Path:
    """As Common Crawl writes: warcinfo, then request, response, metadata; bodies unpacked; other hosts between."""
    archive = Archive()
    archive.writer.write_record(archive.writer.create_warcinfo_record("CC.warc.gz", {"software": "Nutch"}))
    for number in range(1, 5):
        archive.other("request", url(number), b"GET / HTTP/1.1\r\n\r\n")
        archive.response(
            url(number),
            markup(number, "gb18030" if number == 2 else "utf-8"),
            "text/html; charset=gb2312" if number == 2 else "text/html",
            headers=(("X-Crawl-Content-Encoding", "gzip"),),
        )
        archive.other("metadata", url(number), b"fetchTimeMs: 12")
        archive.response(f"http://other{number}.example/", markup(number))
    archive.response(url("gone"), b"<p>404</p>", status="404 Not Found")
    archive.response(url("picture"), b"\x89PNG", "image/png")
    archive.response(url("empty"), b"<p>hello</p>")
    return archive.save(tmp_path / "CC-MAIN-2025-0001.warc.gz")


def test_the_pages_of_watched_hosts_are_kept_with_the_moment_of_the_archive(common_crawl: Path) -> None:
    counts, store, outbox = imported(common_crawl)
    assert (counts.stored, counts.new_versions) == (4, 4)
    assert counts.passed_by == {"no_response": 9, "not_watched": 4, "http_error": 1, "not_html": 1, "no_main_text": 1}
    assert sorted(outbox.sent) == sorted(store.versions)
    fetched, reading = next(pair for pair in store.versions.values() if pair[0].final_url == url(2))
    assert fetched.fetched_at == datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)
    assert fetched.site_id == "7"
    assert fetched.body == markup(2, "gb18030")
    assert (reading.encoding, reading.text.splitlines()[1:]) == ("gb18030", list(SIMPLIFIED))
    origins = {fetched.origin for fetched, _ in store.versions.values()}
    assert all(origin.startswith("CC-MAIN-2025-0001.warc.gz, byte ") and "urn:uuid:" in origin for origin in origins)
    assert len(origins) == 4, "each says which record it was taken from"


@pytest.mark.parametrize("form", ["members", "plain", "wacz"])
def test_all_forms_of_the_same_archive_give_the_same_pages(tmp_path: Path, form: str) -> None:
    archive = Archive(is_gzipped=form in ("members", "wacz"))
    for number in range(1, 4):
        archive.response(url(number), markup(number))
    data = archive.buffer.getvalue()
    path = tmp_path / "a.warc"
    if form == "wacz":
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("datapackage.json", "{}")
            packed.writestr("archive/data.warc.gz", data)
            packed.writestr(
                "archive/more.warc", Archive(is_gzipped=False).response(url(9), markup(9)).buffer.getvalue()
            )
    else:
        path.write_bytes(data)
    counts, store, _ = imported(path)
    assert counts.stored == (4 if form == "wacz" else 3)
    assert {fetched.body for fetched, _ in store.versions.values()} >= {markup(number) for number in range(1, 4)}


def test_bodies_are_taken_out_of_chunks_and_compression_unless_they_swell(tmp_path: Path) -> None:
    packed = gzip.compress(markup(4))
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (packed[:50], packed[50:])) + b"0\r\n\r\n"
    coded = (("Content-Encoding", "br"),)
    archive = Archive().response(url(1), brotli.compress(markup(1)), headers=coded)
    archive.response(url(2), brotli.compress(markup(2) + b" " * 100_000_000), headers=coded)
    archive.response(url(3), b"no brotli at all", headers=coded)
    archive.response(url(4), chunked, headers=(("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")))
    _, store, _ = imported(archive.save(tmp_path / "a.warc.gz"))
    assert [fetched.body for fetched, _ in store.versions.values()] == [markup(1), markup(4)]


class DatedStore(RecordingStore):
    """Keeps the moment of each page, also of those whose text is known."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[datetime] = []

    def put(self, fetched, reading):  # type: ignore[no-untyped-def]
        self.seen.append(fetched.fetched_at)
        return super().put(fetched, reading)


def payload_digest(body: bytes) -> str:
    writer = WARCWriter(io.BytesIO())
    record = writer.create_warc_record(
        url(1), "response", payload=io.BytesIO(body), http_headers=StatusAndHeaders("200 OK", [])
    )
    return str(record.rec_headers.get_header("WARC-Payload-Digest"))


def revisit(archive: Archive, number: int, month: int, **named: str) -> None:
    """named: what it says of the record that it repeats, "_" for "-"."""
    stated = {"WARC-Date": f"2025-{month:02}-01T00:00:00Z"} | {
        f"WARC-{name.replace('_', '-')}": value for name, value in named.items()
    }
    http = StatusAndHeaders("200 OK", [], protocol="HTTP/1.1")
    record = archive.writer.create_warc_record(url(number), "revisit", http_headers=http, warc_headers_dict=stated)
    archive.writer.write_record(record)


def test_a_revisit_moves_the_page_to_its_moment_with_the_body_of_before(tmp_path: Path) -> None:
    archive = Archive().response(url(1), markup(1), date="2025-01-01T00:00:00Z")
    revisit(archive, 1, 2, Payload_Digest=payload_digest(markup(1)))
    revisit(archive, 1, 3, Refers_To_Target_URI=url(1), Refers_To_Date="2025-01-01T00:00:00Z")
    store = DatedStore()
    counts = import_archive(archive.save(tmp_path / "a.warc.gz"), place, store, RecordingOutbox(), MAX_BODY_BYTES)
    assert (counts.stored, counts.new_versions, counts.revisits, len(store.versions)) == (3, 1, 2, 1)
    assert [moment.month for moment in store.seen] == [1, 2, 3]


def test_a_revisit_of_what_is_no_page_is_none_either_and_other_bytes_are_no_original(tmp_path: Path) -> None:
    archive = Archive().response(url("s.css"), b"p{}", "text/css").response(url(404), b"gone", status="404 Not Found")
    archive.response("http://else.example/1", markup(1), date="2025-01-01T00:00:00Z")
    for body in (b"p{}", b"gone", markup(1)):  # the last was first seen at another address
        revisit(archive, 1, 2, Payload_Digest=payload_digest(body))
    named = {"Refers_To_Target_URI": "http://else.example/1", "Refers_To_Date": "2025-01-01T00:00:00Z"}
    revisit(archive, 2, 2, Payload_Digest=payload_digest(markup(2)), **named)
    counts, store, _ = imported(archive.save(tmp_path / "a.warc.gz"))
    assert counts.passed_by == {"not_html": 2, "http_error": 2, "not_watched": 1, "revisit_of_another_file": 1}
    assert [fetched.final_url for fetched, _ in store.versions.values()] == [url(1)]


def test_a_revisit_finds_its_original_before_the_place_where_an_import_goes_on(tmp_path: Path) -> None:
    archive = Archive().response(url(1), markup(1))
    position = RecordPosition(0, archive.buffer.tell())
    archive.response(url(2), markup(2))
    revisit(archive, 3, 5, Payload_Digest=payload_digest(markup(1)))
    signs: list[RecordPosition] = []
    counts, store, _ = imported(
        archive.save(tmp_path / "a.warc.gz"), so_far=ImportedSoFar(position), on_progress=lambda _, at: signs.append(at)
    )
    assert {fetched.final_url for fetched, _ in store.versions.values()} == {url(2), url(3)}
    assert (counts.revisits, signs[0]) == (1, position)  # a sign of life while it looked


@pytest.mark.parametrize(
    ("date", "http_date", "moment"),
    [
        ("2008-10-294T05:21:46-0700", "Wed, 28 Jan 2009 17:05:56 GMT", datetime(2009, 1, 28, 17, 5, 56, tzinfo=UTC)),
        ("2009-03", "Wed, 28 Jan 2009 17:05:56 GMT", datetime(2009, 1, 28, 17, 5, 56, tzinfo=UTC)),
        ("2008-10-294T05:21:46-0700", "yesterday", None),
        ("0001-01-01T00:00:00+14:00", "", None),
        ("", "", None),
    ],
)
def test_a_date_that_is_none_falls_back_to_that_of_the_server_and_says_so(
    tmp_path: Path, date: str, http_date: str, moment: datetime | None
) -> None:
    archive = Archive().response(url(1), markup(1), date=date, headers=(("Date", http_date),))
    archive.response(url(2), markup(2), headers=(("Date", "Wed, 28 Jan 2009 17:05:56 GMT"),))
    counts, store, _ = imported(archive.save(tmp_path / "a.warc.gz"))
    pages = {fetched.final_url: fetched for fetched, _ in store.versions.values()}
    assert pages[url(2)].fetched_at.year == 2025
    assert not pages[url(2)].origin.endswith(DATED_BY_SERVER)
    if moment is None:
        assert (counts.passed_by, counts.dated_by_server) == ({"no-date": 1}, 0)
    else:
        assert (pages[url(1)].fetched_at, counts.dated_by_server) == (moment, 1)
        assert pages[url(1)].origin.endswith(DATED_BY_SERVER)


@pytest.mark.parametrize(
    "head",
    [b"\x00\x01\x00\x00\x00\x13", b"OTTO\x00", b"wOFF", b"wOF2", b"GIF89a", b"\x89PNG", b"\x00\x00\x01\x00\x01\x00"],
)
def test_fonts_and_pictures_that_are_served_as_anything_are_never_decoded(
    head: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawler.opening.decode", pytest.fail)
    opened = open_page(head + bytes(range(256)) * 400, {"Content-Type": "application/octet-stream"}, url(1))
    assert isinstance(opened, Rejected)
    assert str(opened.message) == f"{url(1)} is not a web page: its content is binary"


def test_truncated_records_are_read_as_far_as_they_go_and_counted(tmp_path: Path) -> None:
    path = (
        Archive()
        .response(url(1), markup(1)[:-40], warc_headers=(("WARC-Truncated", "length"),))
        .response(url(2), markup(2) + b"<!--" + b"x" * 500_000)
        .save(tmp_path / "a.warc.gz")
    )
    counts, store, _ = imported(path)
    assert (counts.stored, counts.truncated) == (2, 2)
    assert all(len(fetched.body) <= MAX_BODY_BYTES for fetched, _ in store.versions.values())


def test_the_plain_text_of_a_wet_file_is_taken_in(tmp_path: Path) -> None:
    archive = Archive()
    record = archive.writer.create_warc_record(
        url(1), "conversion", payload=io.BytesIO("\n".join(TRADITIONAL).encode()), warc_content_type="text/plain"
    )
    archive.writer.write_record(record)
    _, store, _ = imported(archive.save(tmp_path / "a.warc.wet.gz"))
    assert [reading.text.splitlines() for _, reading in store.versions.values()] == [list(TRADITIONAL)]


def test_an_import_that_breaks_off_goes_on_where_it_was(tmp_path: Path) -> None:
    archive = Archive()
    for number in range(1, 61):
        archive.response(url(number), markup(number))
    path = archive.save(tmp_path / "a.warc.gz")
    noted: list[tuple[ImportCounts, RecordPosition]] = []
    away = RecordingStore()

    class Failing(RecordingStore):
        def put(self, fetched, reading):  # type: ignore[no-untyped-def]
            if len(away.versions) == 40:
                raise ServiceUnavailable("the page store", "mongodb://127.0.0.1:1")
            return away.put(fetched, reading)

    with pytest.raises(ServiceUnavailable):
        import_archive(
            path, place, Failing(), RecordingOutbox(), MAX_BODY_BYTES, on_progress=lambda c, at: noted.append((c, at))
        )
    counts, position = noted[-1]
    assert 0 < position.offset < path.stat().st_size
    store = RecordingStore()
    import_archive(path, place, store, RecordingOutbox(), MAX_BODY_BYTES, so_far=ImportedSoFar(position, counts))
    urls = {fetched.final_url for fetched, _ in [*away.versions.values(), *store.versions.values()]}
    assert urls == {url(number) for number in range(1, 61)}
    assert len(store.versions) == 29  # those after the batch of 32 that was stored, and its last record


@pytest.mark.parametrize("cut", [30, 200, 900])
def test_a_file_that_is_cut_off_gives_what_came_before_and_a_sentence(tmp_path: Path, cut: int) -> None:
    archive = Archive()
    for number in range(1, 6):
        archive.response(url(number), markup(number))
    path = tmp_path / "a.warc.gz"
    path.write_bytes(archive.buffer.getvalue()[:-cut])
    store = RecordingStore()
    with pytest.raises(UnreadableFile, match="is cut off"):
        import_archive(path, place, store, RecordingOutbox(), MAX_BODY_BYTES)
    assert len(store.versions) >= 3
    whole = [fetched.capture.exchanges[0] for fetched, _ in store.versions.values() if fetched.capture]
    assert not any(each.is_truncated for each in whole[:-1])


def test_a_page_at_which_the_file_breaks_off_is_marked_as_half(tmp_path: Path) -> None:
    record = Archive().response(url(1), markup(1)).response(url(2), markup(2))
    path = tmp_path / "a.warc"
    path.write_bytes(gzip.decompress(record.buffer.getvalue())[:-300])
    store, counts = RecordingStore(), ImportCounts()
    with pytest.raises(UnreadableFile, match="inside its last record"):
        import_archive(path, place, store, RecordingOutbox(), MAX_BODY_BYTES, so_far=ImportedSoFar(counts=counts))
    assert (counts.stored, counts.truncated) == (2, 1)
    halves = {fetched.final_url: fetched.capture for fetched, _ in store.versions.values()}
    assert [halves[url(number)].exchanges[0].is_truncated for number in (1, 2)] == [False, True]


NO_ARCHIVES = ("no archive", "nothing", "a page", "a gzipped page", "random")


def damaged() -> Iterator[tuple[str, bytes]]:
    whole = Archive().response(url(1), markup(1)).response(url(2), markup(2)).buffer.getvalue()
    yield "no archive", b"this is a text\n" * 100
    yield "nothing", b""
    yield "a page", markup(1)
    yield "a gzipped page", gzip.compress(markup(1))
    yield "half a zip", b"PK\x03\x04" + b"\x00" * 200
    yield "a byte changed", whole[:150] + bytes([whole[150] ^ 255]) + whole[151:]
    yield "random", bytes((n * 7919) % 256 for n in range(5_000))
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w") as packed:
        packed.writestr("readme.txt", "x")
    yield "a zip of something else", empty.getvalue()


@pytest.mark.parametrize(("name", "data"), list(damaged()), ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_no_archive_or_a_damaged_one_is_one_sentence_and_no_crash(
    tmp_path: Path, name: str, data: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.warc.gz"
    path.write_bytes(data)
    stored, sentence = 0, f"{path}: "
    try:
        stored = imported(path)[0].stored
    except UnreadableFile as error:
        sentence = str(error)
    assert stored <= 1, name
    assert (": not a supported archive" in sentence) is (name in NO_ARCHIVES)
    assert sentence.startswith(f"{path}: ")
    assert "\n" not in sentence
    assert capfd.readouterr().err == ""


def test_a_file_that_swells_beyond_reason_ends_with_a_sentence(tmp_path: Path) -> None:
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2025-01-01T00:00:00Z\r\n"
    record = head % url(1).encode() + b"Content-Length: 200000000\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + b" " * 200_000_000
    path = tmp_path / "bomb.warc.gz"
    path.write_bytes(gzip.compress(record))
    with pytest.raises(UnreadableFile, match="swells"):
        imported(path)


def test_headers_without_an_end_are_refused(tmp_path: Path) -> None:
    lines = b"".join(b"X-%d: %s\r\n" % (number, bytes([65 + number % 26]) * 900) for number in range(3_000))
    path = tmp_path / "headers.warc"
    path.write_bytes(b"WARC/1.0\r\nWARC-Type: response\r\n" + lines)
    with pytest.raises(UnreadableFile, match="headers of more than"):
        imported(path)


def test_nobody_is_asked_to_read_what_nobody_watches(common_crawl: Path) -> None:
    store = RecordingStore()
    counts = import_archive(common_crawl, lambda _: None, store, RecordingOutbox(), MAX_BODY_BYTES)
    assert (counts.bytes_read, counts.stored) == (0, 0)


def _pair(archive: Archive, number: int, order: str, *, is_named: bool = True, cookie: str = "") -> Archive:
    """A request and its response, in one order or the other, naming each other as crawlers do."""
    response = archive.writer.create_warc_record(
        url(number), "response", payload=io.BytesIO(markup(number)),
        http_headers=StatusAndHeaders(
            "200 OK", [("Content-Type", "text/html"), ("Set-Cookie", "id=geheim-9; Path=/")], protocol="HTTP/1.1"
        ),
        warc_headers_dict={"WARC-Date": "2025-03-04T05:06:07Z", "WARC-IP-Address": "203.0.113.7"},
    )  # fmt: skip
    asked = StatusAndHeaders(f"GET /{number}.html HTTP/1.1", [("Host", "watched.example")], is_http_request=True)
    if cookie:
        asked.headers.append(("Cookie", cookie))
    request = archive.writer.create_warc_record(url(number), "request", http_headers=asked)
    if is_named:
        named = response.rec_headers.get_header("WARC-Record-ID")
        request.rec_headers.add_header("WARC-Concurrent-To", named)
    for record in (request, response) if order == "request first" else (response, request):
        archive.writer.write_record(record)
    return archive


@pytest.mark.parametrize("form", ["members", "plain"])
@pytest.mark.parametrize(("order", "is_named"), [("request first", False), ("response first", True)])
def test_a_page_keeps_the_records_it_was_taken_from_byte_for_byte(
    tmp_path: Path, form: str, order: str, is_named: bool
) -> None:
    archive = Archive(is_gzipped=form == "members")
    for number in (1, 2, 3):
        _pair(archive, number, order, is_named=is_named)
    data, path = archive.buffer.getvalue(), tmp_path / "old.warc"
    path.write_bytes(data)
    whole = gzip.decompress(data) if form == "members" else data
    whole = whole.replace(b"geheim-9", b"********")
    _, store, _ = imported(path)
    assert len(store.versions) == 3
    for fetched, _ in store.versions.values():
        capture = fetched.capture
        assert capture.source is CaptureSource.ARCHIVE
        response, request = capture.records
        for record in (response, request):
            assert record.head + record.payload + b"\r\n\r\n" in whole
            assert (record.file, record.member) == ("old.warc", "")
        assert response.payload == fetched.body
        assert b"WARC-Type: response" in response.head
        assert b"WARC-Type: request" in request.head
        [exchange] = capture.exchanges
        assert exchange.request_head.startswith(b"GET /" + fetched.final_url.rpartition("/")[2].encode())
        assert exchange.response_head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert exchange.response_head.endswith(b"\r\n\r\n")
        assert (exchange.server_address, exchange.server_port) == ("203.0.113.7", 0)


def test_sessions_in_an_archive_are_starred_out_and_the_records_keep_their_length(tmp_path: Path) -> None:
    archive = _pair(Archive(), 1, "request first", cookie="login=geheim-7")
    path = archive.save(tmp_path / "old.warc.gz")
    _, store, _ = imported(path)
    [(fetched, _)] = store.versions.values()
    kept = b"".join(record.head + record.payload + b"\r\n\r\n" for record in reversed(fetched.capture.records))
    assert b"geheim" not in repr(fetched.capture).encode()
    assert b"Cookie: **************\r\n" in kept
    assert b"Set-Cookie: id=********; Path=/" in kept
    whole = gzip.decompress(path.read_bytes())
    assert len(kept) == len(whole)
    assert [record.rec_type for record in ArchiveIterator(io.BytesIO(kept))] == ["request", "response"]


def test_a_record_that_is_longer_than_may_be_kept_is_named_and_not_kept(tmp_path: Path) -> None:
    from crawler.sources.archive_streams import MAX_HEADER_BYTES

    padded = markup(1) + b"<!--" + b"x" * (MAX_BODY_BYTES + MAX_HEADER_BYTES)
    _, store, _ = imported(Archive().response(url(1), padded).save(tmp_path / "a.warc.gz"))
    [(fetched, _)] = store.versions.values()
    assert fetched.capture.records == ()
    assert "a.warc.gz, byte 0" in fetched.origin


def test_a_page_seen_again_keeps_both_records(tmp_path: Path) -> None:
    archive = Archive().response(url(1), markup(1), date="2025-01-01T00:00:00Z")
    http = StatusAndHeaders("200 Again", [], protocol="HTTP/1.1")
    digest = payload_digest(markup(1))
    record = archive.writer.create_revisit_record(url(1), digest, url(1), "2025-01-01T00:00:00Z", http_headers=http)
    archive.writer.write_record(record)
    kept: list[tuple[bytes, bytes]] = []

    class Store(RecordingStore):
        def put(self, fetched, reading):  # type: ignore[no-untyped-def]
            kept.append(tuple(each.head for each in fetched.capture.records))  # type: ignore[arg-type]
            return super().put(fetched, reading)

    import_archive(archive.save(tmp_path / "a.warc.gz"), place, Store(), RecordingOutbox(), MAX_BODY_BYTES)
    [_, (again, first)] = kept
    assert b"WARC-Type: revisit" in again
    assert b"HTTP/1.1 200 Again" in again
    assert b"WARC-Type: response" in first
