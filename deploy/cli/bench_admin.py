"""The verb `bench admin`: how fast the desk answers over many cases, in a database of its own."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from core.errors import BadInput
from core.known_settings import PREFIX, variable_of
from deploy.cli.bench_output import require_folder, show, write_figures
from deploy.cli.faults import complain
from deploy.cli.output import counting


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
        from laboratory.desk.figures import tables
        from laboratory.desk.measuring import Plan, as_dict, measure

        plan = Plan(cases, pages, rounds, DEFAULT_SEED if seed is None else seed)
        results = measure(plan, Listener(complain, counting))
        show(tables(results))
        write_figures(json_file, as_dict(results))


@contextmanager
def _desk_of_its_own() -> Iterator[None]:
    """Django set up with a home folder that goes again, and a new database: there, or where the environment says.

    Settings of an installation's files are not looked at. Raises BadInput for a database that has tables already.
    """
    from deploy.home import adopt, prepare

    database = variable_of("database_url")
    kept = {name: value for name, value in os.environ.items() if name == database or not name.startswith(PREFIX)}
    with TemporaryDirectory(prefix="zhuiwen-desk-") as folder:
        home = prepare({**kept, variable_of("home"): folder})
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
