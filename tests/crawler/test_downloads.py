"""Files that sites offer for download: each kind read by itself, and real crawls of a site that offers them."""

import io
import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest

from core.pages import Reading
from core.states import Rejection
from crawler import books
from crawler.books import Book, file_name, read_book
from crawler.formats import archive
from crawler.formats.archive import JSON, detect_kind
from crawler.opening import Rejected
from crawler.reading import read_page
from laboratory.extraction.mutation import mutated
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.crawler.test_spider_novel import novel_plan, novel_site
from tests.crawler.visited_site import VisitedSite
from tests.support.books import docx_of, epub_of, pdf_of, pdf_of_pictures, txt_of, zip_of
from tests.support.web_server import Answer, Routes, WebServer, page

URL = "http://a.example/down/1"
PARAGRAPHS = (
    "潮水退下去的时候，滩上露出一排木桩，最外面那根系着一只没有主人的小船，船底积着半尺深的雨水。",
    "阿槿蹲在船头舀水，一瓢一瓢地往外泼，泼到天黑也没有泼完，因为雨又下起来了。",
    "她的哥哥在岸上喊她回去吃饭，喊了三声，第三声被风吹到了对岸，对岸的狗就叫了起来。",
)
CHAPTERS = {
    "第一章 退潮": PARAGRAPHS,
    "第二章 舀水": [
        "第二天早晨雨停了，阿槿把木瓢系在腰上，沿着滩涂走了半里路，在芦苇根里找到一支断成两截的桨。",
        "她用麻绳把桨缠好，缠了九道，又拿牙咬紧了绳头，手上勒出两条红印，她也不觉得疼。",
    ],
    "第三章 对岸": [
        "船划到河心就不肯走了，水底下像有人拽着，她把桨横过来，坐下来等，等到月亮照见了对岸的狗。",
        "狗不叫，只是望着她，望了很久，后来它转过身，慢慢地走进了没有灯的村子里去。",
    ],
}
TEXT = "\n".join("\n".join((title, *paragraphs)) for title, paragraphs in CHAPTERS.items())
FORMATS: dict[str, Callable[[], bytes]] = {
    "epub": lambda: epub_of("小船", CHAPTERS),
    "docx": lambda: docx_of("小船", CHAPTERS),
    "pdf": lambda: pdf_of("小船", CHAPTERS),
    "zip": lambda: zip_of({"小船.txt": txt_of(CHAPTERS).encode("gb18030"), "说明.url": b"[InternetShortcut]"}),
    "json": lambda: json.dumps({"code": 0, "data": {"title": "小船", "list": TEXT.split("\n")}}).encode(),
}


def book_of(body: bytes, headers: dict[str, str] | None = None) -> Book:
    kind = detect_kind(body)
    book = read_book(kind, body, headers or {}, URL) if kind else None
    assert book is not None
    return book


def reading_of(body: bytes) -> Reading:
    reading = book_of(body).reading
    assert isinstance(reading, Reading), reading
    return reading


def connection_refusal(body: bytes) -> Rejected:
    rejected = book_of(body).reading
    assert isinstance(rejected, Rejected)
    assert str(rejected.message).startswith(URL)
    return rejected


@pytest.mark.parametrize("kind", FORMATS)
def test_a_book_is_one_text_with_the_places_where_its_chapters_begin(kind: str) -> None:
    reading = reading_of(FORMATS[kind]())
    assert reading.extractor == kind
    assert all(paragraph in reading.text for paragraph in PARAGRAPHS)
    if kind == "json":
        assert reading.title == "小船"
        return
    assert [chapter.title for chapter in reading.chapters] == list(CHAPTERS)
    for chapter, title in zip(reading.chapters, CHAPTERS, strict=True):
        assert title in reading.text[chapter.start :][:20]  # the book's own title may stand before the first


def test_a_book_as_it_came_is_kept_beside_what_was_strewn_into_its_chapters() -> None:
    strewn = [f"{line[:9]}【看书网www.kanshu.example.com首发】{line[9:]}" for line in PARAGRAPHS]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, title in enumerate(CHAPTERS):
            archive.writestr(f"{number}.txt", "\n".join([title, *strewn]))
    reading = reading_of(packed.getvalue())
    assert all(line in reading.text for line in PARAGRAPHS)
    assert all(line in reading.raw_text for line in strewn)
    places = reading.raw_places()
    for line, as_it_came in zip(PARAGRAPHS, strewn, strict=True):
        at = reading.text.index(line)
        found = places.find_range(at, at + len(line))
        assert reading.raw_text[found.start : found.end] == as_it_came


