"""The `zhuiwen bench` commands: how well and how fast copies are found, pages read, cases shown. They store nothing."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from core.errors import BadConfiguration, BadInput
from core.known_settings import PREFIX, environment_variable
from core.wording import Message
from laboratory.report import Section, TextTable
from webadmin.ui.console.faults import complain
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.output import Meter, print_line, print_table
from webadmin.ui.console.written_files import require_folder, write

MAX_CHARS = 1e9  # of works, the maximum that the product is made for


def quality(  # noqa: PLR0917 - options of a command
    engine: Annotated[str, typer.Option(metavar="NAME")] = "zhuiwen",
    texts: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    corpora: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    cases: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    size: Annotated[str, typer.Option(metavar="SIZE")] = "small",
    seed: int | None = None,
    classes: Annotated[str, typer.Option(metavar="NAMES")] = "",
    parts: Annotated[str, typer.Option(metavar="NAMES")] = "cases",
    jobs: Annotated[int, typer.Option(min=1)] = 1,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", metavar="FILE")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
) -> None:
    """Make copies of real texts, look them up, and show how many were found and who was accused."""
    from laboratory.cases.build import DEFAULT_SEED, SHARED_CORPORA
    from laboratory.cases.conditions import SIZES
    from laboratory.measures.quality import CLASSES, Listener, Plan, measure
    from laboratory.measures.results import as_dict
    from laboratory.measures.tables import tables
    from laboratory.measures.web_page import rendered

    if size not in SIZES:
        raise BadInput("cli.choose", what=Message("cli.size"), name=size, choices=list(SIZES))
    require_folder(json_file)
    require_folder(html_file)
    plan = Plan(
        engine=engine,
        size=size,
        seed=DEFAULT_SEED if seed is None else seed,
        classes=frozenset(_names(classes) or CLASSES),
        corpora=corpora or SHARED_CORPORA,
        texts=texts,
        ready=cases,
        jobs=jobs,
        out=out,
        parts=frozenset(_names(parts)),
    )
    results = measure(plan, Listener(complain, lambda label: Meter(label).update))
    _show(tables(results))
    _write_figures(json_file, as_dict(results))
    if html_file is not None:
        write(html_file, rendered(results))


def extract(  # noqa: PLR0917 - options of a command
    corpora: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    pages: Annotated[Path | None, typer.Option(metavar="PATH")] = None,
    parts: Annotated[str, typer.Option(metavar="NAMES")] = "",
    rounds: Annotated[int, typer.Option(min=1)] = 1,
    seed: int | None = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE")] = None,
) -> None:
    """Read saved pages with the crawler and with the published extractors, and show how much was found."""
    from laboratory.cases.build import DEFAULT_SEED, SHARED_CORPORA
    from laboratory.extraction import main_text, obfuscations
    from laboratory.extraction.saved_pages import ARCHIVE

    require_folder(json_file)
    folder, drawn = corpora or SHARED_CORPORA, DEFAULT_SEED if seed is None else seed
    known: dict[str, Callable[[], Section]] = {
        "text": lambda: main_text.section(pages or folder / ARCHIVE, drawn, rounds, complain),
        "obfuscations": lambda: obfuscations.section(folder, drawn, complain),
    }
    asked = _names(parts) or list(known)
    if unknown := [name for name in asked if name not in known]:
        raise BadInput("laboratory.no-part", parts=unknown, known=list(known))
    sections = {name: measure() for name, measure in known.items() if name in asked}
    for section in sections.values():
        _show(section.tables, section.notes)
    _write_figures(json_file, {name: each.record for name, each in sections.items()})


def speed(  # noqa: PLR0917 - options of a command
    texts: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    corpora: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    works_chars: float = 25e6,
    pages: Annotated[int, typer.Option(min=1)] = 600,
    long_chars: float = 1e7,
    rounds: Annotated[int, typer.Option(min=1)] = 5,
    parts: Annotated[str, typer.Option(metavar="NAMES")] = "",
    redis_url: Annotated[str | None, typer.Option("--redis", metavar="URL")] = None,
    seed: int | None = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE")] = None,
) -> None:
    """Measure fingerprints beside the published libraries, matching with every index, memory and long inputs."""
    from laboratory.cases.build import DEFAULT_SEED, SHARED_CORPORA
    from laboratory.measures.quality import Listener
    from laboratory.speed.parts import MATCHING, PARTS, Plan, measure

    if not 2 <= long_chars <= MAX_CHARS or not 0 <= works_chars <= MAX_CHARS:
        raise BadInput("cli.too-many-chars", most=MAX_CHARS)
    asked = _names(parts) or PARTS
    with _redis(redis_url) if MATCHING in asked else nullcontext((None, "")) as (url, reason):
        plan = Plan(
            corpora=corpora or SHARED_CORPORA,
            texts=texts,
            seed=DEFAULT_SEED if seed is None else seed,
            works_chars=int(works_chars),
            pages=pages,
            long_chars=int(long_chars),
            rounds=rounds,
            redis_url=url,
            without_redis=reason,
            parts=asked,
        )
        found = measure(plan, Listener(complain, lambda label: Meter(label).update))
    _show(found.tables, found.notes)
    _write_figures(json_file, found.record)


@contextmanager
def _redis(url: str | None) -> Iterator[tuple[str | None, str]]:
    """Yield the given URL, or that of a temporary server, with ""; or None with the reason why there is no server."""
    from deploy.services.redis_server import executable
    from laboratory.servers import empty_redis, running

    if url is not None:
        yield url, ""
        return
    try:
        program = executable()
    except BadConfiguration as error:
        yield None, str(error)
        return
    with TemporaryDirectory(prefix="zhuiwen-speed-") as folder:
        server = empty_redis(program, Path(folder))
        with running(server):
            yield server.url, ""


def admin(
    cases: Annotated[int, typer.Option(min=100)] = 20_000,
    pages: Annotated[int, typer.Option(min=100)] = 100_000,
    rounds: Annotated[int, typer.Option(min=1)] = 5,
    seed: int | None = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE")] = None,
) -> None:
    """Fill an empty database with cases and pages, and measure every list of the desk and the page of a case."""
    from laboratory.cases.build import DEFAULT_SEED
    from laboratory.measures.quality import Listener

    require_folder(json_file)
    with _desk_of_its_own():
        from laboratory.desk.measuring import Plan, measure

        plan = Plan(cases, pages, rounds, DEFAULT_SEED if seed is None else seed)
        found = measure(plan, Listener(complain, lambda label: Meter(label).update))
        _show(found.tables)
        _write_figures(json_file, found.record)


@contextmanager
def _desk_of_its_own() -> Iterator[None]:
    """Set up Django with a temporary home folder and a new database, in the folder or as the environment says.

    The settings files of an installation are ignored. Raises BadInput for a database that already has tables.
    """
    from deploy.home import adopt, prepare

    database = environment_variable("database_url")
    kept = {name: value for name, value in os.environ.items() if name == database or not name.startswith(PREFIX)}
    with TemporaryDirectory(prefix="zhuiwen-desk-") as folder:
        home = prepare({**kept, environment_variable("home"): folder})
        (home.path / "static").mkdir()
        adopt(home)
        import django
        from django.core.management import call_command
        from django.db import connection

        django.setup()
        if connection.introspection.table_names():
            raise BadInput("cli.database-not-empty", name=database)
        call_command("migrate", verbosity=0, skip_checks=True)
        yield
        connection.close()


def _names(asked: str) -> list[str]:
    """Return the names in a comma-separated list."""
    return [name.strip() for name in asked.split(",") if name.strip()]


def _show(tables: Iterable[TextTable], notes: Iterable[str] = ()) -> None:
    """Print the notes, then each table under its title, after an empty line."""
    for note in notes:
        print_line(note)
    for each in tables:
        print_line("")
        print_line(each.title)
        print_table(each.columns, each.rows, right=each.right)


def _write_figures(path: Path | None, figures: object) -> None:
    """Write the figures as JSON, if a file is given. Raises UnreadableFile."""
    if path is not None:
        text = json.dumps(figures, ensure_ascii=False, indent=1) + "\n"
        write(path, text.encode("utf-8", "surrogatepass"))


GROUP = verb_group(
    "How well and how fast copies are found, pages read and cases shown.",
    {"quality": quality, "speed": speed, "extract": extract, "admin": admin},
)
