"""The verb `engines`: what `batch --engine` can compare with, and of one engine what it is made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from json import dumps
from typing import Annotated, Any

import typer

from core.errors import NotFound
from core.wording import Message
from core.words import Words
from webadmin.ui.console.output import as_json, fields, head, say, table
from webadmin.ui.console.words import ENGLISH, language

OWN = "zhuiwen"
OWN_SUMMARY = Words(
    "the product's own matcher: anchors, verification, spans and classes; the default",
    "本产品自有比对：锚点、核对、片段与类别；默认",
)
OWN_SOURCE = "docs/matching.md; Daguan Data, InfoQ China, 2016-08-18"
OWN_PARAMETERS = {
    "algorithm": Words(
        "the fingerprint; 1, 2, 5: anchors, 3: the published windows, 4: both",
        "指纹；1、2、5：锚点，3：公开的窗口法，4：两者兼用",
    ),
    "page_step": Words("tokens between a page's windows, with 3 and 4", "网页窗口的间隔（词元），用于 3 和 4"),
}
OWN_DEPARTURES = (
    Words(
        "The published windows of initial frequencies are algorithm 3; the default looks for hashes of five syllables "
        "in a row, in which syllables that people confuse by ear are the same.",
        "公开的首字母频率窗口为算法 3；默认查找连续五个音节的哈希，其中听来易混的音节视为相同。",
    ),
    Words(
        "Equal fingerprints are no match yet: both texts are aligned character by character, and what texts of one "
        "trade share by nature is told from a copy.",
        "指纹相同还不算匹配：再将两份文本逐字对齐，并把同类文本本来共有的文字与对作品的使用区分开。",
    ),
)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What is said of an engine. parameters: each with its value."""

    name: str
    gives_spans: bool
    summary: Words
    source: str
    parameters: Mapping[str, Any]
    meanings: Mapping[str, Words]
    departures: tuple[Words, ...]


def engines(
    name: Annotated[str, typer.Argument(metavar="NAME")] = "",
    is_plain: Annotated[bool, typer.Option("--plain")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the engines that pages can be compared with; of NAME say what it is, its parameters, source, departures."""
    sheets = _sheets()
    if name and name not in sheets:
        raise NotFound("engine", name, known=list(sheets))
    if is_plain:
        for each in [name] if name else sheets:
            typer.echo(each)
    elif name:
        _tell_json(sheets[name]) if is_json else _tell(sheets[name], language())
    elif is_json:
        as_json([_row(sheet, ENGLISH) for sheet in sheets.values()])
    else:
        rows = [(sheet.name, _yes(sheet.gives_spans), _row(sheet, language())["summary"]) for sheet in sheets.values()]
        table(("column.engine", "column.spans", "column.what-it-is"), rows)


def _sheets() -> dict[str, _Sheet]:
    """Every engine by its name, the product's own first."""
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


def _row(sheet: _Sheet, code: str) -> dict[str, Any]:
    return {"name": sheet.name, "gives_spans": sheet.gives_spans, "summary": sheet.summary.in_language(code)}


def _tell(sheet: _Sheet, code: str) -> None:
    fields(
        (
            ("column.engine", sheet.name),
            ("column.what-it-is", sheet.summary.in_language(code)),
            ("column.spans", _yes(sheet.gives_spans)),
            ("column.source", sheet.source),
        )
    )
    typer.echo()
    table(
        ("column.parameter", "column.value", "column.meaning"),
        [(name, _shown(value), sheet.meanings[name].in_language(code)) for name, value in sheet.parameters.items()],
    )
    typer.echo(f"\n{head('column.departures')}")
    for departure in sheet.departures:
        say(f"- {departure.in_language(code)}")


def _tell_json(sheet: _Sheet) -> None:
    parameters = [
        {"name": name, "value": value, "meaning": sheet.meanings[name].en} for name, value in sheet.parameters.items()
    ]
    departures = [departure.en for departure in sheet.departures]
    as_json(_row(sheet, ENGLISH) | {"source": sheet.source, "parameters": parameters, "departures": departures})


def _shown(value: Any) -> object:
    if value is None:
        return Message("cli.none")
    if isinstance(value, bool):
        return _yes(value)
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return value if str(value).isprintable() else dumps(value, ensure_ascii=False)


def _yes(value: bool) -> Message:
    return Message("cli.yes" if value else "cli.no")
