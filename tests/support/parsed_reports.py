"""Reports read back from their formats, as a program or a person would read them."""

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

import openpyxl
import pypdf
from lxml import html


def from_json(content: bytes) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(content)
    return parsed


def from_csv(content: bytes) -> list[list[str]]:
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def from_xlsx(content: bytes) -> dict[str, list[list[Any]]]:
    """The rows of each sheet, without the empty cells at their ends."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    return {sheet.title: [_trimmed(row) for row in sheet.iter_rows(values_only=True)] for sheet in book}


def from_html(content: bytes) -> Any:
    return html.fromstring(content.decode())


def text_of(name: str, content: bytes) -> str:
    """Everything that a format holds, as text."""
    return {"pdf": from_pdf, "xlsx": lambda book: str(from_xlsx(book))}.get(name, bytes.decode)(content)


def html_rows(page: Any, section: str) -> Iterator[list[str]]:
    for row in page.xpath(f'//section[@id="{section}"]//tbody/tr'):
        yield [" ".join(cell.text_content().split()) for cell in row.xpath("./td")]


def html_definitions(page: Any, name: str) -> dict[str, str]:
    pairs = page.xpath(f'//dl[@class="{name}"]/div')
    return {pair.findtext("dt"): pair.find("dd").text_content() for pair in pairs}


def from_pdf(content: bytes) -> str:
    """The whole text without white space, since lines break anywhere."""
    pages = pypdf.PdfReader(io.BytesIO(content)).pages
    return re.sub(r"\s", "", "".join(page.extract_text() for page in pages))


def _trimmed(row: tuple[Any, ...]) -> list[Any]:
    cells = list(row)
    while cells and cells[-1] is None:
        cells.pop()
    return cells