def test_a_plain_text_names_its_chapters_too() -> None:
    reading = read_page(txt_of(CHAPTERS).encode(), {"Content-Type": "text/plain"}, URL)
    assert [chapter.title for chapter in reading.chapters] == list(CHAPTERS)
    assert all(reading.text[each.start :].startswith(each.title) for each in reading.chapters)


@pytest.mark.parametrize("kind", ["", "application/x-mobipocket-ebook", "application/force-download", "chemical/x-pdb"])
def test_text_is_read_under_whatever_type_it_is_sent(kind: str) -> None:
    reading = read_page(TEXT.encode("gb18030"), {"Content-Type": kind}, URL)
    assert reading.text == TEXT


def test_text_that_is_sent_as_a_program_is_read_where_it_is_an_attachment() -> None:
    headers = {"Content-Type": "application/x-msdownload"}
    assert isinstance(read_page(TEXT.encode(), headers, URL), Rejected)
    attached = read_page(TEXT.encode(), headers | {"content-disposition": "Attachment; filename=1.txt"}, URL)
    assert attached.text == TEXT


def test_texts_of_an_archive_are_ordered_by_number_under_their_names() -> None:
    names = ("第10章 末.txt", "第9章 前.txt", "__MACOSX/._第9章 前.txt", ".hidden.txt", "封面.jpg")
    members = {name.encode("gb18030").decode("cp437"): PARAGRAPHS[0].encode() for name in names}
    reading = reading_of(zip_of(members))
    assert [chapter.title for chapter in reading.chapters] == ["第9章 前", "第10章 末"]


def encrypted_zip() -> bytes:
    content = bytearray(zip_of({"a.txt": TEXT.encode()}))
    at = content.index(b"PK\x01\x02")
    content[6] |= 1
    content[at + 8] |= 1
    return bytes(content)


@pytest.mark.parametrize(
    ("make", "reason", "words"),
    [
        (encrypted_zip, Rejection.UNREADABLE_FILE, "protected with a password"),
        (lambda: FORMATS["zip"]()[:300], Rejection.UNREADABLE_FILE, "a damaged zip file"),
        (lambda: zip_of({"META-INF/container.xml": b"<a/>"}), Rejection.UNREADABLE_FILE, "a damaged epub file"),
        (pdf_of_pictures, Rejection.UNREADABLE_FILE, "without a text layer"),
        (lambda: zip_of({"a.zip": FORMATS["zip"]()}), Rejection.UNREADABLE_FILE, "archive inside an archive"),
        (lambda: zip_of({"a.txt": b"plates"}), Rejection.NO_MAIN_TEXT, "no main text"),
        (lambda: zip_of({f"{number}.txt": b" " * 1_000_000 for number in range(3)}), Rejection.TOO_LARGE, "to more"),
    ],
    ids=["protected", "cut off", "no book in an epub", "pictures", "archives alone", "no Chinese", "bomb"],
)
def test_what_cannot_or_must_not_be_read_is_refused_in_one_sentence(
    make: Callable[[], bytes], reason: Rejection, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 2_000_000)
    refused = connection_refusal(make())
    assert refused.reason is reason
    assert words in str(refused.message)


def test_an_archive_inside_an_archive_is_named_and_the_texts_beside_it_are_read() -> None:
    book = book_of(zip_of({"小船.txt": TEXT.encode(), "more.zip": FORMATS["zip"](), "more.rar": b"Rar!\x1a\x07"}))
    assert isinstance(book.reading, Reading)
    assert [str(fault) for fault in book.faults] == [
        f"{URL}: {name} was skipped (is an archive inside an archive)" for name in ("more.rar", "more.zip")
    ]


def test_a_damaged_member_costs_itself_alone_and_what_is_no_text_is_not_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBER_BYTES", 100_000)
    content = zip_of({"坏.txt": PARAGRAPHS[0].encode() * 9, "小船.txt": TEXT.encode(), "film.mp4": b" " * 200_000})
    at = content.index("坏.txt".encode()) + len("坏.txt".encode())
    book = book_of(content[:at] + b"\xff" * 20 + content[at + 20 :])
    assert isinstance(book.reading, Reading)
    assert (book.reading.title, book.reading.text) == ("小船", TEXT)
    (fault,) = book.faults
    assert "坏.txt was skipped" in str(fault)


