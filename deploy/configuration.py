"""Shows and changes the settings of an installation for `zhuiwen config`."""

import fcntl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import BadConfiguration
from core.known_settings import HOME, KnownSetting, environment_variable, format_value, known_settings, mask_secrets
from core.private_files import touch_private
from core.settings import Settings, default_home
from core.settings_layers import (
    SECRETS_FILE,
    SETTINGS_FILE,
    Layer,
    Layers,
    SettingOrigin,
    environment_layer,
    file_layers,
    planned_layers,
    running_layers,
    started_layer,
)
from core.settings_loading import read, read_leniently
from core.wording import Message
from deploy import started
from deploy.home import HEAD_OF_SECRETS, make_folders, prepare
from deploy.services.processes import processes
from deploy.settings_files import change
from webadmin.ui.console.words import translator

HEAD_OF_SETTINGS = "Settings of this installation: name = value, in TOML. All of them: zhuiwen config list"
ORIGINS = {
    SettingOrigin.DEFAULT: Message("setting.default"),
    SettingOrigin.FILE: Message("setting.file"),
    SettingOrigin.ENVIRONMENT: Message("setting.environment"),
    SettingOrigin.STARTED: Message("setting.started"),
}


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of the next `zhuiwen up`.

    faults: the reasons why `up` would fail. An invalid setting has its default value in `settings`.
    """

    environ: Mapping[str, str]
    layers: Layers
    settings: Settings
    faults: tuple[Message, ...]

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Configuration":
        """Return the configuration for a shell with this environment.

        Raises BadConfiguration if a file is not TOML.
        """
        layers = planned_layers(environ)
        settings, faults = read_leniently(layers)
        return cls(environ, layers, settings, faults)

    @property
    def home(self) -> Path:
        return self.layers.home

    def rows(self, words: Callable[[str], str] = str) -> list[dict[str, Any]]:
        """Return one dict for each setting, in the order of the settings page.

        words: translates the English texts. The value of the key `running` is None unless the running processes use
        another value.
        """
        now = read(running_layers(self.environ)) if started_layer(self.home) is not None else self.settings
        return [
            {
                "name": name,
                "variable": known.variable,
                "value": self.masked_value(name),
                "default": _default_text(known, words),
                "origin": str(self.layers.origin(name)),
                "place": str(layer.place) if (layer := self.layers.find_layer(name)) else "",
                "meaning": words(known.declaration.meaning),
                "allowed": str(known.allowed),
                "running": mask_secrets(name, format_value(known.read_value(now)))
                if known.read_value(now) != known.read_value(self.settings)
                else None,
            }
            for name, known in known_settings().items()
        ]

    def masked_value(self, name: str) -> str:
        """Return the value of a setting, with secrets masked."""
        if name == HOME:
            return str(self.home)
        return mask_secrets(name, format_value(known_settings()[name].read_value(self.settings)))

    def set(self, name: str, text: str) -> list[Message]:
        """Write the text of a setting to its file, and return the messages to report.

        Raises BadConfiguration if the value is invalid.
        """
        if name == HOME:
            return _set_home(Path(text).expanduser().absolute())
        path, other = self._setting_paths(name)
        value = _check_value(name, text, path, self)
        with _settings_lock(self.home):
            change(path, {name: value}, head=HEAD_OF_SECRETS if path.name == SECRETS_FILE else HEAD_OF_SETTINGS)
            if other.exists():
                change(other, {}, (name,))
            started.leave_to_files(self.home, name)
        done = Message("setting.written", name=name, value=mask_secrets(name, format_value(value)), path=path)
        return [done, *self._change_effects(name)]

    def unset(self, name: str) -> list[Message]:
        """Remove a setting from the files and return the messages to report."""
        if name == HOME:
            return _set_home(None)
        with _settings_lock(self.home):
            for path in self._setting_paths(name):
                if path.exists():
                    change(path, {}, (name,))
            started.leave_to_files(self.home, name)
        default = _default_text(known_settings()[name], translator()).replace("`", "")
        return [Message("setting.removed", name=name, default=default), *self._change_effects(name)]

    def _setting_paths(self, name: str) -> tuple[Path, Path]:
        """Return the path of the file that stores a setting, then the path of the other settings file."""
        files = (self.home / SETTINGS_FILE, self.home / SECRETS_FILE)
        return files[::-1] if known_settings()[name].declaration.is_secret else files

    def _change_effects(self, name: str) -> Iterator[Message]:
        """Yield messages on how the change of a setting takes effect, or on what prevents it."""
        if name == "secret_key":
            yield Message("setting.new-key")
        if name in environment_layer(self.environ).values:
            yield Message("setting.environment-wins", variable=environment_variable(name))
        if started_layer(self.home) is None:
            return
        after = Configuration.from_environment(self.environ)
        if after.faults:
            yield Message("start.not-taken-over", faults=after.faults)
            return
        if name not in started.differing(read(running_layers(self.environ)), after.settings):
            yield Message("setting.already")
            return
        readers = _affected_processes(after, name)
        yield Message("setting.next-up-restarts", names=readers) if readers else Message("setting.next-up")


def _check_value(name: str, text: str, path: Path, held: Configuration) -> Any:
    """Parse the text of a setting and return its value.

    Raises BadConfiguration if the value is invalid or clashes with other settings.
    """
    known = known_settings()[name]
    value = tuple(part.strip() for part in text.split(",") if part.strip()) if known.is_list else text
    new = Layer(SettingOrigin.FILE, str(path), {name: value})
    files = [_drop_setting(name, layer) for layer in file_layers(held.home)]
    above = [layer for layer in held.layers.layers if layer.origin is SettingOrigin.ENVIRONMENT]
    kept = [_drop_setting(name, layer) for layer in held.layers.layers if layer.origin is SettingOrigin.STARTED]
    for upper in ([*above, *kept], []):  # together with the other layers of the next `up`, and in the files only
        _settings, before = read_leniently(Layers(held.home, (*upper, *files)))
        settings, faults = read_leniently(Layers(held.home, (*upper, new, *files)))
        if added := [fault for fault in faults if fault not in before]:
            raise BadConfiguration(added)
    return known.read_value(settings)


def _default_text(known: KnownSetting, words: Callable[[str], str]) -> str:
    return words(known.declaration.default) if known.declaration.default else format_value(known.default)


def _drop_setting(name: str, layer: Layer) -> Layer:
    return replace(layer, values={each: value for each, value in layer.values.items() if each != name})


def _set_home(folder: Path | None) -> list[Message]:
    """Write the path of the home folder into the settings file in the default home folder.

    None or the default folder removes it from that file. Return the messages to report.
    """
    usual = default_home()
    usual.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = usual / SETTINGS_FILE
    if folder is None or folder == usual:
        if path.exists():
            change(path, {}, (HOME,))
        return [Message("setting.home-usual", home=usual)]
    change(path, {HOME: str(folder)}, head=HEAD_OF_SETTINGS)
    return [Message("setting.home-set", home=folder, path=path)]


def _affected_processes(after: Configuration, name: str) -> list[str]:
    """Return the names of the processes that the next `zhuiwen up` restarts because this setting changed."""
    return [
        each.name
        for each in processes(prepare(after.environ, planned_layers))
        if each.is_affected(environment_variable(name))
    ]


@contextmanager
def _settings_lock(home: Path) -> Iterator[None]:
    """Lock the settings, so that only one process changes them at a time."""
    make_folders(home)
    with touch_private(home / "run" / "settings.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
