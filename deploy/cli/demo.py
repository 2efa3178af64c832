"""The `demo` command, which runs the whole chain on the built-in sites and prints a summary."""

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.wording import Message
from webadmin.ui.console.output import as_json, print_line, print_table
from webadmin.ui.console.words import translate_for_console

if TYPE_CHECKING:
    from deploy.demo.run import DemoResult

# The cells use the translations of the admin.
COLUMNS = ("column.site", "column.page", "column.work", "column.similarity", "column.class", "column.obfuscations")


def demo(is_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Crawl the built-in sites, find the copies, write the reports; the services keep running."""
    from core.settings_layers import find_home
    from deploy.cli.before_up import warn_of_unknown_settings
    from deploy.demo.run import run_demo

    warn_of_unknown_settings(os.environ, find_home(os.environ))
    result = run_demo(lambda line: print_line(f"  {translate_for_console(line)}", err=is_json))
    if is_json:
        as_json(demo_record(result))
    else:
        _print_result(result)
    if result.verification.faults:
        raise typer.Exit(1)


def demo_record(result: "DemoResult") -> dict[str, Any]:
    """Return the result as JSON values. A password is None if the user changed it."""
    checked = result.verification
    return {
        "address": result.address,
        "users": [{"name": name, "password": password or None} for name, password in result.accounts.items()],
        "pages": {"planned": checked.copies + checked.innocent, "crawled": result.pages},
        "copies": {"planned": checked.copies, "found": checked.copies_found},
        "innocent": {"planned": checked.innocent, "accused": checked.innocent_accused},
        "cases": len(result.cases),
        "notice": _notice_record(result),
        "reports": [str(path) for path in result.reports],
        "seconds": round(result.chain_s, 1),
        "faults": list(map(str, checked.faults)),
    }


def _notice_record(result: "DemoResult") -> dict[str, Any] | None:
    found = result.notice
    if found is None:
        return None
    return {"id": found.number, "pages": found.pages, "address": _notice_url(result, found.number)}


def _notice_url(result: "DemoResult", notice: int) -> str:
    """Return the URL of the notice in the admin."""
    return f"{result.address}notices/notice/{notice}/change/"


def _print_result(result: "DemoResult") -> None:
    print_table(COLUMNS, result.cases, right=("column.similarity",))
    for line in demo_summary(result):
        print_line(line)
    for fault in result.verification.faults:
        typer.secho(f"  {translate_for_console(Message('demo.not-expected', fault=fault))}", fg="red")
    typer.echo()
    print_line(Message("demo.report-list"))
    for path in result.reports:
        print_line(f"  {path}")
    typer.echo()
    print_line(Message("demo.admin", address=result.address))
    for user, password in result.accounts.items():
        account = Message("demo.account", user=user, password=password or Message("demo.own-password"))
        print_line(f"  {translate_for_console(account)}")
    typer.echo()
    print_line(Message("demo.end"))


def demo_summary(result: "DemoResult") -> list[Message]:
    """Return the sentences that summarize the result, one per line."""
    checked = result.verification
    counts = {
        "copies": checked.copies,
        "found": checked.copies_found,
        "innocent": checked.innocent,
        "accused": checked.innocent_accused,
    }
    excluded = [f"{name} {count:,}" for name, count in result.excluded.items()]
    said = [
        Message("demo.planned", pages=checked.copies + checked.innocent, **counts),
        Message("demo.as-expected", **counts),
        Message("demo.cases", cases=len(result.cases), excluded=excluded or Message("demo.none")),
        Message("demo.chain", pages=result.pages, seconds=result.chain_s),
    ]
    found = result.notice
    if found is not None:
        named = {"paper": found.paper, "number": found.number, "site": found.site, "pages": found.pages}
        said.append(Message("demo.drafted", **named, address=_notice_url(result, found.number)))
    return said
