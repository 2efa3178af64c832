"""The home folder of an installation, its secrets, and the settings that its processes share."""

import os
import secrets
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from core import sockets
from core.errors import BadConfiguration
from core.known_settings import PREFIX, RESOLVED, environment_variable, format_value, known_settings
from core.settings import Settings
from core.settings_layers import SECRETS_FILE, Layers, SettingOrigin, effective_layers
from core.settings_loading import read
from core.wording import Message
from deploy import demo_presence
from deploy.settings_files import change

SECRET_BYTES = 48
FOLDERS = ("mongo", "redis", "logs", "run")
HEAD_OF_SECRETS = "Secrets of this installation; see docs/settings.md. Change them with: zhuiwen config set NAME"


@dataclass(frozen=True, slots=True)
class Home:
    """An installation on this machine.

    environment: all variables that a process of this installation needs if its parent has no `ZHUIWEN_` variables.
    given: the settings from the environment of this command, or of the command that started the running processes.
    """

    settings: Settings
    environment: Mapping[str, str] = field(repr=False)
    given: frozenset[str] = frozenset()

    @property
    def path(self) -> Path:
        return self.settings.home

    @property
    def embeds_mongo(self) -> bool:
        return self.settings.services.embeds_mongo

    @property
    def embeds_redis(self) -> bool:
        return self.settings.services.embeds_redis

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def run(self) -> Path:
        """The folder for files of running processes: generated configuration, pid files, sockets."""
        return self.path / "run"

    def environ(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of a process of this installation: `inherited` and the installation's variables.

        Variables in `inherited` that are settings are left out.
        """
        kept = {name: value for name, value in inherited.items() if not name.startswith(PREFIX)}
        return {**kept, **self.environment}


def prepare(environ: Mapping[str, str], resolve: Callable[[Mapping[str, str]], Layers] = effective_layers) -> Home:
    """Create the home folder and its secrets if they are missing, and return the installation.

    resolve: one of the functions of `core.settings_layers`, for the effective settings, the settings of the next
    `zhuiwen up`, or the settings of the running processes. Safe to call at any time, from any process of the
    installation and after a power loss. Raises BadConfiguration if a setting is invalid or the folder is unusable.
    """
    layers = resolve(environ)
    settings = read(layers)
    make_folders(settings.home)
    if demo_presence.is_present(settings.home):
        settings = _allow_demo_hosts(settings)
    settings = _ensure_secret_key(settings)
    given = {
        name for name in known_settings() if layers.origin(name) in (SettingOrigin.ENVIRONMENT, SettingOrigin.STARTED)
    }
    return Home(settings, _process_environment(settings, environ), frozenset(given))


def adopt(home: Home) -> None:
    """Set the environment of this process, so that its imports and children use the installation's settings."""
    environ = home.environ(os.environ)
    os.environ.clear()
    os.environ.update(environ)


def make_folders(home: Path) -> None:
    """Create the home folder and its subfolders, for this user only.

    Raises BadConfiguration if a folder cannot be created or the home folder cannot be written to.
    """
    try:
        for folder in (home, *(home / name for name in FOLDERS)):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(home, os.W_OK | os.X_OK):
            raise BadConfiguration("start.home-unusable", home=home, reason=Message("start.home-unwritable"))
    except OSError as error:
        raise BadConfiguration("start.home-unusable", home=home, reason=error.strerror or error) from error
    make_socket_folder(home)


def make_socket_folder(home: Path) -> None:
    """Create the folder of the sockets if it is missing. Raises BadConfiguration if other users could enter it.

    The owner of the folder could intercept all traffic over the sockets.
    """
    folder = sockets.folder(home)
    if folder.parent == home:
        return
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or found.st_mode & 0o077 or not stat.S_ISDIR(found.st_mode):
        raise BadConfiguration("start.sockets-open", folder=folder)


def _allow_demo_hosts(settings: Settings) -> Settings:
    """Allow the crawler to fetch from the demo's servers on loopback, and from no other private address."""
    allowed = settings.crawl.allow_private_hosts
    added = tuple(host for host in demo_presence.hosts(settings.services.demo_port) if host not in allowed)
    return replace(settings, crawl=replace(settings.crawl, allow_private_hosts=(*allowed, *added)))


def _ensure_secret_key(settings: Settings) -> Settings:
    """Return the settings with a secret key; create and store one if there is none."""
    path = settings.home / SECRETS_FILE
    if path.exists() and path.stat().st_mode & 0o077:
        path.chmod(0o600)
    if settings.web.secret_key:
        return settings
    key = secrets.token_urlsafe(SECRET_BYTES)
    change(path, {"secret_key": key}, head=HEAD_OF_SECRETS)
    return replace(settings, web=replace(settings.web, secret_key=key))


def _process_environment(settings: Settings, environ: Mapping[str, str]) -> dict[str, str]:
    set_ones = {known.variable: format_value(known.read_value(settings)) for known in known_settings().values()
                if known.read_value(settings) != known.default}  # fmt: skip
    return {
        **set_ones,
        environment_variable("home"): str(settings.home),
        RESOLVED: "1",
        "DJANGO_SETTINGS_MODULE": "webadmin.settings",
        "PYTHONPATH": _python_path(environ.get("PYTHONPATH", "")),
        "PYTHONUTF8": "1",
    }


def _python_path(inherited: str) -> str:
    """Return a PYTHONPATH that begins with this installation's packages, because a child may start in any folder."""
    root = str(Path(__file__).resolve().parents[1])
    others = [part for part in inherited.split(os.pathsep) if part and part != root]
    return os.pathsep.join([root, *others])
