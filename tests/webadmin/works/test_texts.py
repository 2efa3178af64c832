"""Plain texts: encodings, refusals, and the splitting of one long text into chapters."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UnreadableFile
from crawler.formats.headings import split_chapters
from crawler.formats.numerals import parse_number
from webadmin.works.services.intake.files import read_work, read_works

PROSE = (
    "渡口的灯是在立冬那天熄的。老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋，比上个月少了两袋。\n"
    "他没有声张，只把账本合上，压在枕头底下。江面起了雾，对岸的码头像一行被水洇开的字，看得见，读不出。\n"
)
TRADITIONAL = (
    "渡口的燈是在立冬那天熄的。老周把船纜繫在第三根樁上，數了數艙裡的米袋，一共十七袋，比上個月少了兩袋。\n"
    "他沒有聲張，只把帳本合上，壓在枕頭底下。江面起了霧，對岸的碼頭像一行被水洇開的字，看得見，讀不出。\n"
)
CHAPTERS = [f"第{number}章 夜航\n{PROSE}" for number in "一二三四五"]


def only_text(path: Path) -> str:
    (work,) = read_work(path)
    (chapter,) = work.chapters
    return chapter.text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (PROSE, "utf-8"),
        (PROSE, "utf-8-sig"),
        (PROSE, "gbk"),
        (PROSE, "gb18030"),
        (PROSE, "utf-16"),
        (PROSE, "utf-16-le"),
        (PROSE, "utf-16-be"),
        (TRADITIONAL, "big5"),
        (TRADITIONAL, "utf-8"),
    ],
)
def test_a_text_is_read_in_any_chinese_encoding(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "渡口.txt"
    path.write_bytes(text.encode(encoding))
    assert only_text(path) == text


def test_line_ends_become_one_kind_and_nuls_go_and_all_else_stays_as_given(tmp_path: Path) -> None:
    given = "　　渡口的灯\u200b熄了。\x00\r\n\r\n  第二行，有\ue001私用区。\r第三行"
    path = tmp_path / "灯.txt"
    path.write_bytes(given.encode())
    assert only_text(path) == "　　渡口的灯\u200b熄了。\n\n  第二行，有\ue001私用区。\n第三行"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("空.txt", b"", "empty"),
        ("白.txt", b" \r\n \n", "no Chinese text"),
        ("latin.txt", b"nothing but English words", "no Chinese text"),
        ("图.txt", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, "picture"),
        ("书.txt", b"%PDF-1.7\n" + bytes(range(256)) * 8, "PDF"),
        ("噪.txt", bytes((i * 97 + i // 7) % 256 for i in range(4000)), "supported encoding"),
        ("断.txt", PROSE.encode()[:200] + b"\xff\xfe\x81\xff" * 9 + PROSE.encode()[200:], ""),
        ("断16.txt", b"\xff\xfe" + "渡口".encode("utf-16-le") + b"\x00\xd8\x41\x00", "the first at byte 6"),
        ("旧.docx", b"\xd0\xcf\x11\xe0" + bytes(600), "old Word file"),
        ("假.docx", b"not a zip at all", "damaged"),
        ("假.epub", b"PK\x03\x04 but cut off", "damaged"),
        ("音乐.mp3", b"ID3", "not a supported file"),
    ],
)
def test_an_unreadable_file_is_one_sentence(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UnreadableFile) as caught:
        read_work(path)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert reason in sentence
    assert "\n" not in sentence


def test_text_that_two_encodings_fit_badly_is_refused_and_says_what_was_tried(tmp_path: Path) -> None:
    path = tmp_path / "混.txt"
    path.write_bytes(PROSE.encode("gbk") * 4 + b"\x81\x20\xff\xa1" * 6 + PROSE.encode("gbk"))
    with pytest.raises(UnreadableFile, match="UTF-8"):
        read_work(path)


def test_a_long_text_is_split_at_its_headings(tmp_path: Path) -> None:
    path = tmp_path / "《夜航》作者：闻笛.txt"
    path.write_text("夜航\n作者：闻笛\n\n" + "".join(CHAPTERS), encoding="gb18030")
    (work,) = read_work(path)
    assert (work.title, work.author) == ("夜航", "闻笛")
    assert [chapter.title for chapter in work.chapters] == [f"第{n}章 夜航" for n in "一二三四五"]
    assert [chapter.number for chapter in work.chapters] == [1, 2, 3, 4, 5]
    assert "作者：闻笛" in work.chapters[0].text


@pytest.mark.parametrize(
    "text",
    [
        PROSE * 5,
        f"第一章 只有一章\n{PROSE}",
        f"第一回见到他的时候，我还小。\n{PROSE}第二回见到他是在渡口。\n{PROSE}",
        f"第一章的内容就这样\n{PROSE}第二章的内容也这样\n{PROSE}",
        f"第八百章 乱\n{PROSE}第三章 乱\n{PROSE}第五百章 乱\n{PROSE}第七十章 乱\n{PROSE}",
    ],
)
def test_prose_and_headings_without_a_plausible_order_are_not_split(text: str) -> None:
    (chapter,) = split_chapters(text)
    assert chapter.text == text


@pytest.mark.parametrize("text", [PROSE, f"{PROSE * 4}第一章 买风\n{PROSE}", f"第八章 乱\n{PROSE}第三章 乱\n{PROSE}"])
def test_a_text_without_one_heading_at_its_head_has_no_chapter_s_title(text: str) -> None:
    (chapter,) = split_chapters(text)
    assert chapter.title == ""


def test_a_volume_heading_goes_with_its_first_chapter_and_numbers_may_begin_again() -> None:
    text = "第一卷 水\n" + "".join(CHAPTERS[:3]) + "第二卷 火\n" + "".join(CHAPTERS[:3])
    chapters = split_chapters(text)
    assert len(chapters) == 6
    assert chapters[3].text.startswith("第二卷 火\n第一章")


def test_a_long_preface_is_a_chapter_of_its_own() -> None:
    chapters = split_chapters(PROSE * 4 + "".join(CHAPTERS))
    assert (len(chapters), chapters[0].title, chapters[0].text) == (6, "", PROSE * 4)


@given(st.lists(st.sampled_from([*CHAPTERS, PROSE, "第一卷 水\n", "楔子\n", "\n", "　\n", "x", "第七章"]), max_size=12))
def test_the_chapters_joined_are_the_text(parts: list[str]) -> None:
    text = "".join(parts)
    assert "".join(chapter.text for chapter in split_chapters(text)) == text


@given(st.integers(1, 9999))
def test_a_number_is_the_same_in_chinese_and_arabic(number: int) -> None:
    digits = "零一二三四五六七八九"
    written, is_gap = "", False
    for place, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // place % 10
        if digit:
            written += ("零" if is_gap else "") + digits[digit] + unit
        is_gap = not digit and bool(written)
    assert parse_number(written) == parse_number(str(number)) == number


def test_markdown_headings_make_chapters_and_the_title(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(f"# 夜航\n\n## 起锚\n{PROSE}\n## 靠岸\n{PROSE}", encoding="utf-8")
    (work,) = read_work(path)
    assert work.title == "夜航"
    assert [chapter.title for chapter in work.chapters] == ["起锚", "靠岸"]


def test_titles_and_texts_of_every_source_can_be_stored(tmp_path: Path) -> None:
    line = {"work_id": "a\x00", "title": "夜航\x00\ud800", "text": "渡口的灯\x00熄了\ud800。", "author": "闻\x01笛"}
    (tmp_path / "书.jsonl").write_text(json.dumps(line) + "\n", encoding="ascii")
    (found,) = read_works(tmp_path / "书.jsonl").works
    assert (found.file.title, found.file.author) == ("夜航\ufffd", "闻笛")
    assert [chapter.text for chapter in found.file.chapters] == ["渡口的灯熄了\ufffd。"]
