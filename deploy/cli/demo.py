"""The verb `demo`: the whole chain on the built-in sites, then the summary."""

from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from deploy.demo.run import DemoResult

PLAIN_WIDTH = 160  # columns where the output is no terminal


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""

    @app.command("demo")
    def demo_verb() -> None:
        """Crawl the built-in sites, find the copies, write the reports; the services stay up."""
        from deploy.demo.run import run_demo

        result = run_demo(lambda line: typer.echo(f"  {line}"))
        _show(result)
        if result.verification.faults:
            raise typer.Exit(1)


def _show(result: "DemoResult") -> None:
    console = Console(soft_wrap=False)
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    console.print(_table(result))
    excluded = ", ".join(f"{name} {count}" for name, count in result.excluded.items()) or "nothing"
    checked = result.verification
    console.print(f"{len(result.cases)} cases on {result.pages} pages in {result.chain_s:.0f} s; left out: {excluded}")
    console.print(
        f"As expected: {checked.copies_found} of {checked.copies} copies found, "
        f"{checked.innocent_accused} of {checked.innocent} innocent pages accused."
    )
    for fault in checked.faults:
        console.print(f"  not as expected: {escape(fault)}", style="red", soft_wrap=True)
    console.print("\nReports:")
    for path in result.reports:
        console.print(f"  {escape(str(path))}", soft_wrap=True)
    console.print(f"\nAdmin: {result.address}", soft_wrap=True)
    for user, password in result.accounts.items():
        console.print(
            f"  user {user}, password {escape(password) if password else '(the one you have set)'}", soft_wrap=True
        )
    console.print("\nThe services are running; `make down` ends them.")


def _table(result: "DemoResult") -> Table:
    table = Table("site", "page", "work", "similarity", "class", "disguise", box=None, pad_edge=False)
    table.columns[3].justify = "right"
    for row in result.cases:
        cells = (row.site, row.page, row.work, row.similarity, row.match_class, row.disguises)
        table.add_row(*(escape(cell) for cell in cells))
    return table
