"""Groups of commands, such as `site` with `site add` and `site list`."""

from collections.abc import Callable, Mapping
from typing import Any

import typer


def verb_group(about: str, verbs: Mapping[str, Callable[..., Any]]) -> typer.Typer:
    """Return a group of commands. about: the help text of the group. verbs: the commands by name."""
    group = typer.Typer(help=about, rich_markup_mode=None, no_args_is_help=True)
    group.callback()(_before_each)  # without a callback, Typer turns a group with one verb into that verb
    for name, verb in verbs.items():
        group.command(name)(verb)
    return group


def _before_each() -> None:
    return