def test_an_archive_that_says_less_than_it_holds_is_stopped_while_it_swells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 2_000_000)
    bomb = bytearray(zip_of({"a.txt": "文".encode() * 3_000_000}))
    with zipfile.ZipFile(io.BytesIO(bomb)) as whole:
        size = whole.getinfo("a.txt").file_size.to_bytes(4, "little")
    lie = bytes(bomb.replace(size, (1_000_000).to_bytes(4, "little")))
    refused = connection_refusal(lie)
    assert refused.reason in (Rejection.TOO_LARGE, Rejection.UNREADABLE_FILE)


def test_more_text_than_was_ever_compared_is_cut_off_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(books, "MAX_CHARS", 200)
    book = book_of(FORMATS["epub"]())
    assert isinstance(book.reading, Reading)
    assert book.reading.text == TEXT[:200]
    assert all(chapter.start < 200 for chapter in book.reading.chapters)
    assert [fault.code for fault in book.faults] == ["page.file-cut"]


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_that_is_spoilt_at_random_is_read_or_refused(kind: str) -> None:
    whole = FORMATS[kind]()
    for seed in range(40):
        read_page(mutated(whole, Random(seed)), {}, URL)


@pytest.mark.parametrize(
    ("headers", "url", "name"),
    [
        ({}, "http://a.example/%E5%B0%8F%E8%88%B9.zip", "小船"),
        ({"content-disposition": "attachment; filename*=UTF-8''%E5%B0%8F%E8%88%B9.txt"}, URL, "小船"),
        (
            {"Content-Disposition": 'attachment; filename="' + "小船.txt".encode("gbk").decode("latin-1") + '"'},
            URL,
            "小船",
        ),
        ({"Content-Disposition": "attachment"}, "http://a.example/", ""),
    ],
)
def test_a_file_is_called_what_its_sender_calls_it(headers: dict[str, str], url: str, name: str) -> None:
    assert file_name(headers, url) == name


@pytest.mark.parametrize(
    "body",
    [b'{"a": ' * 100_000 + b"1" + b"}" * 100_000, b"[" * 500_000 + b"]" * 500_000, b"{no json}", b'{"title": "x"}'],
)
def test_json_that_is_none_or_holds_no_prose_is_no_book(body: bytes) -> None:
    book = read_book(JSON, body, {"Content-Type": "application/json"}, URL)
    assert book is None or isinstance(book.reading, Rejected)


def test_names_and_labels_of_an_answer_in_json_are_no_prose_and_markup_in_it_is_read() -> None:
    answer = {"tags": ["古风", "完结", "言情小说"], "content": f"<p>{PARAGRAPHS[0]}</p><p>{PARAGRAPHS[1]}</p>", "id": 7}
    assert reading_of(json.dumps(answer, ensure_ascii=False).encode()).text == "\n".join(PARAGRAPHS[:2])


def offering_site() -> Routes:
    """A page with a text of its own that offers the book in each format, and names a net disk."""
    links = "".join(f'<p><a href="/down/book.{kind}">下载 {kind}</a></p>' for kind in ("epub", "docx", "pdf", "zip"))
    return {
        "/": page(
            "小船全文下载",
            f"<div>{''.join(f'<p>{each}</p>' for each in PARAGRAPHS)}</div>{links}"
            '<a href="/get?id=7" download>下载</a><a href="/api/7">在线</a><a href="/old.rar">rar</a>'
            '<p><a href="https://pan.baidu.com/s/1abc?pwd=x1y2">百度网盘 提取码 x1y2</a></p>'
            "<p>蓝奏云：https://wwi.lanzoux.com/i1234567 密码 abcd</p>",
        ),
        "/down/book.epub": Answer(FORMATS["epub"](), "application/epub+zip"),
        "/down/book.docx": Answer(FORMATS["docx"](), "application/octet-stream"),
        "/down/book.pdf": Answer(FORMATS["pdf"](), "application/pdf"),
        "/down/book.zip": Answer(FORMATS["zip"](), "application/x-zip-compressed"),
        "/get?id=7": Answer(
            TEXT.encode("gb18030"), "application/x-download", headers={"Content-Disposition": "attachment"}
        ),
        "/api/7": Answer(FORMATS["json"](), "application/json"),
    }


