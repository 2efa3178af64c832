"""The `config` commands, which show and change the settings of an installation."""

import os
import sys
from getpass import getpass
from typing import Annotated

import typer

from core.errors import BadInput
from core.known_settings import HOME, PREFIX, known_settings, mask_secrets, nearest_name
from core.wording import Message
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.output import as_json, print_line, print_table, terminal_text
from webadmin.ui.console.words import translate_for_console, translator

FROM_STDIN = "-"


def show_all(is_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Show each setting with its value, its origin and its meaning."""
    from deploy.configuration import ORIGINS, Configuration

    held = Configuration.from_environment(os.environ)
    if is_json:
        as_json(held.rows())
        return
    rows = held.rows(translator())
    print_line(Message("setting.home", home=held.home))
    for fault in held.faults:
        print_line(fault)
    for row in rows:
        row["origin"] = translate_for_console(ORIGINS[row["origin"]])
        row["value"] = row["value"] or row["default"]
    if not sys.stdout.isatty():
        cells = [[row[name] for name in ("name", "value", "origin", "meaning")] for row in rows]
        print_table(("column.name", "column.value", "column.origin", "column.meaning"), cells)
        return
    for row in rows:  # columns would be too narrow on a terminal
        typer.echo(f"{typer.style(row['name'], bold=True)}  {terminal_text(row['value'])}  ({row['origin']})")
        print_line(f"    {row['meaning']}")


def show_one(name: str) -> None:
    """Show the value of a setting, with secrets masked."""
    from deploy.configuration import Configuration

    print_line(Configuration.from_environment(os.environ).masked_value(_known_name(name)))


def set_one(
    name: str,
    value: Annotated[str | None, typer.Argument(help=FROM_STDIN)] = None,
) -> None:
    """Write a setting to a file in the home folder; the next `zhuiwen up` applies it."""
    from deploy.configuration import Configuration

    known = _known_name(name)
    held = Configuration.from_environment(os.environ)
    for line in held.set(known, typed_value(known, value)):
        print_line(line)


def unset_one(name: str) -> None:
    """Remove a setting from the files in the home folder, so that its default applies again."""
    from deploy.configuration import Configuration

    for line in Configuration.from_environment(os.environ).unset(_known_name(name)):
        print_line(line)


def _known_name(name: str) -> str:
    """Return the name of a setting for its name or its variable, such as `web_port` or `ZHUIWEN_WEB_PORT`.

    Raises BadInput if there is no such setting.
    """
    bare = name.lower().removeprefix(PREFIX.lower())
    if bare != HOME and bare not in known_settings():
        if near := nearest_name(bare):
            raise BadInput("setting.unknown-but", name=name, near=near)
        raise BadInput("setting.unknown", name=name)
    return bare


def typed_value(name: str, given: str | None) -> str:
    """Return the new text of a setting, which is prompted for or read from stdin if `given` is None or "-".

    Raises BadInput if it is empty, or if a secret is on the command line, which other users can see.
    """
    is_secret = name != HOME and known_settings()[name].declaration.is_secret
    if given is None and not is_secret:
        raise BadInput("setting.no-value", name=name)
    if given in (None, FROM_STDIN):
        given = (
            getpass(translate_for_console(Message("cli.field", name=Message("setting.prompt", name=name), value="")))
            if sys.stdin.isatty()
            else sys.stdin.read()
        )
    elif is_secret and mask_secrets(name, str(given)) != given:
        raise BadInput("setting.secret-shown", name=name)
    text = str(given).strip()
    if not text:
        raise BadInput("setting.empty", name=name)
    return text


GROUP = verb_group(
    "Show and change the settings.",
    {
        "list": show_all,
        "get": show_one,
        "set": set_one,
        "unset": unset_one,
    },
)
