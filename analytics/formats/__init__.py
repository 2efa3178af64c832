"""The formats of a report, in the order in which forms offer them. How to add one: docs/recipes/report-format.md."""

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
    """A format of reports. module: the module with its function `render`, which is imported when it is needed."""

    name: str  # as given by a caller, and as the file extension
    media_type: str
    module: str

    def render(self, report: "Report") -> bytes:
        """Return the report as the content of a file in this format."""
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
    """Return the format with this name. Raises BadInput, listing the known formats, if there is none."""
    if name not in FORMATS:
        raise BadInput("report.format", format=name, formats=tuple(FORMATS))
    return FORMATS[name]


def render(report: "Report", name: str) -> bytes:
    """Return the report as the content of a file in the format with this name. Raises BadInput for another name."""
    return find_format(name).render(report)
