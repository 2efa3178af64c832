"""PDF works: real files set by Typst, with an outline or without, of pictures, protected, spoilt."""

import io
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter

from core.errors import UnreadableFile
from crawler.formats.pdf import extract_words, read_pdf
from tests.support.books import pdf_of, pdf_of_pictures
from webadmin.works.services.intake.files import read_file, read_work

PARAGRAPHS = (
    "渡口的灯是在立冬那天熄的。老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋，比上个月少了两袋。",
    "他没有声张，只把灯罩擦干净，挂回檐下原来的钉子上，又往炉子里添了一块湿柴，烟从门缝里慢慢地爬出去。",
    "天亮以前，下游来了一条没有点灯的船，船头站着一个人，怀里抱着一只匣子，问这里还收不收过路的信。",
    "老周说，收是收的，只是送信的人去年就走了，如今的信都压在神龛底下，等哪一天水退了再往上游带。",
)
SHORT = "“那就放在这里罢。”"
CHAPTERS = {
    "第一章 起锚": [*PARAGRAPHS, SHORT, *PARAGRAPHS[::-1]] * 2,
    "第二章 靠岸": [*PARAGRAPHS[2:], *PARAGRAPHS[:2], SHORT],
}
PDF = pdf_of("夜航", CHAPTERS)


def text_of(title: str) -> str:
    return "\n".join([title, *CHAPTERS[title]])


@pytest.mark.parametrize("has_outline", [True, False])
def test_chapters_come_of_outline_or_headings(tmp_path: Path, has_outline: bool) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf_of("夜航", CHAPTERS, has_outline=has_outline))
    assert len(PdfReader(path).pages) > 3
    assert bool(PdfReader(path).outline) is has_outline
    (work,) = read_work(path)
    assert (work.title, work.author) == ("夜航", "闻笛")
    assert {chapter.title: chapter.text.rstrip("\n") for chapter in work.chapters} == {
        title: text_of(title) for title in CHAPTERS
    }


def test_a_word_cut_by_a_hyphen_is_whole_and_latin_words_keep_their_blank(tmp_path: Path) -> None:
    words = "extraordinary circumstances notwithstanding, international telecommunications"
    source = pdf_of("夜航", {"第一章": [f"他说{words}都是新词，" * 6], "第二章": [PARAGRAPHS[0]]})
    path = tmp_path / "a.pdf"
    path.write_bytes(source)
    (work,) = read_work(path)
    assert "".join(work.chapters[0].text.split()).count("".join(words.split())) == 6
    assert "extraordinary circumstances" in work.chapters[0].text


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (pdf_of_pictures(), "has no text layer"),
        (PDF[: len(PDF) // 3], "is damaged or not a .pdf file"),
        (b"%PDF-1.7 and nothing more", "is damaged or not a .pdf file"),
        (b"plain text", "is damaged or not a .pdf file"),
    ],
)
def test_a_pdf_that_cannot_be_read_is_refused_in_one_sentence(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=reason) as caught:
        read_file(path)
    assert str(caught.value).startswith(str(path))


def pdf_of_bytes(lines: Sequence[bytes], font: bytes = b"/WinAnsiEncoding", packing: bytes = b"") -> bytes:
    """A page whose font says that each byte is a letter."""
    shown = b" ".join(b"<" + line.hex().encode() + b"> Tj T*" for line in lines)
    content = b"BT /F1 12 Tf 72 700 Td 14 TL " + shown + b" ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> "
        b">>",
        b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), packing, content),
        b"<< /Type /Font /Subtype /TrueType /BaseFont /SimSun /Encoding %s >>" % font,
    ]
    written, places = b"%PDF-1.4\n", list[int]()
    for number, each in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % each for each in places)
    return written + (
        b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF"
        % (table, len(written))
    )


@pytest.mark.parametrize(
    ("encoding", "lines"), [("gbk", PARAGRAPHS), ("big5", ["渡口的燈是在立冬那天熄的，江面起了霧。"] * 3)]
)
def test_an_old_pdf_with_latin_bytes_is_read(encoding: str, lines: Sequence[str]) -> None:
    book = read_pdf(io.BytesIO(pdf_of_bytes([line.encode(encoding) for line in lines])), "a.pdf")
    assert "".join("".join(each.text for each in book.chapters).split()) == "".join(lines)
    words, _ = extract_words(io.BytesIO(pdf_of_bytes([line.encode(encoding) for line in lines])), "a.pdf", 9, 999)
    assert words.split() == list(lines)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            pdf_of_bytes([b"The ferry does not cross in the fog.", b"Nobody came, and the lamp went out."]),
            "contains no Chinese text",
        ),
        (
            pdf_of_bytes(["Le fleuve était très calme cette année-là, à l'été.".encode("cp1252")] * 3),
            "contains no Chinese text",
        ),
        (pdf_of_bytes([b"- 1 -"]), "has no text layer"),
        (pdf_of_bytes([bytes(range(161, 255))[::-3]] * 4, b"/MacRomanEncoding"), "its text layer is garbled"),
        (
            pdf_of_bytes(["渡口".encode("gbk")], packing=b"/Filter /Fl"),
            "a PDF feature that is not supported (The filter name",
        ),
    ],
)
def test_a_pdf_without_chinese_says_why(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=re.escape(reason)):
        read_file(path)


def test_a_page_of_lines_of_one_character_costs_no_more_than_its_length() -> None:
    """In a book that is set so, 174,000 lines took 33 s to join."""
    lines = [line.encode("gbk") for line in "".join(PARAGRAPHS) * 40]
    book = read_pdf(io.BytesIO(pdf_of_bytes(lines)), "a.pdf")
    assert sum(len("".join(each.text.split())) for each in book.chapters) == len(lines)


@pytest.mark.parametrize(("password", "is_read"), [("", True), ("secret", False)])
def test_only_a_pdf_that_opens_without_a_password_is_read(password: str, is_read: bool) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(PDF)))
    writer.encrypt(password, "owner", algorithm="AES-256")
    protected = io.BytesIO()
    writer.write(protected)
    if is_read:
        assert len(read_pdf(protected, "a.pdf").chapters) == 2
        return
    with pytest.raises(UnreadableFile, match="is protected with a password"):
        read_pdf(protected, "a.pdf")
