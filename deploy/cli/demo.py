"""The verb `demo`: the whole chain on the built-in sites, then the summary."""

import os
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from deploy.cli.output import counted
from deploy.cli.services import warn_of_unknown_settings
from deploy.cli.session import settings_alone

if TYPE_CHECKING:
    from deploy.demo.run import DemoResult

PLAIN_WIDTH = 160  # columns where the output is no terminal
# The cells below them are in the language of the installation, in the words of the desk.
HEADS = {
    "zh-hans": ("站点", "网页", "作品", "相似度", "类别", "规避手法"),
    "en": ("site", "page", "work", "similarity", "class", "disguise"),
}


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""

    @app.command("demo")
    def demo_verb() -> None:
        """Crawl the built-in sites, find the copies, write the reports; the services stay up."""
        from deploy.demo.run import run_demo

        warn_of_unknown_settings(os.environ)
        result = run_demo(lambda line: typer.echo(f"  {line}"))
        _show(result, settings_alone().web.language)
        if result.verification.faults:
            raise typer.Exit(1)


def _show(result: "DemoResult", language: str) -> None:
    console = Console(soft_wrap=False)
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    console.print(_table(result, language))
    for line in told(result):
        console.print(escape(line), soft_wrap=True)
    for fault in result.verification.faults:
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


def told(result: "DemoResult") -> list[str]:
    """What came of it, a sentence a line; the second is also for programs."""
    checked = result.verification
    found = "all found" if checked.copies_found == checked.copies else f"{checked.copies_found:,} found"
    accused = f"{checked.innocent_accused:,} accused" if checked.innocent_accused else "none accused"
    excluded = ", ".join(f"{name} {count:,}" for name, count in result.excluded.items()) or "none"
    return [
        f"{checked.copies + checked.innocent:,} pages planned: {checked.copies:,} copies, {found}; "
        f"{checked.innocent:,} innocent, {accused}.",
        f"As expected: {checked.copies_found} of {checked.copies} copies found, "
        f"{checked.innocent_accused} of {checked.innocent} innocent pages accused.",
        f"{counted(len(result.cases), 'case')}, one for each work that a page copies from; "
        f"findings that are no cases: {excluded}.",
        f"{counted(result.pages, 'page')} crawled and compared in {result.chain_s:.0f} s.",
    ]


def _table(result: "DemoResult", language: str) -> Table:
    table = Table(*HEADS[language], box=None, pad_edge=False)
    table.columns[3].justify = "right"
    for row in result.cases:
        cells = (row.site, row.page, row.work, row.similarity, row.match_class, row.disguises)
        table.add_row(*(escape(cell) for cell in cells))
    return table
