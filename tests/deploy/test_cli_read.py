"""`zhuiwen read`: what it shows beside the text."""

from pathlib import Path

import pytest

from crawler.obfuscation.glyph_ocr import is_installed
from crawler.obfuscation.reference_fonts import free_fonts
from tests.crawler.case_folders import case
from tests.crawler.texts import SIMPLIFIED
from tests.support.books import epub_of
from tests.support.command_line import CommandLine
from tests.support.pictured_text import Style, pictures_of
from tests.support.web_server import page

FIELDS = {
    *("source", "site", "title", "chapter_number", "author", "published", "encoding", "is_encoding_doubtful"),
    *("repairs", "extractor", "confidence", "is_extraction_doubtful", "left_out", "obfuscations", "text"),
    *("chapters", "net_disks", "posters"),
}
NOVEL = case("articles", "chapter-in-one-pre-element-gbk")


@pytest.fixture
def zhuiwen(tmp_path: Path, processes: None) -> CommandLine:
    return CommandLine(tmp_path)


def test_all_that_was_read_of_a_chapter_stands_in_the_record(zhuiwen: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "3.html"
    path.write_bytes(NOVEL.body)
    record = zhuiwen("read", path, "--json").json()
    assert record.keys() >= FIELDS
    assert (record["site"], record["title"], record["chapter_number"]) == (
        "小书站",
        NOVEL.expected["title"],
        NOVEL.expected["chapter_number"],
    )
    assert (record["author"], record["encoding"]) == (NOVEL.expected["author"], "gb18030")
    assert (record["is_extraction_doubtful"], record["text"]) == (False, NOVEL.text)
    shown = zhuiwen("read", path).out
    assert "chapter: 3\n" in shown
    assert zhuiwen("read", "-", stdin=NOVEL.body).out.endswith(shown.partition("site: 小书站\n")[2])
    assert "site: 小书站\n" in shown


def test_an_extraction_that_is_more_likely_poor_than_good_is_called_doubtful(
    zhuiwen: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "timetable.html"
    rows = (f"<p>{at}号船 渡口至城南 上午{at}点</p><p><a href='/{at}'>票价与班次另行通知</a></p>" for at in range(1, 9))
    path.write_bytes(page("渡船班次", f"<h1>渡船班次</h1><div>{''.join(rows)}</div>").body)
    assert zhuiwen("read", path, "--json").json()["is_extraction_doubtful"] is True
    assert "(doubtful)" in zhuiwen("read", path).out


def test_a_book_is_shown_with_its_chapters_and_a_page_with_its_links_to_net_disks(
    zhuiwen: CommandLine, tmp_path: Path
) -> None:
    book, page = tmp_path / "a.epub", tmp_path / "a.html"
    book.write_bytes(epub_of("渡口", {"第一章 起锚": SIMPLIFIED, "第二章 靠岸": SIMPLIFIED[::-1]}))
    record = zhuiwen("read", book, "--json").json()
    assert (record["title"], record["extractor"]) == ("渡口", "epub")
    assert [each["title"] for each in record["chapters"]] == ["第一章 起锚", "第二章 靠岸"]
    assert record["text"][record["chapters"][1]["start"] :].startswith("第二章 靠岸")
    link = '<a href="https://pan.quark.cn/s/1a2b">夸克 提取码 x1</a>'
    page.write_text(f"<html><title>渡口</title><body><p>{'</p><p>'.join(SIMPLIFIED)}</p>{link}</body></html>", "utf-8")
    assert "link to a cloud drive: 夸克网盘 https://pan.quark.cn/s/1a2b 夸克 提取码 x1\n" in zhuiwen("read", page).out


@pytest.mark.skipif(not is_installed() or not free_fonts(), reason="the extra ocr or a free Chinese face is missing")
def test_a_saved_page_of_pictures_is_read_and_said_to_be_by_machine(zhuiwen: CommandLine, tmp_path: Path) -> None:
    (picture,) = pictures_of(SIMPLIFIED[:4], Style("", free_fonts()[0], width=620))
    (tmp_path / "1.png").write_bytes(picture)
    page = tmp_path / "1.html"
    page.write_text("<html><title>渡口</title><body><div><img src='1.png'></div></body></html>", "utf-8")
    (found,) = zhuiwen("read", page, "--json").json()["obfuscations"]
    assert (found["kind"], found["count"]) == ("text_picture", 1)
    assert "by a program" in zhuiwen("read", page).out
