"""The formats of a report, in the order in which they are offered. How to add one: docs/recipes/report-format.md."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import BadInput

if TYPE_CHECKING:  # the command line lists the formats on every run, but rarely writes a report
    from analytics.report import Report


TEMPLATES = Path(__file__).parents[1] / "templates"  # of Typst


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A report format. Its module has a function `render`, and is imported on use."""

    name: str  # as given by a caller, and as the file extension
    media_type: str
    module: str

    def render(self, report: "Report") -> bytes:
        """Return the bytes of `report`; the same report has the same figures in every format."""
        render: Callable[[Report], bytes] = import_module(f"{__name__}.{self.module}").render
        return render(report)


_FORMATS = (
    ReportFormat("pdf", "application/pdf", "pdf_document"),
    ReportFormat("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "spreadsheet"),
    ReportFormat("csv", "text/csv; charset=utf-8", "comma_separated"),
    ReportFormat("html", "text/html; charset=utf-8", "web_page"),
    ReportFormat("json", "application/json", "json_data"),
)
FORMATS: Mapping[str, ReportFormat] = {each.name: each for each in _FORMATS}


def find_format(name: str) -> ReportFormat:
    """Return the format with that name. Raises BadInput that lists the known formats."""
    if name not in FORMATS:
        raise BadInput("report.format", format=name, formats=tuple(FORMATS))
    return FORMATS[name]


def render(report: "Report", name: str) -> bytes:
    """Return the bytes of `report` in the format with that name."""
    return find_format(name).render(report)
