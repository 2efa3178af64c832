"""Checks an installation before `zhuiwen up` starts it, and returns or prints warnings."""

from collections.abc import Mapping
from pathlib import Path

from core.errors import BadConfiguration
from core.known_settings import environment_variable, nearest_name, unknown_names
from core.settings_layers import SettingOrigin, file_layers, planned_layers
from core.wording import Message
from deploy import restoration, started
from deploy.home import Home
from deploy.services import installed
from webadmin.ui.console.faults import warn


def warn_of_unknown_settings(environ: Mapping[str, str], home: Path) -> None:
    """Print a warning on stderr for each unknown name of a setting in the environment or in a settings file."""
    for name, near in unknown_names(environ).items():
        _print_warning(Message("start.unknown-variable", name=name), near)
    for layer in file_layers(home):
        for name in layer.unknown:
            _print_warning(Message("start.unknown-in-file", name=name, place=layer.place), nearest_name(name))


def _print_warning(problem: Message, near: str) -> None:
    warn(Message("start.is-it", problem=problem, near=near) if near else problem)


def require_the_only_one(home: Home, environ: Mapping[str, str]) -> None:
    """Check that this is probably the installation that the user means, and that it is not half restored.

    Raises BadConfiguration if the default home folder is unused while another installation of this program runs, and
    BadInput if a restore into this home folder is unfinished.
    """
    restoration.require_ended(home.path)
    if environ.get(environment_variable("home")) or not installed.is_unused(home.path):
        return
    others = installed.other_homes(home)
    if others:
        raise BadConfiguration("start.one-more", told=Message("start.elsewhere", home=others[0]), home=home.path)


def warnings_of_environments(home: Home, environ: Mapping[str, str]) -> list[Message]:
    """Return warnings about settings from the environment of the previous `zhuiwen up` that this shell lacks.

    One lists those that still apply, because the processes run; the other lists those that no longer apply.
    """
    layers = planned_layers(environ)
    kept = [environment_variable(name) for name in sorted(home.given) if layers.origin(name) is SettingOrigin.STARTED]
    missing = [environment_variable(name) for name in started.missing(home)]
    told = []
    if kept:
        told.append(Message("start.kept", names=kept))
    if missing:
        told.append(Message("start.missing", names=missing))
    return told
