"""Exports lists as CSV and XLSX, row by row and without formulas."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from tempfile import TemporaryFile
from typing import IO, Any

from django.db.models import QuerySet
from django.http import FileResponse, StreamingHttpResponse
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from core.plain_text import defuse_formula
from webadmin.ui.pages.requests.bidi import mark_bidi

Cell = str | int | float | None
Records = QuerySet[Any] | Sequence[Any]

BYTE_ORDER_MARK = "\ufeff"  # Without a BOM, Excel reads UTF-8 in the machine's code page.
MAX_XLSX_CELL_CHARS = 32_767  # the limit of the format
CHUNK_ROWS = 500


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """A column of an export. value: a function from a record to its cell."""

    heading: Any  # a string, lazily translated
    value: Callable[[Any], Any]


ZONE = ExportColumn(
    _("time zone"), lambda _record: timezone.get_current_timezone_name()
)  # the time zone of the times in the same row


def safe_cell(value: object) -> Cell:
    """Convert a value to a cell that is not a formula and has no bidirectional controls.

    Times are in the user's time zone.

    >>> safe_cell("=1+1"), safe_cell("-5"), safe_cell(-5)
    ("'=1+1", "'-5", -5)
    """
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, datetime):
        return timezone.localtime(value).strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, date):
        return value.isoformat()
    return defuse_formula(mark_bidi(str(value).replace("\x00", "")))


def csv_response(name: str, columns: Sequence[ExportColumn], records: Records) -> StreamingHttpResponse:
    """Return the records as a CSV stream (UTF-8 with BOM, RFC 4180), in the language of the request."""
    language, zone = translation.get_language() or "en", timezone.get_current_timezone()
    body = _csv_lines([*columns, ZONE], _read_in_chunks(records), language, zone)
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return StreamingHttpResponse(body, content_type="text/csv; charset=utf-8", headers=headers)


def xlsx_response(name: str, columns: Sequence[ExportColumn], records: Records) -> FileResponse:
    """Return the records as a workbook, written to disk row by row in constant memory."""
    file = TemporaryFile()  # noqa: SIM115 - the response closes it
    write_xlsx(file, [*columns, ZONE], _read_in_chunks(records))
    file.seek(0)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    return FileResponse(file, as_attachment=True, filename=f"{name}.xlsx", content_type=kind)


def write_xlsx(file: IO[bytes], columns: Sequence[ExportColumn], records: Iterable[Any]) -> None:
    import xlsxwriter  # takes 2 MB

    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(file, options) as workbook:
        sheet = workbook.add_worksheet()
        bold = workbook.add_format({"bold": True})
        for place, column in enumerate(columns):
            sheet.write_string(0, place, str(column.heading), bold)
        for row, record in enumerate(records, start=1):
            for place, column in enumerate(columns):
                cell = safe_cell(column.value(record))
                sheet.write(row, place, cell[:MAX_XLSX_CELL_CHARS] if isinstance(cell, str) else cell)
        sheet.freeze_panes(1, 0)


def _read_in_chunks(records: Records) -> Iterable[Any]:
    """Return an iterable over the records that reads a QuerySet in chunks."""
    return records.iterator(chunk_size=CHUNK_ROWS) if isinstance(records, QuerySet) else records


def _csv_lines(columns: Sequence[ExportColumn], records: Iterable[Any], language: str, zone: tzinfo) -> Iterator[str]:
    writer = csv.writer(_Echo())
    with translation.override(language):
        headings = [safe_cell(str(column.heading)) for column in columns]
    yield BYTE_ORDER_MARK + writer.writerow(headings)
    for record in records:
        # The response is read after the request's language and time zone were reset.
        with translation.override(language), timezone.override(zone):
            cells = [safe_cell(column.value(record)) for column in columns]
        yield writer.writerow(cells)


class _Echo:
    """A file-like object for csv.writer whose `write` returns its argument."""

    def write(self, text: str) -> str:
        return text
