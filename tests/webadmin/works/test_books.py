"""EPUB, Word, HTML, JSON lines, and folders: real files made here, whole ones and hostile ones."""

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import docx
import pytest

from core.errors import MalformedLine, UnreadableFile
from crawler.formats import archive
from webadmin.works.services.intake.files import read_work, read_works

PROSE = "渡口的灯是在立冬那天熄的。老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋，比上个月少了两袋。"
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
NAV = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>'
    '<nav epub:type="toc"><ol>'
    '<li><a href="text/two.xhtml">第一章 起锚</a></li><li><a href="text/one.xhtml#top">第二章 靠岸</a></li>'
    "</ol></nav></body></html>"
)
NCX = (
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>'
    '<navPoint><navLabel><text>第一章 起锚</text></navLabel><content src="text/two.xhtml"/></navPoint>'
    '<navPoint><navLabel><text>第二章 靠岸</text></navLabel><content src="text/one.xhtml#a"/></navPoint>'
    "</navMap></ncx>"
)
ENCRYPTION = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData '
    'xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod Algorithm="{}"/></EncryptedData></encryption>'
)


def page(text: str) -> str:
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><p>{text}</p></body></html>'


def package(toc: str) -> str:
    """The spine is two, one, split: the order of reading is not that of the names."""
    contents = {
        "nav": '<item id="toc" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
        "ncx": '<item id="toc" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
        "": "",
    }[toc]
    pages = "".join(
        f'<item id="{name}" href="text/{name}.xhtml" media-type="application/xhtml+xml"/>'
        for name in ("one", "two", "split", "cover")
    )
    return (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>夜航</dc:title><dc:creator>闻笛</dc:creator></metadata><manifest>{contents}{pages}</manifest>"
        '<spine><itemref idref="cover" linear="no"/><itemref idref="two"/>'
        '<itemref idref="one"/><itemref idref="split"/></spine></package>'
    )


def write_epub(path: Path, toc: str = "nav", **others: str) -> Path:
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package(toc),
        "OEBPS/nav.xhtml": NAV,
        "OEBPS/toc.ncx": NCX,
        "OEBPS/text/two.xhtml": page(f"二{PROSE}<ruby>渡<rt>dù</rt></ruby>口"),
        "OEBPS/text/one.xhtml": page(f"一{PROSE}"),
        "OEBPS/text/split.xhtml": page(f"续{PROSE}"),
        "OEBPS/text/cover.xhtml": page("封面"),
        **others,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in members.items():
            book.writestr(name, content)
    return path


@pytest.mark.parametrize("toc", ["nav", "ncx"])
def test_an_epub_is_read_in_the_order_of_its_spine_and_titled_by_its_contents(tmp_path: Path, toc: str) -> None:
    (work,) = read_work(write_epub(tmp_path / "a.epub", toc))
    assert (work.title, work.author) == ("夜航", "闻笛")
    assert [chapter.title for chapter in work.chapters] == ["第一章 起锚", "第二章 靠岸"]
    first, second = (chapter.text for chapter in work.chapters)
    assert first == f"二{PROSE}渡口"
    assert second == f"一{PROSE}\n续{PROSE}"


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        (
            {"META-INF/encryption.xml": ENCRYPTION.format("http://www.w3.org/2001/04/xmlenc#aes256-cbc")},
            "digital rights",
        ),
        ({"META-INF/container.xml": "<container/>"}, "no package document"),
        ({"META-INF/container.xml": CONTAINER.replace("book.opf", "gone.opf")}, "part OEBPS/gone.opf is missing"),
        ({"OEBPS/book.opf": "no xml"}, "not XML"),
        ({f"OEBPS/text/{name}.xhtml": page("plates") for name in ("one", "two", "split")}, "no Chinese text"),
    ],
)
def test_an_unreadable_book_is_one_sentence(tmp_path: Path, others: dict[str, str], reason: str) -> None:
    path = write_epub(tmp_path / "a.epub", **others)
    with pytest.raises(UnreadableFile, match=reason) as caught:
        read_work(path)
    assert str(caught.value).startswith(str(path))


def test_a_book_that_unpacks_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBER_BYTES", 100_000)
    bomb = page("船" * 1_000_000)
    path = write_epub(tmp_path / "a.epub", **{"OEBPS/text/one.xhtml": bomb})
    assert path.stat().st_size < 20_000
    with pytest.raises(UnreadableFile, match="unpacks to more"):
        read_work(path)


