"""Records the settings with which the processes of an installation were started.

The record exists from `up` to `down`. It is read by commands in shells that lack the variables with which `up` ran,
and by the next `up` after a power loss. `down` leaves a file that shows which variables the next `up` may lack.
"""

from collections.abc import Mapping
from pathlib import Path

from core.known_settings import format_value, known_settings
from core.settings import Settings
from core.settings_layers import (
    GIVEN,
    STARTED_FILE,
    STARTED_SECRETS_FILE,
    Layers,
    Value,
    environment_layer,
    given_names,
    started_layer,
)
from core.settings_loading import read
from deploy.home import Home
from deploy.settings_files import change, write

ENDED_FILE = "ended.toml"
_HEAD = "What runs was started with this; made by zhuiwen up, gone with zhuiwen down."


def note(home: Home) -> None:
    """Record the settings with which the processes are started."""
    known = known_settings()
    given = {name: format_value(known[name].read_value(home.settings)) for name in sorted(home.given)}
    values = {**changed_values(home.settings), **given}
    secret = {name: value for name, value in values.items() if known[name].declaration.is_secret}
    write(home.run / STARTED_SECRETS_FILE, secret, _HEAD)
    plain: dict[str, Value] = {name: value for name, value in values.items() if name not in secret}
    write(home.run / STARTED_FILE, plain | {GIVEN: tuple(given)}, _HEAD)


def forget(home: Path) -> None:
    """Delete the record after the last process has ended, but keep the names of the settings for `missing`."""
    run = home / "run"
    (run / STARTED_SECRETS_FILE).unlink(missing_ok=True)
    if (run / STARTED_FILE).exists():
        (run / STARTED_FILE).replace(run / ENDED_FILE)


def leave_to_files(home: Path, name: str) -> None:
    """Let the files determine a setting from the next `up` on, although the environment of the last `up` set it."""
    path = home / "run" / STARTED_FILE
    if name in (given := given_names(path)):
        change(path, {GIVEN: tuple(sorted(given - {name}))})


def missing(home: Home) -> list[str]:
    """Return the names of the settings that the environment of the last `up` set and that have their defaults now.

    While processes are recorded as started, the list is empty.
    """
    if (home.run / STARTED_FILE).exists():
        return []
    return sorted(name for name in given_names(home.run / ENDED_FILE) if name not in changed_values(home.settings))


def changed_values(settings: Settings) -> dict[str, str]:
    """Return the settings that differ from their defaults, formatted, by name."""
    found = {name: (known.read_value(settings), known.default) for name, known in known_settings().items()}
    return {name: format_value(value) for name, (value, default) in found.items() if value != default}


def differing(one: Settings, other: Settings) -> list[str]:
    """Return the names of the settings whose values differ between `one` and `other`."""
    return [name for name, known in known_settings().items() if known.read_value(one) != known.read_value(other)]


def overridden(environ: Mapping[str, str], home: Path) -> list[str]:
    """Return the names of the settings for which this environment has other values than the running processes."""
    started = started_layer(home)
    if started is None:
        return []
    here = read(Layers(home, (environment_layer(environ), started)))
    return differing(here, read(Layers(home, (started,))))
