"""The formats of a report. Each renders the same `Report`, so the figures are the same in all."""

from collections.abc import Callable

from analytics.formats import comma_separated, json_data, pdf_document, spreadsheet, web_page
from analytics.report import Report
from core.errors import BadInput

Renderer = Callable[[Report], bytes]

FORMATS: dict[str, Renderer] = {
    "pdf": pdf_document.render,
    "xlsx": spreadsheet.render,
    "csv": comma_separated.render,
    "html": web_page.render,
    "json": json_data.render,
}

MEDIA_TYPES = {
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
}


def render(report: Report, format: str) -> bytes:  # noqa: A002 - the word a caller says, as on the command line
    """Write `report` in the format of that name, a key of FORMATS; raises BadInput for any other."""
    if format not in FORMATS:
        raise BadInput(f"there is no report format {format!r}; choose {', '.join(FORMATS)}")
    return FORMATS[format](report)