def test_entities_of_a_book_are_not_followed_to_files_of_this_machine(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("密码在此", encoding="utf-8")
    entity = f'<!DOCTYPE package [<!ENTITY x SYSTEM "file://{secret}">]>'
    opf = entity + package("nav").replace("夜航", "夜航&x;")
    (work,) = read_work(write_epub(tmp_path / "a.epub", **{"OEBPS/book.opf": opf}))
    assert "密码" not in work.title


def test_headings_of_a_word_file_make_chapters(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("夜航", 0)
    for title in ("起锚", "靠岸"):
        document.add_heading(title, 1)
        document.add_paragraph(PROSE)
    document.add_table(1, 1).cell(0, 0).text = "表中的字"
    document.save(str(tmp_path / "a.docx"))
    (work,) = read_work(tmp_path / "a.docx")
    assert work.title == "夜航"
    assert [chapter.title for chapter in work.chapters] == ["起锚", "靠岸"]
    assert work.chapters[0].text.startswith("夜航\n起锚")
    assert work.chapters[1].text == f"靠岸\n{PROSE}\n表中的字"


def test_a_zip_that_is_no_word_file_is_refused(tmp_path: Path) -> None:
    path = write_epub(tmp_path / "a.docx")
    with pytest.raises(UnreadableFile, match="not a Word document"):
        read_work(path)


def test_the_main_text_of_a_saved_page_is_one_chapter(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    body = "".join(f"<p>{PROSE}</p>" for _ in range(4))
    menu = "<nav><a href='/'>首页</a> <a href='/b'>排行榜</a></nav>"
    head = "<head><meta charset='gbk'><title>夜航</title></head>"
    markup = f"<html>{head}<body>{menu}<div><h1>夜航</h1>{body}</div></body></html>"
    path.write_bytes(markup.encode("gbk"))
    (work,) = read_work(path)
    assert work.title == "夜航"
    assert work.chapters[0].text == "\n".join([PROSE] * 4)


def test_bad_lines_are_named_by_number_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "works.jsonl"
    good = {"work_id": "a", "title": "夜航", "text": PROSE, "author": "闻笛", "chapter": 2}
    rows = [
        json.dumps(good, ensure_ascii=False).encode(),
        b"{not json",
        b'"a string"',
        b'{"work_id": "b", "title": "x"}',
        b'{"work_id": "b", "title": "x", "text": 5}',
        b'{"work_id": "b", "title": "x", "text": "latin only"}',
        "{'title': '乱'}".encode("gbk"),
        b"",
        json.dumps({**good, "chapter": 1, "text": f"先{PROSE}"}).encode(),
        json.dumps({"work_id": "c", "title": "渡口", "text": PROSE, "chapter": "楔子"}).encode(),
        b"[" * 100_000,
    ]
    path.write_bytes(b"\xef\xbb\xbf" + b"\n".join(rows))
    intake = read_works(path)
    assert [fault.line_number for fault in intake.faults if isinstance(fault, MalformedLine)] == [2, 3, 4, 5, 6, 7, 11]
    assert len(intake.faults) == 7
    first, second = intake.works
    assert (first.file.title, first.file.author) == ("夜航", "闻笛")
    assert [chapter.text for chapter in first.file.chapters] == [f"先{PROSE}", PROSE]
    assert second.file.chapters[0].title == "楔子"


def test_a_line_says_when_its_chapter_was_officially_published(tmp_path: Path) -> None:
    path = tmp_path / "works.jsonl"
    line = {"work_id": "a", "title": "夜航", "text": PROSE}
    times: list[object] = ["2026-03-01T12:00:00+08:00", None, "2026-03-01 12:00", 5]
    rows = [{**line, "chapter": number, "published_at": at} for number, at in enumerate(times, 1)]
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    intake = read_works(path)
    (work,) = intake.works
    assert [chapter.published_at for chapter in work.file.chapters] == [datetime(2026, 3, 1, 4, 0, tzinfo=UTC), None]
    unzoned, number = intake.faults
    assert "has no time zone" in str(unzoned)
    assert "is not a string" in str(number)


def test_a_folder_of_chapters_is_one_work_in_natural_order(tmp_path: Path) -> None:
    folder = tmp_path / "夜航"
    folder.mkdir()
    for number in ("十", "九", "一", "十一"):
        (folder / f"第{number}章.txt").write_text(f"第{number}章 船\n{PROSE}", encoding="gb18030")
    (folder / "LICENSE").write_text("x")
    (found,) = read_works(folder).works
    assert [chapter.title for chapter in found.file.chapters] == [f"第{n}章 船" for n in ("一", "九", "十", "十一")]
    assert (found.file.title, found.kind) == ("夜航", "")


def test_a_bad_chapter_is_reported_and_leaves_its_number_free(tmp_path: Path) -> None:
    folder = tmp_path / "夜航"
    folder.mkdir()
    for number in (1, 2, 3):
        (folder / f"{number:03}-船.txt").write_text(PROSE, encoding="utf-8")
    (folder / "002-船.txt").write_bytes(b"")
    intake = read_works(folder)
    (found,) = intake.works
    assert [str(fault) for fault in intake.faults] == [f"{folder / '002-船.txt'}: is empty"]
    assert [(chapter.number, chapter.title) for chapter in found.file.chapters] == [(1, "船"), (3, "船")]
    assert not found.is_whole


def test_a_folder_of_folders_has_a_work_in_each(tmp_path: Path) -> None:
    for name in ("短夜", "长夜", "空"):
        (tmp_path / name).mkdir()
    for name in ("短夜", "长夜"):
        (tmp_path / name / "1.txt").write_text(PROSE, encoding="utf-8")
    intake = read_works(tmp_path)
    assert sorted(found.file.title for found in intake.works) == ["短夜", "长夜"]
    assert ["no chapter files" in str(fault) for fault in intake.faults] == [True]


def test_an_empty_folder_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no chapter files"):
        read_work(tmp_path)


def test_the_novels_of_the_demo_are_read() -> None:
    works = Path(__file__).parents[3] / "deploy" / "demo" / "works"
    intakes = [read_works(folder) for folder in works.iterdir() if folder.is_dir()]
    assert not any(intake.faults for intake in intakes)
    assert [len(found.file.chapters) for intake in intakes for found in intake.works] == [4, 4]
