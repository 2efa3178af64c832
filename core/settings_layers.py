"""Where settings come from: the environment, what runs, the files of the home folder; what each of them says.

A file is TOML without tables: `web_port = 9000`. Two lie in the home folder: `settings.toml`, and `secrets.toml` for
what nobody else may see. Two like them, in its folder `run`, say what the processes were started with that run; they
are there from `zhuiwen up` to `zhuiwen down`.
"""

import contextlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.errors import BadConfiguration
from core.known_settings import HOME, RESOLVED, environment_variable, known_settings
from core.settings import default_home
from core.wording import Message

SETTINGS_FILE, SECRETS_FILE = "settings.toml", "secrets.toml"
STARTED_FILE, STARTED_SECRETS_FILE = "started.toml", "started-secrets.toml"
# Beside the settings in STARTED_FILE: those that the environment of `zhuiwen up` gave, not a file.
GIVEN = "given_by_environment"

Value = str | tuple[str, ...]


class SettingOrigin(StrEnum):
    """Where a value comes from."""

    ENVIRONMENT = "environment"
    STARTED = "started"
    FILE = "file"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Layer:
    """What one place says, by the names of settings. `unknown`: names there that no setting has."""

    origin: SettingOrigin
    place: str | Message
    values: Mapping[str, Value] = field(repr=False)
    unknown: tuple[str, ...] = ()

    def local_name(self, name: str) -> str:
        """What a setting is called there."""
        return environment_variable(name) if self.origin is SettingOrigin.ENVIRONMENT else name


@dataclass(frozen=True, slots=True)
class Layers:
    """The home folder and its layers; what stands in an earlier one has its way."""

    home: Path
    layers: tuple[Layer, ...]

    def find_layer(self, name: str) -> Layer | None:
        """Return the layer that says what a setting is; None: none does, and it has its default."""
        return next((layer for layer in self.layers if name in layer.values), None)

    def origin(self, name: str) -> SettingOrigin:
        found = self.find_layer(name)
        return found.origin if found else SettingOrigin.DEFAULT


def effective_layers(environ: Mapping[str, str]) -> Layers:
    """What stands for a command or a process: what runs was started with, else the files; the environment over it.

    Raises BadConfiguration for a file that cannot be read.
    """
    home, given = find_home(environ), environment_layer(environ)
    if environ.get(RESOLVED):
        return Layers(home, (given,))
    started = started_layer(home)
    return Layers(home, (given, started) if started else (given, *file_layers(home)))


def planned_layers(environ: Mapping[str, str]) -> Layers:
    """What the next `zhuiwen up` starts with: the environment, what the environment of the last one gave, the files."""
    home, given = find_home(environ), environment_layer(environ)
    if environ.get(RESOLVED):
        return Layers(home, (given,))
    kept = last_environment_layer(home)
    return Layers(home, (given, *([kept] if kept else []), *file_layers(home)))


def running_layers(environ: Mapping[str, str]) -> Layers:
    """What runs was started with, whatever this environment says; as `effective_layers` where nothing was started."""
    home = find_home(environ)
    started = started_layer(home)
    return effective_layers(environ) if started is None or environ.get(RESOLVED) else Layers(home, (started,))


def find_home(environ: Mapping[str, str]) -> Path:
    """The home folder: ZHUIWEN_HOME, else the one that the file in the usual place names, else the usual place."""
    if named := environ.get(environment_variable(HOME), "").strip():
        return Path(named).expanduser().absolute()
    usual = default_home()
    # A file that cannot be read is a fault where all of it is wanted; here what runs in the usual place may do without.
    with contextlib.suppress(BadConfiguration):
        return usual / Path(str(_parse_file(usual / SETTINGS_FILE).get(HOME, ""))).expanduser()
    return usual


def environment_layer(environ: Mapping[str, str]) -> Layer:
    """What an environment says; an empty variable says nothing."""
    texts = {name: environ.get(environment_variable(name), "").strip() for name in known_settings()}
    return Layer(
        SettingOrigin.ENVIRONMENT,
        Message("config.environment"),
        {name: _split(name, text) for name, text in texts.items() if text},
    )


def file_layers(home: Path) -> tuple[Layer, ...]:
    """What the two files of the home folder say, secrets first."""
    return tuple(_file_layer(home / name, SettingOrigin.FILE) for name in (SECRETS_FILE, SETTINGS_FILE))


def started_layer(home: Path) -> Layer | None:
    """What runs was started with; None where nothing was started since the last `zhuiwen down`."""
    path = home / "run" / STARTED_FILE
    if not path.exists():
        return None
    secret = _file_layer(path.with_name(STARTED_SECRETS_FILE), SettingOrigin.STARTED).values
    return Layer(
        SettingOrigin.STARTED, Message("config.running"), {**_file_layer(path, SettingOrigin.STARTED).values, **secret}
    )


def last_environment_layer(home: Path) -> Layer | None:
    """That part of what runs was started with which its environment gave."""
    started = started_layer(home)
    if started is None:
        return None
    names = given_names(home / "run" / STARTED_FILE)
    values = {name: value for name, value in started.values.items() if name in names}
    return Layer(SettingOrigin.STARTED, Message("config.last-environment"), values)


def given_names(path: Path) -> frozenset[str]:
    """Return the names that a file of what was started notes as given by the environment."""
    listed = _parse_file(path).get(GIVEN, [])
    return frozenset(str(name) for name in listed) if isinstance(listed, list) else frozenset()


def file_values(parsed: Mapping[str, Any]) -> dict[str, Value]:
    """What a file that was parsed says of the settings that there are."""
    return {name: _split(name, _text(value)) for name, value in parsed.items() if name in known_settings()}


def _file_layer(path: Path, origin: SettingOrigin) -> Layer:
    known = known_settings()
    parsed = _parse_file(path)
    values = file_values(parsed)
    own = {HOME, GIVEN}
    return Layer(origin, str(path), values, tuple(name for name in parsed if name not in known and name not in own))


def _parse_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadConfiguration("config.unreadable", path=path, reason=reason) from error


def _text(value: Any) -> Value:
    """Return a value of a file as the environment would have it."""
    if isinstance(value, bool):
        return str(int(value))
    return tuple(str(each) for each in value) if isinstance(value, list) else str(value)


def _split(name: str, value: Value) -> Value:
    if not known_settings()[name].is_list or isinstance(value, tuple):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())