@pytest.mark.usefixtures("processes")
def test_offered_files_are_kept_as_received_and_net_disks_only_listed() -> None:
    with WebServer(offering_site()) as site:
        crawled = crawl(plan_of(site.url(), follow_patterns=("/api/",)), settings_of(site.netloc))
        routes, requested = site.routes, list(site.requested)
    assert crawled.counts.rejected == {}
    assert crawled.counts.files == 6
    kept = {
        fetched.final_url.partition(site.netloc)[2]: (fetched, reading)
        for fetched, reading in crawled.store.versions.values()
    }
    assert kept.keys() == routes.keys()
    for path, (fetched, reading) in kept.items():
        answer = routes[path]
        assert isinstance(answer, Answer)
        assert fetched.body == answer.body
        assert all(paragraph in reading.text for paragraph in PARAGRAPHS), path
    assert [(each.disk, each.url) for each in kept["/"][1].net_disks] == [
        ("百度网盘", "https://pan.baidu.com/s/1abc?pwd=x1y2"),
        ("蓝奏云", "https://wwi.lanzoux.com/i1234567"),
    ]
    assert "x1y2" in kept["/"][1].net_disks[0].label
    assert not any("rar" in path for path in requested)
    assert all(place == site.netloc for place in crawled.connected)


@pytest.mark.usefixtures("processes")
def test_files_beyond_a_runs_limit_wait_for_the_next_and_known_ones_are_revisited() -> None:
    files = {
        f"/{n}.zip": Answer(zip_of({f"{n}.txt": f"第{n}本。{TEXT}".encode()}), "application/zip") for n in range(5)
    }
    listed = "".join(f'<li><a href="{path}">下载</a></li>' for path in files)
    with WebServer({"/": page("目录", f"<ul>{listed}</ul>"), **files}) as server:
        site = VisitedSite(plan_of(server.url()), settings_of(server.netloc, max_files=2))
        runs = []
        for hour in range(3):
            server.requested.clear()
            counts = site.crawl(timedelta(hours=hour))
            assert counts.rejected.get("too_many_files", 0) == max(0, 3 - 2 * hour)
            assert any("ZHUIWEN_MAX_FILES" in str(fault) for fault in counts.faults) is (hour < 2)
            runs.append({path for path in server.requested if path in files})
        server.requested.clear()
        site.crawl(timedelta(days=40))
        again = {path for path in server.requested if path in files}
    assert [len(run) for run in runs] == [2, 2, 1]
    assert set().union(*runs) == files.keys()
    assert len(again) == 2


@pytest.mark.usefixtures("processes")
def test_a_file_beyond_the_size_of_a_response_or_a_bomb_costs_the_others_nothing() -> None:
    routes = offering_site()
    routes["/down/book.zip"] = Answer(zip_of({f"{n}.txt": b" " * 60_000_000 for n in range(2)}), "application/zip")
    routes["/down/book.pdf"] = Answer(b"%PDF-1.7" + b"0" * 500_000, "application/pdf")
    routes["/down/book.docx"] = Answer(FORMATS["docx"]()[:2_000], "application/msword")
    routes["/api/7"] = Answer(b'{"error": 1}', "application/json", status=404)
    with WebServer(routes) as site:
        crawled = crawl(plan_of(site.url()), settings_of(site.netloc))
    assert crawled.counts.rejected == {"too_large": 1, "unreadable_file": 1, "no_main_text": 1, "http_error": 1}
    assert crawled.has("/down/book.epub")
    assert crawled.counts.failed == 0


@pytest.mark.usefixtures("processes")
def test_the_catalogue_of_a_novel_offers_files_too() -> None:
    routes = novel_site(3)
    catalogue = next(path for path in routes if path.endswith("/"))
    listed = routes[catalogue]
    assert isinstance(listed, Answer)
    offer = b'<a href="/all.epub">TXT</a></body>'
    routes[catalogue] = Answer(listed.body.replace(b"</body>", offer), listed.content_type)
    routes["/all.epub"] = Answer(FORMATS["epub"](), "application/epub+zip")
    with WebServer(routes) as site:
        crawled = crawl(novel_plan(site), settings_of(site.netloc))
    assert [chapter.title for chapter in crawled.reading("/all.epub").chapters] == list(CHAPTERS)
    assert len(crawled.store.versions) == 4
