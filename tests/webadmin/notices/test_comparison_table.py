"""The comparison table: what was changed is marked on its side, in Word and in PDF."""

import io
import struct
import zlib
from datetime import UTC, datetime

import pytest
from PIL import Image
from pypdf import PdfReader

from documents.blocks import InlineMark
from documents.pdf_writing import pdf_file
from documents.pictures import MAX_HEIGHT_PX, WIDTH_PX, PagePicture, page_picture
from documents.word_reading import read_word_file
from documents.word_writing import word_file
from webadmin.notices.services.comparison_table import ComparedCase, comparison_table, mark_differences

AT = datetime(2026, 11, 27, tzinfo=UTC)
SPAN = {
    "page": [100, 110],
    "work": [20, 29],
    "page_excerpt": "杜口的登收藏本站是在",
    "work_excerpt": "渡口的灯灭了是在立",
    "changes": [
        ["homophone", 100, 101, 20, 21],
        ["script", 102, 103, 22, 23],
        ["homophone", 103, 104, 23, 24],
        ["inserted", 104, 108, 24, 24],
        ["deleted", 108, 108, 24, 26],
        ["moved", 108, 110, 26, 28],
        ["deleted", 110, 110, 28, 29],
    ],
}


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = zlib.compress((b"\0" + b"\x80" * width * 3) * height)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_each_side_has_its_text_whole_and_the_changes_marked() -> None:
    work, page = mark_differences(SPAN)
    assert "".join(run.text for run in work) == SPAN["work_excerpt"]
    assert "".join(run.text for run in page) == SPAN["page_excerpt"]
    assert [(run.text, run.mark) for run in work if run.mark] == [
        ("渡", InlineMark.CHANGED),
        ("灯", InlineMark.CHANGED),
        ("灭了", InlineMark.LOST),
        ("立", InlineMark.LOST),
    ]
    assert [(run.text, run.mark) for run in page if run.mark] == [
        ("杜", InlineMark.CHANGED),
        ("登", InlineMark.CHANGED),
        ("收藏本站", InlineMark.ADDED),
    ]


def test_changes_of_one_side_that_touch_or_overlap_lose_no_character() -> None:
    span = {
        **SPAN,
        "changes": [["replaced", 100, 104, 20, 22], ["noise", 102, 103, 21, 21], ["inserted", 103, 106, 22, 22]],
    }
    for side, excerpt in zip(mark_differences(span), ("work_excerpt", "page_excerpt"), strict=True):
        assert "".join(run.text for run in side) == span[excerpt]


@pytest.mark.usefixtures("processes")
def test_facts_passages_and_picture_stand_in_word_and_pdf() -> None:
    case = ComparedCase(
        "案件 7：《渡口无灯》第一章",
        (("作品", "渡口无灯"), ("哈希值", "9f86d081884c7d65")),
        (("网址", "https://pirate.example/book/1.html"), ("取证时间", "2026-11-20 09:14:00 +08:00"), ("未知", "")),
        [*[SPAN] * 39, {**SPAN, "page_excerpt": "杜口的登收藏本站是在\n第二行", "page": [100, 114]}],
        PagePicture(png(600, 900), is_cut=True),
    )
    assert comparison_table([], "en").title == "Comparison table"
    table = comparison_table([case, case], "zh-hans")
    word, pdf = word_file(table, AT), PdfReader(io.BytesIO(pdf_file(table, AT)))
    printed = "".join(page.extract_text() for page in pdf.pages).replace("\n", "")
    assert "[U+" not in printed
    assert "未知" not in printed
    assert printed.count("杜口的登收藏本站是在") == 80
    assert printed.count("https://pirate.example/book/1.html") == 2
    assert sum(len(page.images) for page in pdf.pages) == 2
    again = read_word_file(word, "侵权比对表")
    assert [type(block).__name__ for block in again.blocks].count("BlockPicture") == 2
    assert [type(block).__name__ for block in again.blocks].count("BlockTable") == 2
    assert "PageBreak" in [type(block).__name__ for block in again.blocks]


def test_a_picture_fits_the_text_and_a_sheet() -> None:
    for given, size, is_cut in (
        ((1_280, 16_000), (WIDTH_PX, MAX_HEIGHT_PX), True),
        ((1_280, 800), (WIDTH_PX, 450), False),
        ((390, 300), (390, 300), False),
        ((1, 1), (1, 1), False),
    ):
        made = page_picture(png(*given))
        with Image.open(io.BytesIO(made.content)) as shown:
            assert (shown.size, made.is_cut, shown.format) == (size, is_cut, "PNG")


@pytest.mark.usefixtures("processes")
def test_a_cut_picture_says_so_and_stands_on_a_sheet_of_its_own() -> None:
    cases = [ComparedCase("甲", (), (), [SPAN], PagePicture(png(80, 104), is_cut)) for is_cut in (True, False)]
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(pdf_file(comparison_table(cases, "zh"), AT))).pages]
    assert [("全图见证据包" in page, "生成的网页图像" in page) for page in pages] == [
        (False, False), (True, True), (False, False), (False, True),
    ]  # fmt: skip
