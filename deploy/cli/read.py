"""The `read` command, which shows what the crawler reads on a page, without any service."""

from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from core.counting import count_characters
from core.pages import Reading
from core.states import MIN_CONFIDENCE_TO_TRUST
from core.wording import Message
from webadmin.ui.console.output import as_json, print_fields, terminal_text
from webadmin.ui.console.session import local_iso, local_time, settings_alone
from webadmin.ui.console.words import obfuscation_found


def read(
    source: Annotated[str, typer.Argument(metavar="FILE|URL|-")],
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Show what the crawler reads: title, site, text, encoding, date, author, and the obfuscations that it removed."""
    from deploy.cli.source import read_as_page

    settings = settings_alone()
    page = read_as_page(source, settings)
    reading = page.reading
    if is_json:
        as_json(_reading_record(page.name, reading, settings))
        return
    print_fields(
        [
            ("column.source", page.name),
            ("column.title", reading.title),
            ("column.chapter", reading.chapter_number),
            ("column.site", _site_name(page.name, reading)),
            *(("column.poster", name) for name in dict.fromkeys(each.name for each in reading.posters if each.name)),
            ("column.page-author", reading.author),
            ("column.published", local_time(reading.published, settings) if reading.published else ""),
            ("column.encoding", _mark_doubtful(reading.encoding, reading.is_encoding_doubtful)),
            *(("column.repaired", sentence) for sentence in reading.repairs),
            ("column.extractor", _describe_extractor(reading)),
            *(("column.left-out", line) for line in reading.left_out),
            ("column.chapters", len(reading.chapters) or ""),
            *(("column.net-disk", f"{each.disk} {each.url} {each.label}".strip()) for each in reading.net_disks),
            *(
                ("column.obfuscation", obfuscation_found(item.kind, item.count, item.example))
                for item in reading.obfuscations
            ),
            ("column.characters", f"{count_characters(reading.text):,}"),
        ]
    )
    typer.echo()
    for line in reading.text.split("\n"):
        typer.echo(terminal_text(line))


def _mark_doubtful(value: Message | str, is_doubtful: bool) -> Message | str:
    return Message("cli.doubtful", value=value) if is_doubtful else value


def _describe_extractor(reading: Reading) -> Message | str:
    told = Message("corpus.extractor", extractor=reading.extractor, confidence=reading.confidence)
    return _mark_doubtful(told, reading.confidence < MIN_CONFIDENCE_TO_TRUST)


def _site_name(name: str, reading: Reading) -> str:
    """Return the name of the site that the page states, or else the host of its URL; "" for a file without either."""
    return reading.site_name or urlsplit(name).netloc


def _reading_record(name: str, reading: Reading, settings: Any) -> dict[str, Any]:
    return {
        "source": name,
        "site": _site_name(name, reading),
        "title": reading.title,
        "chapter_number": reading.chapter_number,
        "author": reading.author,
        "posters": [{"name": each.name, "after": each.after} for each in reading.posters],
        "published": local_iso(reading.published, settings),
        "encoding": reading.encoding,
        "is_encoding_doubtful": reading.is_encoding_doubtful,
        "repairs": list(map(str, reading.repairs)),
        "extractor": reading.extractor,
        "confidence": round(reading.confidence, 3),
        "is_extraction_doubtful": reading.confidence < MIN_CONFIDENCE_TO_TRUST,
        "left_out": list(reading.left_out),
        "obfuscations": [{"kind": i.kind, "count": i.count, "example": i.example} for i in reading.obfuscations],
        "lines": [{"zone": line.zone, "text": line.text} for line in reading.lines],
        "chapters": [{"title": each.title, "start": each.start} for each in reading.chapters],
        "net_disks": [{"url": each.url, "disk": each.disk, "label": each.label} for each in reading.net_disks],
        "text": reading.text,
        "raw_text": reading.raw_text or reading.text,
        "marks": [mark.record for mark in reading.marks],
    }
