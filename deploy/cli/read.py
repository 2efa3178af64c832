"""The verb `read`: what the crawler reads at a page. No service is needed."""

from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from core.pages import Reading
from core.states import MIN_CONFIDENCE_TO_TRUST
from deploy.cli.output import as_json, fields, shown
from deploy.cli.session import local_iso, local_time, settings_alone


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command("read")(read)


def read(
    source: Annotated[str, typer.Argument(metavar="FILE|URL|-", help="a saved page, an address, or - for stdin")],
    is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """Show what the crawler reads there: title, site, text, encoding, date, author, and the disguises it undid."""
    from deploy.cli.source import read_as_page

    settings = settings_alone()
    page = read_as_page(source, settings)
    reading = page.reading
    if is_json:
        as_json(_record(page.name, reading, settings))
        return
    doubts = " (doubtful)" if reading.is_encoding_doubtful else ""
    trust = " (doubtful)" if reading.confidence < MIN_CONFIDENCE_TO_TRUST else ""
    fields(
        [
            ("source", page.name),
            ("title", reading.title),
            *((("chapter", str(reading.chapter_number)),) if reading.chapter_number is not None else ()),
            ("site", _site(page.name, reading)),
            ("author", reading.author),
            ("published", local_time(reading.published, settings) if reading.published else ""),
            ("encoding", f"{reading.encoding}{doubts}"),
            *(("repaired", sentence) for sentence in reading.repairs),
            ("extractor", f"{reading.extractor}, confidence {reading.confidence:.2f}{trust}"),
            *(("left out", line) for line in reading.left_out),
            *(("disguise", f"{item.kind}, {item.count} times: {item.example}") for item in reading.disguises),
            ("characters", f"{len(reading.text):,}"),
        ]
    )
    typer.echo()
    for line in reading.text.split("\n"):
        typer.echo(shown(line))


def _site(name: str, reading: Reading) -> str:
    """What the page calls its site, else the host that it came from; "" for a file that names none."""
    return reading.site_name or urlsplit(name).netloc


def _record(name: str, reading: Reading, settings: Any) -> dict[str, Any]:
    return {
        "source": name,
        "site": _site(name, reading),
        "title": reading.title,
        "chapter_number": reading.chapter_number,
        "author": reading.author,
        "published": local_iso(reading.published, settings),
        "encoding": reading.encoding,
        "is_encoding_doubtful": reading.is_encoding_doubtful,
        "repairs": list(reading.repairs),
        "extractor": reading.extractor,
        "confidence": round(reading.confidence, 3),
        "is_extraction_doubtful": reading.confidence < MIN_CONFIDENCE_TO_TRUST,
        "left_out": list(reading.left_out),
        "disguises": [{"kind": i.kind, "count": i.count, "example": i.example} for i in reading.disguises],
        "text": reading.text,
        "raw_text": reading.raw_text or reading.text,
    }
