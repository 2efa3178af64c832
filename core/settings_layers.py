"""Layers of settings: the environment, the settings of the running processes, and the files of the home folder.

A file is TOML without tables: `web_port = 9000`. The home folder has two files: `settings.toml`, and `secrets.toml` for
secrets. From `zhuiwen up` to `zhuiwen down`, two similar files in its folder `run` record the settings of the running
processes.
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
# The key in STARTED_FILE that lists the settings from the environment of `zhuiwen up`.
GIVEN = "given_by_environment"

Value = str | tuple[str, ...]


class SettingOrigin(StrEnum):
    """Where the value of a setting comes from."""

    ENVIRONMENT = "environment"
    STARTED = "started"
    FILE = "file"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Layer:
    """The values from one source, by the name of the setting. unknown: names in the source that are not settings."""

    origin: SettingOrigin
    place: str | Message
    values: Mapping[str, Value] = field(repr=False)
    unknown: tuple[str, ...] = ()

    def local_name(self, name: str) -> str:
        """Return the name of a setting in this source."""
        return environment_variable(name) if self.origin is SettingOrigin.ENVIRONMENT else name


@dataclass(frozen=True, slots=True)
class Layers:
    """The home folder, and the layers of its settings; an earlier layer takes precedence."""

    home: Path
    layers: tuple[Layer, ...]

    def find_layer(self, name: str) -> Layer | None:
        """Return the layer that sets a setting, or None if it has its default value."""
        return next((layer for layer in self.layers if name in layer.values), None)

    def origin(self, name: str) -> SettingOrigin:
        layer = self.find_layer(name)
        return layer.origin if layer else SettingOrigin.DEFAULT


def effective_layers(environ: Mapping[str, str]) -> Layers:
    """Return the layers for a command or a process: the environment, then the started settings or else the files.

    Raises BadConfiguration if a file cannot be read.
    """
    home, from_environment = find_home(environ), environment_layer(environ)
    if environ.get(RESOLVED):
        return Layers(home, (from_environment,))
    started = started_layer(home)
    return Layers(home, (from_environment, started) if started else (from_environment, *file_layers(home)))


def planned_layers(environ: Mapping[str, str]) -> Layers:
    """Return the layers for the next `zhuiwen up`: the environment, the last `up`'s environment, and the files.

    The environment of the last `up` is included only until `zhuiwen down`. Raises BadConfiguration if a file cannot be
    read.
    """
    home, from_environment = find_home(environ), environment_layer(environ)
    if environ.get(RESOLVED):
        return Layers(home, (from_environment,))
    last_environment = last_environment_layer(home)
    return Layers(home, (from_environment, *([last_environment] if last_environment else []), *file_layers(home)))


def running_layers(environ: Mapping[str, str]) -> Layers:
    """Return the layer of the started settings, without the environment.

    If nothing was started, see `effective_layers`.
    """
    home = find_home(environ)
    started = started_layer(home)
    return effective_layers(environ) if started is None or environ.get(RESOLVED) else Layers(home, (started,))


def find_home(environ: Mapping[str, str]) -> Path:
    """Return the home folder: ZHUIWEN_HOME, or the folder named by a file in the default home, or the default home."""
    if configured := environ.get(environment_variable(HOME), "").strip():
        return Path(configured).expanduser().absolute()
    default = default_home()
    # An unreadable file is an error when its settings are loaded; finding the home folder ignores it.
    with contextlib.suppress(BadConfiguration):
        return default / Path(str(_parse_file(default / SETTINGS_FILE).get(HOME, ""))).expanduser()
    return default


def environment_layer(environ: Mapping[str, str]) -> Layer:
    """Return the layer of an environment. An empty variable sets nothing."""
    texts = {name: environ.get(environment_variable(name), "").strip() for name in known_settings()}
    return Layer(
        SettingOrigin.ENVIRONMENT,
        Message("config.environment"),
        {name: _split_list(name, text) for name, text in texts.items() if text},
    )


def file_layers(home: Path) -> tuple[Layer, ...]:
    """Return the layers of the two files of the home folder, secrets first."""
    return tuple(_file_layer(home / name, SettingOrigin.FILE) for name in (SECRETS_FILE, SETTINGS_FILE))


def started_layer(home: Path) -> Layer | None:
    """Return the layer of the started settings, or None if nothing was started since the last `zhuiwen down`."""
    path = home / "run" / STARTED_FILE
    if not path.exists():
        return None
    secret = _file_layer(path.with_name(STARTED_SECRETS_FILE), SettingOrigin.STARTED).values
    return Layer(
        SettingOrigin.STARTED, Message("config.running"), {**_file_layer(path, SettingOrigin.STARTED).values, **secret}
    )


def last_environment_layer(home: Path) -> Layer | None:
    """Return the layer of the started settings that came from the environment of `zhuiwen up`.

    Returns None if nothing was started since the last `zhuiwen down`.
    """
    started = started_layer(home)
    if started is None:
        return None
    names = given_names(home / "run" / STARTED_FILE)
    values = {name: value for name, value in started.values.items() if name in names}
    return Layer(SettingOrigin.STARTED, Message("config.last-environment"), values)


def given_names(path: Path) -> frozenset[str]:
    """Return the names that a file of started settings lists as given by the environment."""
    names = _parse_file(path).get(GIVEN, [])
    return frozenset(str(name) for name in names) if isinstance(names, list) else frozenset()


def file_values(parsed: Mapping[str, Any]) -> dict[str, Value]:
    """Return the values of known settings in a parsed file."""
    return {
        name: _split_list(name, _variable_text(value)) for name, value in parsed.items() if name in known_settings()
    }


def _file_layer(path: Path, origin: SettingOrigin) -> Layer:
    known = known_settings()
    parsed = _parse_file(path)
    values = file_values(parsed)
    reserved_names = {HOME, GIVEN}
    return Layer(
        origin, str(path), values, tuple(name for name in parsed if name not in known and name not in reserved_names)
    )


def _parse_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadConfiguration("config.unreadable", path=path, reason=reason) from error


def _variable_text(value: Any) -> Value:
    """Return a value from a file in the form of an environment variable."""
    if isinstance(value, bool):
        return str(int(value))
    return tuple(str(each) for each in value) if isinstance(value, list) else str(value)


def _split_list(name: str, value: Value) -> Value:
    if not known_settings()[name].is_list or isinstance(value, tuple):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())
