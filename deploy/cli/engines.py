"""The `engines` command, which lists the engines for `batch --engine` or describes one of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from json import dumps
from typing import Annotated, Any

import typer

from core.errors import NotFound
from core.wording import Message
from webadmin.ui.console.output import as_json, print_fields, print_line, print_table, translate_heading
from webadmin.ui.console.words import ENGLISH, console_language

OWN = "zhuiwen"
OWN_SUMMARY = Message("engine.the-product-s-own-matcher-anchors")
OWN_SOURCE = "docs/matching.md; Daguan Data, InfoQ China, 2016-08-18"
OWN_PARAMETERS = {
    "algorithm": Message("engine.the-fingerprint-1-2-5-anchors-3-the"),
    "page_step": Message("engine.tokens-between-a-page-s-windows-with-3"),
}
OWN_DEPARTURES = (
    Message("engine.the-published-windows-of-initial"),
    Message("engine.equal-fingerprints-are-no-match-yet-both"),
)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The description of an engine. parameters: default values by name. departures: from the published method."""

    name: str
    gives_spans: bool
    summary: Message
    source: str
    parameters: Mapping[str, Any]
    meanings: Mapping[str, Message]
    departures: tuple[Message, ...]


def engines(
    name: Annotated[str, typer.Argument(metavar="NAME")] = "",
    is_plain: Annotated[bool, typer.Option("--plain")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the engines for comparing pages, or describe NAME with its parameters, source and departures."""
    sheets = _engine_sheets()
    if name and name not in sheets:
        raise NotFound("engine", name, known=list(sheets))
    if is_plain:
        for each in [name] if name else sheets:
            typer.echo(each)
    elif name:
        _tell_json(sheets[name]) if is_json else _print_sheet(sheets[name], console_language())
    elif is_json:
        as_json([_list_row(sheet, ENGLISH) for sheet in sheets.values()])
    else:
        rows = [
            (sheet.name, _yes_or_no(sheet.gives_spans), _list_row(sheet, console_language())["summary"])
            for sheet in sheets.values()
        ]
        print_table(("column.engine", "column.spans", "column.what-it-is"), rows)


def _engine_sheets() -> dict[str, _Sheet]:
    """Return the descriptions of all engines by name, the product's own first."""
    from fingerprint import algorithms
    from fingerprint.engines.catalogue import ENGINES
    from matcher import calibration

    own_values = {"algorithm": algorithms.DEFAULT.id, "page_step": calibration.DEFAULT.page_window_step_tokens}
    own = _Sheet(OWN, True, OWN_SUMMARY, OWN_SOURCE, own_values, OWN_PARAMETERS, OWN_DEPARTURES)
    published = (
        _Sheet(
            entry.name,
            entry.gives_spans,
            entry.summary,
            entry.source,
            entry.defaults,
            entry.parameters,
            entry.departures,
        )
        for entry in ENGINES.values()
    )
    return {sheet.name: sheet for sheet in (own, *published)}


def _list_row(sheet: _Sheet, code: str) -> dict[str, Any]:
    return {"name": sheet.name, "gives_spans": sheet.gives_spans, "summary": sheet.summary.in_language(code)}


def _print_sheet(sheet: _Sheet, code: str) -> None:
    print_fields(
        (
            ("column.engine", sheet.name),
            ("column.what-it-is", sheet.summary.in_language(code)),
            ("column.spans", _yes_or_no(sheet.gives_spans)),
            ("column.source", sheet.source),
        )
    )
    typer.echo()
    print_table(
        ("column.parameter", "column.value", "column.meaning"),
        [
            (name, _format_value(value), sheet.meanings[name].in_language(code))
            for name, value in sheet.parameters.items()
        ],
    )
    typer.echo(f"\n{translate_heading('column.departures')}")
    for departure in sheet.departures:
        print_line(f"- {departure.in_language(code)}")


def _tell_json(sheet: _Sheet) -> None:
    parameters = [
        {"name": name, "value": value, "meaning": str(sheet.meanings[name])} for name, value in sheet.parameters.items()
    ]
    departures = [str(departure) for departure in sheet.departures]
    as_json(_list_row(sheet, ENGLISH) | {"source": sheet.source, "parameters": parameters, "departures": departures})


def _format_value(value: Any) -> object:
    if value is None:
        return Message("cli.none")
    if isinstance(value, bool):
        return _yes_or_no(value)
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return value if str(value).isprintable() else dumps(value, ensure_ascii=False)


def _yes_or_no(value: bool) -> Message:
    return Message("cli.yes" if value else "cli.no")
